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
    let link = Link(name: "shared", latency: latency, isTest: false)
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
        let link = Link(
          name: settings.pair, latency: LinkDevice.latency, server: settings.address, isTest: false)
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
