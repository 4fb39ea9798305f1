internal import AppModels
internal import Device
internal import EventLoop
internal import Merge
internal import TLS
internal import Usage
internal import Wire

/// `watchline device`: an app on a device without a screen.
enum DeviceCommand: Subcommand {
  static let syntax = DeviceOptions.syntax

  static func run(_ arguments: Arguments) throws(UsageError) -> Int32 {
    let options = try DeviceOptions(arguments)
    let tls = try options.tls?.context()
    do throws(DeviceFailure) {
      let store = options.store.map { DeviceStore($0, for: options) }
      let device = try makeDevice(options, store)
      return onLoop { loop throws(UVError) in
        try DeviceSession(options, tls, device, store, loop: loop).run()
      }
    } catch {
      complain(error.message)
      return 1
    }
  }

  /// A new device, or the one that the store keeps.
  private static func makeDevice(
    _ options: DeviceOptions, _ store: DeviceStore?
  ) throws(DeviceFailure) -> HeadlessDevice {
    let now = LocalTime.milliseconds + options.clockOffset
    var profile = options.profile
    profile.secondsFromUTC = LocalTime.secondsFromUTC
    let newIdentifier = { Identifier.random(from: SystemRandomNumberGenerator()) }
    let device = HeadlessDevice(
      options.app.type, schema: options.app.schema, profile, newIdentifier(), now: now,
      hasWholeRecords: options.hasWholeRecords, newIdentifier: newIdentifier)
    guard let lines = try store?.load(), !lines.isEmpty else { return device }
    do {
      try device.restore(lines, now: now)
    } catch {
      throw DeviceFailure("\(options.store!) cannot be read: \(error.message)")
    }
    return device
  }
}

/// Why a device cannot go on.
struct DeviceFailure: Error {
  let message: String

  init(_ message: String) { self.message = message }
}

extension Identifier {
  /// A version 4 UUID (RFC 9562 section 5.4).
  static func random(from generator: some RandomNumberGenerator) -> Identifier {
    var generator = generator
    return Identifier(
      high: generator.next() & ~0xF000 | 0x4000, low: generator.next() & ~(3 << 62) | 2 << 62)
  }
}
