import Foundation
import Testing

@testable import WatchlineDevices

@Suite struct DeviceStoreTests {
  private let url = FileManager.default.temporaryDirectory
    .appendingPathComponent("store-\(UUID().uuidString)").appendingPathComponent("phone.ndjson")

  private func transfer(_ text: String) -> Outbox.Transfer {
    Outbox.Transfer(
      kind: .userInfo, shown: Array(text.utf8), members: Array("{\"payload\":\(text)".utf8),
      sent: .init(payload: Array(text.utf8)))
  }

  /// What is left is found by the next process, with what it was sent as.
  @Test func whatIsLeftIsKept() throws {
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    do {
      let store = try DeviceStore(url)
      store.note(store: "one")
      for number in 1...3 as ClosedRange<UInt64> { store.add(number, transfer("{}")) }
      store.note(1, n: 1)
      store.note(1, name: "phone:0.1")
      store.note(2, n: 2)
      store.ended(3)
    }
    for _ in 0..<2 {
      let contents = try DeviceStore(url).contents
      #expect(contents.storeName == "one" && contents.last == 3)
      #expect(contents.transfers.keys.sorted() == [1, 2])
      #expect(contents.transfers[1]?.transfer == "phone:0.1" && contents.transfers[2]?.n == 2)
    }
  }

  /// A name of another store is none here: what has it would be taken for ended.
  @Test func namesGoWithTheirStore() throws {
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    do {
      let store = try DeviceStore(url)
      store.note(store: "one")
      store.add(1, transfer("{}"))
      store.note(1, n: 7)
      store.note(1, name: "phone:0.7")
      store.note(store: "two")
    }
    let contents = try DeviceStore(url).contents
    #expect(contents.storeName == "two" && contents.transfers.count == 1)
    #expect(contents.transfers[1]?.transfer == nil && contents.transfers[1]?.n == nil)
  }

  @Test func oneProcessAtATime() throws {
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    let store = try DeviceStore(url)
    #expect(throws: DeviceStore.Failure.self) { try DeviceStore(url) }
    withExtendedLifetime(store) {}
  }
}
