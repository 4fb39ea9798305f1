import Foundation
import Seeded
import Testing
import WatchlineDevices

/// Payloads come as a binary property list would bring them, casts included.
@Suite struct PayloadTests {
  @Test func whatComesIsWhatAPropertyListBrings() throws {
    for seed in 0..<3000 {
      var random = SplitMix64(seed: UInt64(seed))
      let payload = dictionary(&random, depth: 0)
      let ours = Payload.dictionary(try Payload.json(payload))
      let bytes = try PropertyListSerialization.data(
        fromPropertyList: payload, format: .binary, options: 0)
      let theirs = try #require(
        try PropertyListSerialization.propertyList(from: bytes, format: nil) as? [String: Any])
      let difference = difference(ours, theirs, at: "")
      #expect(difference == nil, "seed \(seed): \(difference ?? "")")
      if difference != nil { return }
    }
  }

  @Test func equalDictionariesHaveEqualBytes() throws {
    for seed in 0..<200 {
      var (one, other) = (SplitMix64(seed: UInt64(seed)), SplitMix64(seed: UInt64(seed)))
      let (first, second) = (dictionary(&one, depth: 0), dictionary(&other, depth: 0))
      #expect(try Payload.json(first) == Payload.json(second))
    }
  }

  private func dictionary(_ random: inout SplitMix64, depth: Int) -> [String: Any] {
    var result: [String: Any] = [:]
    for _ in 0..<Int.random(in: 0...5, using: &random) {
      result[name(&random)] = value(&random, depth: depth + 1)
    }
    return result
  }

  private func name(_ random: inout SplitMix64) -> String {
    ["a", "b", "", "$data", "$date", "$real", "$x", "Größe", "\u{1F375}", "a.b", "\"\\\n"]
      .randomElement(
        using: &random)!
  }

  private func value(_ random: inout SplitMix64, depth: Int) -> Any {
    switch Int.random(in: 0...(depth > 3 ? 10 : 12), using: &random) {
    case 0: return Bool.random(using: &random)
    case 1: return [0, 1, -1, Int.max, Int.min, 1 << 53 + 1].randomElement(using: &random)!
    case 2: return UInt64.max - UInt64.random(in: 0...1, using: &random)
    case 3: return Int8.random(in: -128...127, using: &random)
    case 4:
      let numbers: [Double] = [
        0, -0.0, 1, 0.1, 1e300, .leastNonzeroMagnitude, 1500, -2.5e-7, .nan, .infinity, -.infinity,
      ]
      return numbers.randomElement(using: &random)!
    case 5: return Float([0.1, 3, 1e30].randomElement(using: &random)!)
    case 6: return name(&random)
    case 7: return Data((0..<Int.random(in: 0...40, using: &random)).map { UInt8($0) })
    case 8:
      return Date(
        timeIntervalSinceReferenceDate: [0, 0.1, 794_059_200.123456, -1e9].randomElement(
          using: &random)!)
    case 9: return NSNumber(value: Bool.random(using: &random))
    case 10: return NSNumber(value: Double.random(in: -1...1, using: &random))
    case 11:
      return (0..<Int.random(in: 0...4, using: &random)).map { _ in
        value(&random, depth: depth + 1)
      }
    default: return dictionary(&random, depth: depth)
    }
  }

  /// Where two values differ, as an app that casts them sees it.
  private func difference(_ ours: Any, _ theirs: Any, at path: String) -> String? {
    if let ours = ours as? [String: Any], let theirs = theirs as? [String: Any] {
      guard ours.keys.sorted() == theirs.keys.sorted() else {
        return "\(path): \(ours.keys) and \(theirs.keys)"
      }
      return ours.keys.sorted().lazy.compactMap { key in
        difference(ours[key]!, theirs[key]!, at: path + "/" + key)
      }.first
    }
    if let ours = ours as? [Any], let theirs = theirs as? [Any] {
      guard ours.count == theirs.count else { return "\(path): counts" }
      return zip(ours, theirs).enumerated().lazy.compactMap { index, pair in
        difference(pair.0, pair.1, at: "\(path)[\(index)]")
      }.first
    }
    let casts: [(String, (Any) -> String)] = [
      ("String", { "\(String(describing: $0 as? String))" }),
      ("Int", { "\(String(describing: $0 as? Int))" }),
      ("UInt64", { "\(String(describing: $0 as? UInt64))" }),
      ("Double", { "\(String(describing: $0 as? Double))" }),
      ("Bool", { "\(String(describing: $0 as? Bool))" }),
      (
        "Data",
        { "\(String(describing: $0 as? Data)) \(($0 as? Data)?.base64EncodedString() ?? "")" }
      ),
      ("Date", { "\(String(describing: ($0 as? Date)?.timeIntervalSinceReferenceDate))" }),
    ]
    // A boolean is an NSNumber on Apple's devices, and here; Linux's property lists bring a Bool, which casts to less.
    let isPlainBool = type(of: theirs) == Bool.self
    for (name, cast) in casts where !isPlainBool || name == "Bool" {
      guard cast(ours) != cast(theirs) else { continue }
      return
        "\(path) as \(name): \(cast(ours)), and by a property list \(cast(theirs)): \(ours) \(type(of: ours)), \(theirs) \(type(of: theirs))"
    }
    return nil
  }
}
