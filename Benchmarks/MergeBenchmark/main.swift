print("merge-benchmark")
