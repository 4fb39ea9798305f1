internal import AppModels
internal import Wire

/// The file in which a device keeps what it holds: a line that says whose it is, then the device's
/// own lines.
final class DeviceStore {
  private let path: String
  private let heading: [UInt8]
  /// What the file holds.
  private var written: [[UInt8]] = []

  init(_ path: String, for options: DeviceOptions) {
    self.path = path
    var line: [UInt8] = []
    line.append("{\"watchline\":\"device\",\"version\":1,\"app\":", quoted: options.app.rawValue)
    line.append(",\"pair\":", quoted: options.pair)
    line.append(",\"role\":", quoted: options.isPhone ? "phone" : "watch")
    line.append(",\"device\":", quoted: options.name)
    if options.hasWholeRecords { line.append(",\"wholeRecords\":true" as StaticString) }
    line.append("}" as StaticString)
    heading = line
  }

  /// The device's lines; none where there is no file yet.
  ///
  /// - Throws: where the file cannot be read or belongs to another device.
  func load() throws(DeviceFailure) -> [[UInt8]] {
    let bytes: [UInt8]?
    do throws(FileFailure) {
      bytes = try File.read(path)
    } catch {
      throw DeviceFailure(error.message)
    }
    guard let bytes else { return [] }
    let lines = bytes.split(separator: 0x0A).map(Array.init)
    guard lines.first == heading else {
      throw DeviceFailure(
        "\(path) is not this device's store; another app, pair, role or name keeps it, with or without "
          + "--whole-records, or none")
    }
    written = Array(lines.dropFirst())
    return written
  }

  /// Keeps the device's lines; they are on the disk when this returns.
  func save(_ lines: [[UInt8]]) throws(FileFailure) {
    guard lines != written else { return }
    try File.replace(path, with: Array(([heading] + lines).map { $0 + [0x0A] }.joined()))
    written = lines
  }
}
