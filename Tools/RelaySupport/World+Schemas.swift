import AppModels
import Hub
@_exported public import InMemory
package import Merge
package import Relay

extension World {
  /// A relay that knows the schemas that are shipped, and others of one's own.
  package convenience init(
    limits: Limits = Limits(), hasManualClock: Bool = true, access: Access? = nil,
    place: Place = .whole, own: [Schema] = []
  ) throws {
    var options = Relay.Options()
    options.limits = limits
    options.access = access
    options.place = place
    options.hasManualClock = hasManualClock
    options.hubs = Hubs.keeping(ShippedSchemas.all + own, codecs: ShippedSchemas.codecs)
    try self.init(options)
  }
}
