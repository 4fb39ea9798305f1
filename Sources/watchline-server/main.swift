print("watchline-server")
