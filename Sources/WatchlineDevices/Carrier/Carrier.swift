/// Carries the lines of a link's devices to the relay and back.
///
/// All of it is called under the link's lock but for `wait`, which is too, and gives up nothing meanwhile: what comes in
/// is taken by another thread.
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
  /// The next line that has come for a device.
  func takeLine(of device: LinkDevice) -> [UInt8]?
  /// Waits until a line has come for a device.
  ///
  /// - Returns: false where none will come: the connection is lost.
  func wait(for device: LinkDevice) -> Bool
}
