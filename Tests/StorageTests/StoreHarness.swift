import Glibc
import Journal
import Testing

@testable import Storage

/// A store and what it has told, for a test that waits for events.
final class Harness {
  let store: Store
  let contents: Contents
  private(set) var events: [Store.Event] = []
  private(set) var committed: UInt64
  private let wake: Monitor<Bool>

  convenience init(
    _ location: StoreLocation, identity: String = "store-1", options: StoreOptions = StoreOptions()
  ) throws(StoreError) {
    try self.init { (onWake) throws(StoreError) in
      try Store.open(location, newIdentity: identity, options: options, onWake: onWake)
    }
  }

  /// - Parameter open: makes the store.
  init(
    open: (@escaping @Sendable () -> Void) throws(StoreError) -> (Store, Contents)
  ) throws(StoreError) {
    let wake = Monitor(false)
    self.wake = wake
    (store, contents) = try open {
      wake.with { $0 = true }
      wake.signal()
    }
    committed = contents.lastBatch
  }

  /// Takes events until `done` says so; records a failure after ten seconds.
  @discardableResult
  func wait(
    _ sourceLocation: SourceLocation = #_sourceLocation, until done: (Harness) -> Bool
  ) -> Bool {
    let deadline = monotonicNanoseconds() + 10_000_000_000
    take()
    while !done(self) {
      let woken: Void? = wake.wait(until: deadline) { woken in
        defer { woken = false }
        return woken ? () : nil
      }
      take()
      if woken == nil {
        Issue.record("no event in ten seconds; so far \(events)", sourceLocation: sourceLocation)
        return false
      }
    }
    return true
  }

  func take() {
    for event in store.takeEvents() {
      events.append(event)
      if case .committed(let number) = event {
        #expect(number > committed)
        committed = number
      }
    }
  }

  /// Submits and waits until it is on the disk.
  func commit(_ batches: Batch...) {
    for batch in batches { store.submit(batch) }
    guard let last = batches.last?.number else { return }
    wait { $0.committed >= last }
  }

  func read(
    _ references: [Reference], token: Int = 1,
    _ sourceLocation: SourceLocation = #_sourceLocation
  ) -> [[UInt8]]? {
    store.read(token, references)
    var result: [[UInt8]]?
    wait(sourceLocation) { harness in
      harness.removeFirst {
        guard case .read(token: token, let bytes) = $0 else { return false }
        result = bytes
        return true
      }
    }
    return result
  }

  func segment(_ number: UInt64, token: Int = 1) -> Segment? {
    store.readSegment(token, number)
    var result: Segment?
    wait { harness in
      harness.removeFirst {
        guard case .segment(token: token, let segment) = $0 else { return false }
        result = segment
        return true
      }
    }
    return result
  }

  /// Waits until the database has what was committed, with `memTableBytes` of 0: the writer brings it up to the log
  /// between two reads.
  func waitForCopy() {
    _ = segment(.max)
    _ = segment(.max)
  }

  func removeFirst(where matches: (Store.Event) -> Bool) -> Bool {
    guard let index = events.firstIndex(where: matches) else { return false }
    events.remove(at: index)
    return true
  }
}
