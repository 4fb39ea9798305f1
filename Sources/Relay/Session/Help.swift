import Wire

/// What the server says of itself.
enum Help {
  static func overview(_ output: inout [UInt8], re: String) {
    output.append("{\"type\":\"help\"}")
  }

  static func lines(_ topic: String, _ send: ((inout [UInt8], String) -> Void) -> Void) -> Bool {
    false
  }
}
