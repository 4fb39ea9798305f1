import AppModels
import Hub
import Journal
import Relay
import class Relay.Connection
import Testing

@testable import Storage

/// A relay on a real store, with devices by name, and a clock that stands still.
final class StoreWorld {
  let contents: Contents
  /// All lines that each device has heard.
  private(set) var heard: [String: [String]] = [:]
  private(set) var logs: [String] = []
  /// What the store said was damaged.
  private(set) var damage: [StoreError] = []
  /// The store cannot commit any more.
  private(set) var isFailing = false

  private let store: Store
  private let relay: Relay
  private let wake = Monitor(false)
  private var connections: [String: Connection] = [:]
  private var awaited = 0
  private var isCommitting = false
  private var lastSubmitted: UInt64 = 0

  /// 2001-01-01, where a manual clock starts.
  private static let now: Int64 = 978_307_200_000_000

  /// - Throws: why the store, or what is in it, was refused.
  init(
    _ directory: TemporaryDirectory, identity: String = "store-1",
    options: StoreOptions = StoreOptions()
  ) throws {
    var options = options
    options.rowsOfVersion1 = RowUpgrade.fromVersion1
    let wake = wake
    (store, contents) = try Store.open(
      .directory(directory.path), newIdentity: identity, options: options
    ) {
      wake.with { $0 = true }
      wake.signal()
    }
    var relayOptions = Relay.Options()
    relayOptions.hasManualClock = true
    relayOptions.hubs = Hubs.keeping(ShippedSchemas.all, codecs: ShippedSchemas.codecs)
    do {
      relay = try Relay(contents, options: relayOptions, now: Self.now)
    } catch {
      _ = store.close()
      throw error
    }
    settle()
  }

  /// Sends lines, all in one read, and settles.
  func send(_ lines: String..., on name: String) { send(lines, on: name) }

  func send(_ lines: [String], on name: String) {
    let connection = connections[name] ?? relay.opened(now: Self.now)
    connections[name] = connection
    let bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
    bytes.withUnsafeBytes { relay.received($0, on: connection, now: Self.now) }
    settle()
  }

  func close(_ name: String) {
    guard let connection = connections.removeValue(forKey: name) else { return }
    relay.closed(connection, now: Self.now)
    settle()
  }

  /// Ends as SIGTERM does: all pairs leave the memory.
  func stop() {
    relay.stop(now: Self.now)
    for name in connections.keys.sorted() { close(name) }
    settle()
    store.close()
  }

  /// Ends the store without more ado.
  func abandon() { store.close() }

  private func settle() {
    let deadline = monotonicNanoseconds() + 20_000_000_000
    while true {
      if turn() { continue }
      guard awaited > 0 || (isCommitting && !isFailing) else { return }
      let woken: Void? = wake.wait(until: deadline) { woken in
        defer { woken = false }
        return woken ? () : nil
      }
      guard woken != nil else {
        Issue.record("no event in twenty seconds; \(awaited) reads, \(isCommitting)")
        return
      }
    }
  }

  private func turn() -> Bool {
    var hasMoved = relay.hasMore
    relay.nextTurn(now: Self.now)
    let effects = relay.takeEffects()
    logs += effects.logs
    for read in effects.reads { store.read(read.token, read.references) }
    for number in effects.segmentReads { store.readSegment(0, number) }
    for read in effects.pairReads { store.readPair(read) }
    awaited += effects.reads.count + effects.segmentReads.count + effects.pairReads.count
    for connection in effects.scheduled {
      hasMoved = true
      write(connection)
    }
    if !isCommitting, let batch = relay.takeBatch() {
      isCommitting = true
      hasMoved = true
      lastSubmitted = batch.number
      store.submit(batch)
    }
    for event in store.takeEvents() {
      hasMoved = true
      handle(event)
    }
    return hasMoved
  }

  private func write(_ connection: Connection) {
    guard let name = connections.first(where: { $0.value === connection })?.key else { return }
    let output = relay.takeOutput(connection)
    for line in output.split(separator: 0x0A) {
      heard[name, default: []].append(String(decoding: line, as: UTF8.self))
    }
    relay.wrote(connection, unsent: 0, now: Self.now)
    if connection.isFinished {
      connections[name] = nil
      relay.closed(connection, now: Self.now)
    }
  }

  private func handle(_ event: Store.Event) {
    switch event {
    case .committed(let number):
      isCommitting = false
      relay.committed(through: number, now: Self.now)
    case .failing(let error, let firstUncommitted):
      logs.append("event=storeFailing \(error)")
      // A read or the housekeeping that fails holds no commit up.
      guard firstUncommitted <= lastSubmitted else { return }
      isFailing = true
      relay.storeFailed(error.message, now: Self.now)
    case .recovered:
      isFailing = false
      relay.storeRecovered(now: Self.now)
    case .full(let error):
      relay.storeIsFull(error.message, isDisk: error.kind == .full, now: Self.now)
    case .hasRoom: relay.storeHasRoom(now: Self.now)
    case .damaged(let error): damage.append(error)
    case .read(let token, let payloads):
      awaited -= 1
      relay.fetched(token: token, payloads, now: Self.now)
    case .segment(_, let segment):
      awaited -= 1
      relay.fetchedSegment(segment, now: Self.now)
    case .pair(let read, let rows):
      awaited -= 1
      relay.loaded(read, rows, now: Self.now)
    }
  }
}
