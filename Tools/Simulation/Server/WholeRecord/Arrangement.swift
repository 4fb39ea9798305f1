import Merge

/// What an order tells of how it was made from another one.
enum Arrangement {
  /// What may have stayed where it was, as with the fewest moves others went: of two that change places nobody can say
  /// which did. It is what lies on some longest rising subsequence.
  static func unmoved(from order: [Target], to new: [Target]) -> Set<Target> {
    let places = new.map { order.firstIndex(of: $0) }
    let ending = rises(places)
    let beginning = Array(rises(places.reversed().map { $0.map { -$0 } }).reversed())
    let longest = ending.max() ?? 0
    return Set(
      new.indices.filter { places[$0] != nil && ending[$0] + beginning[$0] - 1 == longest }
        .map { new[$0] })
  }

  /// The length of the longest rise that ends with each; 0 where there is no place.
  private static func rises(_ places: [Int?]) -> [Int] {
    var rises: [Int] = []
    for (index, place) in places.enumerated() {
      let earlier = (0..<index).filter { earlier in
        guard let place, let before = places[earlier] else { return false }
        return before < place
      }
      rises.append(place == nil ? 0 : 1 + (earlier.map { rises[$0] }.max() ?? 0))
    }
    return rises
  }
}
