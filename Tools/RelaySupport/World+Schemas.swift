import AppModels
import Hub
@_exported public import InMemory
package import Relay

extension World {
  /// A relay that knows the schemas that are shipped.
  package convenience init(
    limits: Limits = Limits(), hasManualClock: Bool = true, access: Access? = nil,
    place: Place = .whole
  ) throws {
    var options = Relay.Options()
    options.limits = limits
    options.access = access
    options.place = place
    options.hasManualClock = hasManualClock
    options.hubs = Hubs.keeping(ShippedSchemas.all, codecs: ShippedSchemas.codecs)
    try self.init(options)
  }
}
