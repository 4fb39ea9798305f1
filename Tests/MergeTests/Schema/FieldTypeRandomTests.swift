import Seeded
import Foundation
import Merge
import Testing
import Wire

/// The same, over many values that nobody chose.
@Suite struct FieldTypeRandomTests {
  @Test func doublesComeBackBitForBit() throws {
    var random = SplitMix64(seed: 1)
    for round in 0..<8_000 {
      var bits = random.next()
      // Every fourth is subnormal, every eighth an integer.
      if round % 4 == 0 { bits &= 0x800F_FFFF_FFFF_FFFF }
      var number = Double(bitPattern: bits)
      if round % 8 == 1 { number = Double(Int64(bitPattern: bits) >> Int64(random.below(64))) }
      guard number.isFinite else { continue }
      let datum = FieldType.datum(number)
      let text = try #require(datum.text).text
      #expect(FieldType.double.isCanonical(datum), "\(number)")
      #expect(FieldType.date.isCanonical(datum), "\(number)")
      let again = try #require(Double(text))
      #expect(again.bitPattern == number.bitPattern || number == 0, "\(number) \(text)")
      // However it is spelled, it is spelled one way.
      let spellings = [
        number.description, String(format: "%.17g", number), String(format: "%.25e", number),
      ]
      for spelling in spellings {
        #expect(try canonical(.double, spelling) == datum, "\(spelling)")
      }
    }
  }

  @Test func integersAndDecimalsAreExact() throws {
    var random = SplitMix64(seed: 2)
    for _ in 0..<5_000 {
      let number = Int64(bitPattern: random.next()) >> Int64(random.below(64))
      #expect(try canonical(.int, "\(number)") == .string(Name("\(number)")))
      let zeros = number == 0 ? 0 : random.below(5)
      let scaled = "\(number)" + String(repeating: "0", count: zeros) + "e-\(zeros)"
      #expect(try canonical(.int, scaled) == .string(Name("\(number)")))
      #expect(try canonical(.decimal, scaled) == .string(Name("\(number)")))

      let digits = (0..<1 + random.below(19)).map { _ in "\(random.below(10))" }.joined()
      let typed = "\(number).\(digits)"
      let decimal = try #require(try canonical(.decimal, typed)?.text).text
      // Foundation's decimals are exact up to 38 digits.
      #expect(Decimal(string: decimal) == Decimal(string: typed), "\(typed)")
      #expect(decimal == "0" || !decimal.hasSuffix("0") || !decimal.contains("."), "\(typed)")
    }
  }

  @Test func anyBytesAreReadOrRefused() throws {
    var random = SplitMix64(seed: 3)
    let alphabet = Array("0123456789-+.eE:TZ xnaAfF".utf8)
    for round in 0..<4_000 {
      let count = random.below(round % 10 == 0 ? 60 : 12)
      let bytes = (0..<count).map { _ in
        round % 3 == 0
          ? UInt8(truncatingIfNeeded: random.next()) : alphabet[random.below(alphabet.count)]
      }
      let datum = Datum.string(Name(String(decoding: bytes, as: UTF8.self)))
      let json = String(decoding: datum.canonical, as: UTF8.self)
      for type in FieldType.allCases {
        _ = readable(type, .string(Name(utf8: bytes)))
        guard let read = try canonical(type, json) else {
          #expect(!type.isCanonical(datum))
          continue
        }
        #expect(type.isCanonical(read), "\(json)")
        #expect(type.isCanonical(datum) == (read == datum), "\(json)")
        #expect(try canonical(type, readable(type, read)) == read, "\(json)")
      }
    }
  }
}
