/// A sequence as it was at a version, asked about single places: an edit of a long list needs no more.
///
/// `OldView` has all of it at once.
struct PastSequence {
  private let fugue: Fugue
  private let known: (UInt32) -> UInt64
  private let version: Version
  private let isPassed: (Element) -> Bool
  /// By contributor, the ordinals that were dead; found out when the first dead run is met.
  private var dead: [Bits]?

  /// - Parameters:
  ///   - known: the version vector: the last sequence number of a replica within it.
  ///   - isPassed: whether an element is not to be the origin: see `Fugue.origin`.
  init(
    _ fugue: Fugue, at known: @escaping (UInt32) -> UInt64,
    passing isPassed: @escaping (Element) -> Bool
  ) {
    self.fugue = fugue
    self.known = known
    self.isPassed = isPassed
    version = Version(of: fugue, known: known)
  }

  /// Whether an element was visible.
  mutating func shows(_ element: Element) -> Bool {
    guard version.contains(element), let place = fugue.place(of: element) else { return false }
    return isShown(place, in: fugue.run(at: place))
  }

  /// Where an insertion right after an element hangs; nil is the start.
  func origin(after element: Element?) throws(FugueError) -> Origin {
    try fugue.origin(after: element, within: version, passing: isPassed)
  }

  /// The last element up to another one, itself among them, that was visible and is not passed over; nil
  /// where there is none.
  ///
  /// - Precondition: the element is in the sequence.
  mutating func last(upTo element: Element) -> Element? {
    guard let place = fugue.place(of: element) else { return nil }
    return last(in: fugue.run(at: place), below: place.ordinal + 1)
  }

  /// The same without the element itself; of all elements where it is nil.
  mutating func last(before element: Element?) -> Element? {
    guard let element else { return last(in: fugue.tree.last, below: .max) }
    guard let place = fugue.place(of: element) else { return nil }
    return last(in: fugue.run(at: place), below: place.ordinal)
  }

  private mutating func last(in run: Handle?, below end: Int32) -> Element? {
    var (current, end) = (run, end)
    while let handle = current {
      let run = fugue.runs[handle]
      let contribution = fugue.contributions[Int(run.contributor)]
      let known = version.last(of: contribution.replica).map(contribution.ordinals(through:)) ?? 0
      var ordinal = min(end, run.end, known) - 1
      while ordinal >= run.start {
        let place = Place(contributor: run.contributor, ordinal: ordinal)
        if isShown(place, in: handle), !isPassed(contribution.element(ordinal)) {
          return contribution.element(ordinal)
        }
        ordinal -= 1
      }
      (current, end) = (fugue.tree.previous(handle), .max)
    }
    return nil
  }

  /// - Precondition: the place is within the version.
  private mutating func isShown(_ place: Place, in run: Handle) -> Bool {
    if fugue.runs[run].isVisible { return true }
    if dead == nil { dead = fugue.deadOrdinals(at: known) }
    return !dead![Int(place.contributor)][place.ordinal]
  }
}
