import Foundation
import Wire

/// Which device code belongs to that asks for `WCSession.default`.
extension LinkDevice {
  /// The device whose app's code is running; else the one that the environment names; else of the pair that the process
  /// shares.
  ///
  /// - Parameter isPhone: which of the pair; nil where that does not matter.
  package static func ofCode(isPhone: Bool?) -> LinkDevice {
    if let device = ofCaller, isPhone == nil || device.isPhone == isPhone { return device }
    if let caller = ofCaller { return caller.link.device(isPhone: isPhone) }
    if let settings = ServerSettings.ofProcess { return ofProcess(isPhone: isPhone, settings) }
    return shared.device(isPhone: isPhone)
  }

  /// A pair that all of the process shares; what is told comes by itself.
  private static let shared: Link = {
    let link = Link(name: "shared", latency: latency)
    _ = link.add("phone", isPhone: true)
    _ = link.add("watch", isPhone: false)
    return link
  }()

  private static let latency = 0.001

  // MARK: A process that is a device

  private static let served = Served()

  /// What this process is at a server: a device, or one of each kind where no role is named.
  private final class Served: @unchecked Sendable {
    private let lock = NSLock()
    private var devices: [Bool: (Link, LinkDevice)] = [:]

    func device(isPhone: Bool, _ settings: ServerSettings) -> LinkDevice {
      lock.withLock {
        if let (_, device) = devices[isPhone] { return device }
        let link = Link(name: settings.pair, latency: LinkDevice.latency, server: settings.address)
        let name = settings.device ?? (isPhone ? "phone" : "watch")
        let device: LinkDevice
        do throws(DeviceStore.Failure) {
          device = link.add(
            name, isPhone: isPhone, store: try DeviceStore(settings.store(of: name)))
        } catch {
          complain(error.sentence)
          device = link.addUnusable(
            name, isPhone: isPhone, DeviceError(.genericError, error.sentence))
        }
        devices[isPhone] = (link, device)
        return device
      }
    }
  }

  private static func ofProcess(isPhone: Bool?, _ settings: ServerSettings) -> LinkDevice {
    if let role = settings.isPhone, let isPhone, role != isPhone {
      preconditionFailure(
        "WATCHLINE_ROLE is \(role ? "phone" : "watch"), and this is the code of a \(isPhone ? "phone" : "watch")"
      )
    }
    guard let isPhone = settings.isPhone ?? isPhone else {
      preconditionFailure("WATCHLINE_SERVER is set: set WATCHLINE_ROLE to phone or watch, too")
    }
    return served.device(isPhone: isPhone, settings)
  }
}

/// What the environment says of the device that this process is.
///
/// | variable | meaning |
/// | --- | --- |
/// | `WATCHLINE_SERVER` | where the server listens: `HOST:PORT`; `127.0.0.1:9282` where only the role is named |
/// | `WATCHLINE_ROLE` | `phone` or `watch` |
/// | `WATCHLINE_PAIR` | the pair; `demo` where it is not set |
/// | `WATCHLINE_DEVICE` | the device's name; its role where it is not set |
/// | `WATCHLINE_STORE` | the file that keeps the device's queue |
package struct ServerSettings {
  package var address: ServerAddress
  var isPhone: Bool?
  package var pair: String
  var device: String?
  private var file: String?

  /// nil where the environment names no server.
  package static let ofProcess = Self(ProcessInfo.processInfo.environment)

  init?(_ environment: [String: String]) {
    let role = environment["WATCHLINE_ROLE"]
    guard environment["WATCHLINE_SERVER"] ?? role != nil else { return nil }
    let text = environment["WATCHLINE_SERVER"] ?? "127.0.0.1:9282"
    guard let address = ServerAddress(text) else {
      preconditionFailure(
        "WATCHLINE_SERVER is \(text), and has to be HOST:PORT, such as 127.0.0.1:9282")
    }
    guard role == nil || role == "phone" || role == "watch" else {
      preconditionFailure("WATCHLINE_ROLE is \(role ?? ""), and has to be phone or watch")
    }
    self.address = address
    isPhone = role.map { $0 == "phone" }
    pair = environment["WATCHLINE_PAIR"] ?? "demo"
    device = environment["WATCHLINE_DEVICE"]
    file = environment["WATCHLINE_STORE"]
  }

  /// The file of a device: in the user's data folder, by server, pair and device.
  func store(of device: String) -> URL {
    if let file { return URL(fileURLWithPath: file) }
    let folder =
      FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
      ?? FileManager.default.temporaryDirectory
    let parts = [address.spelled, pair, device].map {
      $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? $0
    }
    return folder.appendingPathComponent("watchline")
      .appendingPathComponent(parts.joined(separator: "-") + ".ndjson")
  }
}
