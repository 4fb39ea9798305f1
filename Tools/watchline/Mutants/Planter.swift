/// Switches the faults on that are planted in this program. There are none in this one: what plants
/// them puts another file in the place of this.
enum Planter {
  static let hasMutants = false

  /// - Returns: whether there is one of that name.
  static func plant(_ name: String) -> Bool { false }
}
