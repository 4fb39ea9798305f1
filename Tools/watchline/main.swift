print("watchline")
