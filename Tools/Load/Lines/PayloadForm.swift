internal import Glibc

/// What every message carries: its number and the time of its sending at fixed places, and filling.
///
///     {"seq":"0000000000000017","us":"0000000004711000","pad":"xxxx…x"}      a payload
///     0000000000000017 0000000004711000 xxxx…x                               a written value
///
/// The time is in microseconds since the run began. Delivered bytes are compared as a whole, so a
/// byte that changed on the way is seen.
struct PayloadForm {
  let bytes: [UInt8]
  let numberAt: Int
  let timeAt: Int

  private static let zeros = String(repeating: "0", count: Digits.count)

  private init(size: Int, _ start: String, _ middle: String, _ rest: String, _ end: String) {
    precondition(LoadOptions.payloads.contains(size), "a payload of \(size) bytes")
    let text = "\(start)\(Self.zeros)\(middle)\(Self.zeros)\(rest)"
    let filling = String(repeating: "x", count: size - text.utf8.count - end.utf8.count)
    bytes = Array("\(text)\(filling)\(end)".utf8)
    numberAt = start.utf8.count
    timeAt = numberAt + Digits.count + middle.utf8.count
  }

  /// - Parameter size: bytes of JSON text, of `LoadOptions.payloads`.
  static func dictionary(size: Int) -> PayloadForm {
    PayloadForm(size: size, "{\"seq\":\"", "\",\"us\":\"", "\",\"pad\":\"", "\"}")
  }

  /// The same within a JSON string.
  static func value(size: Int) -> PayloadForm { PayloadForm(size: size, "", " ", " ", "") }
}

/// What surrounds the payload in a line, in either direction.
struct LineForm {
  let bytes: [UInt8]
  private let numberAt: Int
  private let timeAt: Int

  init(_ before: String, _ payload: PayloadForm, _ after: String) {
    let start = Array(before.utf8)
    bytes = start + payload.bytes + Array(after.utf8)
    numberAt = start.count + payload.numberAt
    timeAt = start.count + payload.timeAt
  }

  @inline(__always)
  var count: Int { bytes.count }

  @inline(__always)
  func write(_ number: Int, _ microseconds: Int, at place: UnsafeMutableRawPointer) {
    bytes.withUnsafeBytes { place.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
    Digits.write(number, at: place + numberAt)
    Digits.write(microseconds, at: place + timeAt)
  }

  /// Reads a line's numbers where its other bytes are this form's; nil where any is not.
  ///
  /// - Parameter place: the start of at least `count` bytes.
  @inline(__always)
  func read(_ place: UnsafeRawPointer) -> (number: Int, microseconds: Int)? {
    let isOfForm = bytes.withUnsafeBytes { form in
      let base = form.baseAddress!
      let (middle, tail) = (numberAt &+ Digits.count, timeAt &+ Digits.count)
      return memcmp(place, base, numberAt) == 0
        && memcmp(place + middle, base + middle, timeAt &- middle) == 0
        && memcmp(place + tail, base + tail, form.count &- tail) == 0
    }
    guard isOfForm else { return nil }
    let (number, time) = (Digits.read(place + numberAt), Digits.read(place + timeAt))
    return number < 0 || time < 0 ? nil : (number, time)
  }
}

/// A text that lines start with.
struct Prefix {
  let bytes: [UInt8]

  init(_ text: String) { bytes = Array(text.utf8) }

  @inline(__always)
  var count: Int { bytes.count }

  /// Whether it stands at `at`.
  @inline(__always)
  func stands(in line: UnsafeRawBufferPointer, at: Int) -> Bool {
    guard at &+ bytes.count <= line.count else { return false }
    return bytes.withUnsafeBytes { memcmp(line.baseAddress! + at, $0.baseAddress!, $0.count) } == 0
  }
}
