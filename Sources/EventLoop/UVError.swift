internal import CUV

/// A libuv function reported a failure.
///
/// It keeps the code and the function's name, so that a log line says which call failed and how.
package struct UVError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The negative libuv code; on Linux the negated `errno` for errors of the system.
  package let code: Int32
  /// The C function that failed, such as `uv_listen`.
  package let function: String

  package init(code: Int32, function: String) {
    self.code = code
    self.function = function
  }

  /// The symbolic name, such as `EADDRINUSE`.
  ///
  /// The corresponding C function is `uv_err_name_r`.
  package var name: String { text { uv_err_name_r(code, $0, $1) } }

  /// What it means, such as `address already in use`.
  ///
  /// The corresponding C function is `uv_strerror_r`.
  package var message: String { text { uv_strerror_r(code, $0, $1) } }

  package var description: String { "\(function): \(name) (\(message))" }

  // The variants that end in `_r`, because the others leak memory for a code that they do not know.
  private func text(
    _ fill: (UnsafeMutablePointer<CChar>, Int) -> UnsafeMutablePointer<CChar>?
  ) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
      buffer.initialize(repeating: 0)
      guard let base = buffer.baseAddress, let text = fill(base, buffer.count) else { return "" }
      return String(cString: text)
    }
  }
}

/// Throws when `code` is one of libuv's negative codes.
func check(_ code: Int32, _ function: StaticString) throws(UVError) {
  if code < 0 { throw UVError(code: code, function: String(describing: function)) }
}

/// Traps when `code` is a failure: for calls that fail only after a mistake in this package.
func require(_ code: Int32, _ function: StaticString) {
  precondition(code >= 0, "\(UVError(code: code, function: String(describing: function)))")
}
