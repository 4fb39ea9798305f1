/// What is going to be purged, between its announcement and the purge.
///
/// Take the text "ab" of which b is deleted, and stable. A device that has seen that types after
/// a, and Fugue hangs the new character at b, because b follows a in the tree. Had another replica
/// purged b by then, the character would have no place there. So a frontier is announced first.
/// From then on a device builds upon nothing that is dead at the frontier, and acknowledges behind
/// its own operations; once all devices have, no operation that is still to come names any of it.
struct Seal {
  /// Always has all of the fold's base.
  var frontier = VersionVector()
  var horizon: UInt64 = 0
  /// The horizon of the last purge here. Time alone makes records go: a later announcement may have the
  /// same frontier.
  var purgedHorizon: UInt64 = 0
  /// Dead elements that may go. It is found out once: more operations only take some out.
  var elements = ElementSet()
  /// The records that were gone when the frontier was announced. Operations written before their
  /// devices heard of it may still keep some.
  var candidates: [Target] = []
  /// What of them is still gone.
  var gone = Gone()

  struct Gone {
    var vector = VersionVector()
    var records: Set<Target> = []
    /// The slots in which they stand.
    var slots: Set<Element> = []
  }
}

extension Fold {
  /// What is stable by the last announcement.
  package var sealedFrontier: VersionVector { seal.frontier }
  /// The horizon that was announced with it.
  package var sealedHorizon: UInt64 { seal.horizon }

  /// Seals what a purge at this frontier and horizon will drop.
  ///
  /// - Precondition: everything within the frontier is here.
  package func announce(frontier: VersionVector, horizon: UInt64) {
    precondition(vector.contains(frontier), "a frontier ahead of what is here: \(frontier)")
    seal.frontier.merge(frontier)
    seal.horizon = max(seal.horizon, horizon)
    renewSeal()
  }

  /// Whether an element may not be the origin of an insertion any more: what `Fugue.origin` asks.
  package func isSealed(_ element: Element) -> Bool {
    seal.elements.contains(element) || goneNow().slots.contains(element)
  }

  /// Whether a record may not be changed, or anything put into it, any more.
  ///
  /// It was deleted long ago, as far as this replica knows, and will be a tombstone or turn
  /// out to be in use. After the purge it can be created anew.
  package func isSealed(_ target: Target) -> Bool { goneNow().records.contains(target) }

  /// Whether a writer may not do this any more: it would change what is about to be purged.
  package func isSealed(_ action: Action) -> Bool {
    guard !seal.candidates.isEmpty else { return false }
    if isSealed(action.target) { return true }
    if let into = action.into, isSealed(into) { return true }
    if action.touches, let home = action.home, isSealed(home) { return true }
    return false
  }

  /// Finds out anew what is sealed; nothing is where all that was announced has been purged.
  func renewSeal() {
    seal.elements = ElementSet()
    seal.candidates = []
    seal.gone = Seal.Gone()
    guard seal.frontier != base || seal.horizon > seal.purgedHorizon else { return }
    let stability = Stability(frontier: seal.frontier, horizon: seal.horizon)
    let gone = gone(stability, among: records.map(\.target))
    seal.candidates = gone.keys.sorted()
    seal.elements = doomedElements(stability)
  }

  private func doomedElements(_ stability: Stability) -> ElementSet {
    let known = sequenceNumbers(within: stability.frontier)
    var ranges: [ElementRange] = []
    for record in records {
      for text in record.texts { ranges += text.sequence.deadElements(at: known).ranges }
      for register in record.registers {
        guard let isDropped = register.droppable(stability, operations) else { continue }
        for (write, isDropped) in zip(register.writes, isDropped) where isDropped {
          if let slot = slotElement(write) { ranges.append(ElementRange(slot, count: 1)) }
        }
      }
    }
    // A set: the order in which the lists come is of no consequence.
    for list in lists.values { ranges += list.deadElements(at: known).ranges }
    return ElementSet(ranges)
  }

  private func goneNow() -> Seal.Gone {
    guard !seal.candidates.isEmpty, seal.gone.vector != vector else { return seal.gone }
    let stability = Stability(frontier: seal.frontier, horizon: seal.horizon)
    let gone = gone(stability, among: seal.candidates)
    seal.gone = Seal.Gone(vector: vector, records: Set(gone.keys))
    for target in gone.keys {
      for register in record(target)?.registers ?? [] {
        for write in register.writes {
          if let slot = slotElement(write) { seal.gone.slots.insert(slot) }
        }
      }
    }
    return seal.gone
  }

  /// The slot that a write made; nil where it is no move.
  func slotElement(_ write: Register.Write) -> Element? {
    guard case .move = action(write.place).body else { return nil }
    return element(slot(write.place))
  }
}
