import Seeded
import Foundation
import Wire

/// What the phone sends as its transfer `n`: the same, however often it sends it.
struct Plan {
  let n: Int
  let kind: Ledger.Kind
  private var choices: SplitMix64

  init(_ n: Int) {
    self.n = n
    var choices = SplitMix64(seed: UInt64(n))
    let choice = choices.pick(0...99)
    kind = choice < 88 ? .userInfo : choice < 98 ? .complication : .file
    self.choices = choices
  }

  var payload: [String: Any] {
    var choices = choices
    return [
      "n": n, "text": String(repeating: "x", count: choices.pick(0...300) * choices.pick(1...5)),
    ]
  }

  /// A file's bytes: none, some, or more than a chunk holds.
  var bytes: [UInt8] {
    var choices = choices
    return (0..<choices.pick(0...3) * 7_001).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ n) }
  }

  /// The request that sends it.
  func request(id: String) -> [String: Any] {
    var members: [String: Any] = ["id": id, "n": n]
    switch kind {
    case .userInfo:
      members["type"] = "transferUserInfo"
      members["payload"] = payload
    case .complication:
      members["type"] = "transferCurrentComplicationUserInfo"
      members["payload"] = payload
    case .file:
      let bytes = bytes
      members["type"] = "transferFile"
      members["name"] = "file \(n)"
      members["size"] = bytes.count
      members["sha256"] = sha256(bytes)
      members["metadata"] = ["n": n]
    }
    return members
  }
}

func sha256(_ bytes: [UInt8]) -> String {
  var hash = SHA256()
  bytes.withUnsafeBytes { hash.update($0) }
  return hash.hex
}
