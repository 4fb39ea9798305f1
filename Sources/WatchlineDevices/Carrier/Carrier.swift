/// Carries the lines of a link's devices to the relay and back.
///
/// All of it is called under the link's lock. While `wait` holds that, another thread takes what comes in.
protocol Carrier: AnyObject {
  /// Whether whatever a line causes has come by the time that `send` returns.
  var isInstant: Bool { get }
  /// Connects a device.
  ///
  /// - Returns: whether there is a connection.
  func open(_ device: LinkDevice) -> Bool
  func close(_ device: LinkDevice)
  /// - Parameter line: without its end.
  func send(_ line: [UInt8], of device: LinkDevice)
  /// Sends a line whose answer nobody waits for.
  ///
  /// - Parameter line: without its end.
  /// - Returns: whether it waits for `carryOut`, or for the next line that is sent.
  func post(_ line: [UInt8], of device: LinkDevice) -> Bool
  /// Has what was posted carried out.
  ///
  /// - Returns: whether there was something.
  func carryOut() -> Bool
  /// The next line that has come for a device.
  func takeLine(of device: LinkDevice) -> [UInt8]?
  /// Waits until a line has come for a device.
  ///
  /// - Returns: false where none will come: the connection is lost.
  func wait(for device: LinkDevice) -> Bool
}

extension Carrier {
  func post(_ line: [UInt8], of device: LinkDevice) -> Bool {
    send(line, of: device)
    return false
  }
  func carryOut() -> Bool { false }
}

/// Lines that have come, taken one by one.
struct LineQueue {
  private var lines: [[UInt8]] = []
  private var next = 0

  var isEmpty: Bool { next == lines.count }

  mutating func append(_ new: [[UInt8]]) { lines += new }

  mutating func dequeue() -> [UInt8]? {
    guard !isEmpty else { return nil }
    defer {
      next += 1
      if isEmpty { self = Self() }
    }
    return lines[next]
  }
}
