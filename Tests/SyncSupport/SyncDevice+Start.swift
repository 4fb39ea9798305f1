package import Device
package import Merge

extension SyncDevice {
  /// A device whose ids follow from its name, so that a run can be run again.
  package convenience init(
    _ name: String, isPhone: Bool, schema: Schema, clock: Int64 = 978_307_200_000
  ) {
    var records = 0
    self.init(
      name, Identifier(digestOf: "device", name), isPhone: isPhone, schema: schema, clock: clock
    ) {
      records += 1
      return Identifier(digestOf: "record", name, "\(records)")
    }
  }
}
