import Foundation
import Testing

@testable import Wire

/// Measuring costs the text's length, whatever its depth and whatever its scalars are: steps are
/// counted, not seconds.
///
/// Each byte is read once, and once more where there are tags; a scalar, which is two bytes of text
/// at least, takes fewer than three probes. That is 3.5 steps a byte at most.
@Suite struct PropertyListWorkTests {
  private static let stepsPerByte = 4

  private func work(_ json: String) throws -> (steps: Int, size: Int) {
    try withFields("{\"payload\":\(json)}") {
      let measure = try PropertyListMeasure($0[.payload]!, in: $0.line)
      return (measure.work, measure.size)
    }
  }

  private func expectLinear(_ json: String, _ location: SourceLocation = #_sourceLocation) throws {
    let (steps, _) = try work(json)
    #expect(steps >= json.utf8.count, "the steps are not counted", sourceLocation: location)
    #expect(steps <= Self.stepsPerByte * json.utf8.count, sourceLocation: location)
  }

  /// 60 containers, one inside the other, around a long array: the innermost text must not be read
  /// again for each.
  @Test(arguments: [
    ("[", "]", 60), (#"{"a":"#, "}", 60), (#"{"$a":1,"b":"#, "}", 60), (#"{"b":1,"$a":"#, "}", 60),
    (#"{"\u0024a":1,"b":"#, "}", 60), (#"{"$a":"#, #","b":1}"#, 60),
    (#"{"$data":"#, #","b":1}"#, 60), (#"{"$dictionary":"#, #","b":1}"#, 60),
    (#"{"$dictionary":{"$data":"#, "}}", 30), (#"{"$dictionary":{"$dictionary":"#, "}}", 30),
  ]) func readsNestedTextOnce(opening: String, closing: String, times: Int) throws {
    for item in ["1", "[]", "{}", #"{"$date":1}"#, #"{"$x":1,"y":2}"#] {
      let items = repeatElement(item, count: 5000 / item.utf8.count).joined(separator: ",")
      try expectLinear(
        #"{"a":"# + String(repeating: opening, count: times) + "[\(items)]"
          + String(repeating: closing, count: times) + "}")
    }
  }

  /// 2000 data of 16 bytes that have one and the same `hash64`: an unkeyed hash can be played so.
  @Test func hostileScalarsDoNotCluster() throws {
    let seed = UInt64(UniqueScalars.Kind.data.rawValue)
    let colliding = (0..<2000).map { first in
      // The second word takes back what the first one did to the hash.
      var state = (seed ^ 16 ^ UInt64(first)) &* 0x9E37_79B9_7F4A_7C15
      state ^= state >> 29
      return withUnsafeBytes(of: (UInt64(first).littleEndian, state.littleEndian)) { Data($0) }
    }
    let hashes = Set(colliding.map { data in data.withUnsafeBytes { hash64($0, seed: seed) } })
    #expect(hashes.count == 1)

    let items = colliding.map { "{\"$data\":\"\($0.base64EncodedString())\"}" }
    let json = "{\"a\":[\(items.joined(separator: ","))]}"
    try expectLinear(json)
    // The name takes 2 bytes, the dictionary 1, the array 1 and its count 3; data of 16 bytes takes
    // 1, its count 2. References and offsets take two bytes each.
    let (_, size) = try work(json)
    let objects = 8 + 2 + 1 + 4 + 2000 * 19 + 2 * (2 + 2000)
    #expect(size == objects + 2 * 2003 + 32)
  }

  /// Many tagged and untagged objects lie between a path's names and its error.
  @Test func namesAPathThroughLongNames() throws {
    let name = String(repeating: "n", count: 10_000)
    let items = repeatElement(#"{"$a":1,"b":2}"#, count: 1000).joined(separator: ",")
    let error = fieldError("{\"payload\":{\"\(name)\":[\(items),null]}}") {
      try PropertyList.check($0[.payload]!, in: $0.line, field: "payload")
    }
    #expect(error?.message.hasPrefix("payload.\(name)[1000] is null") == true)
  }
}
