import Wire

/// A link of devices between which `watchline fuzz` carries what they send.
package final class MergeLink {
  private let carrier = MergeCarrier()
  private let link: Link

  package init() { link = Link("fuzz", nil, carrier) }

  package func add(_ name: String, isPhone: Bool) -> LinkDevice { link.add(name, isPhone: isPhone) }

  /// - Parameter request: a line with the `body` that another device has sent.
  package func receive(_ request: [UInt8], on device: String, from sender: String) {
    come(request) { carrier.receive($0, on: device, from: sender) }
  }

  package func undelivered(_ request: [UInt8], of device: String) {
    come(request) { carrier.undelivered($0, of: device) }
  }

  package func setReachable(_ isReachable: Bool, _ other: String, of device: String) {
    link.locked {
      carrier.setReachable(isReachable, other, of: device)
      link.deliver()
    }
  }

  private func come(_ request: [UInt8], _ body: ([UInt8]) -> Void) {
    guard let bytes = (try? Members(request))?.raw("body") else { return }
    link.locked {
      body(bytes)
      link.deliver()
    }
  }

  package func takeSent(by device: String) -> [MergeCarrier.Parcel] {
    link.locked { carrier.takeSent(by: device) }
  }

  package func settle() async { await link.settle() }
  package var hasEvents: Bool { link.locked { link.devices.contains(where: \.hasEvents) } }
}
