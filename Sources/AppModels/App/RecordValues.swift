package import Merge

/// Values of fields, as apps write them.
extension Datum {
  package static func string(_ text: String) -> Datum { .string(Name(text)) }

  package static func int(_ number: Int) -> Datum { .string(Name(String(number))) }

  /// - Parameter milliseconds: since 1970.
  package static func date(_ milliseconds: Int64) -> Datum {
    FieldType.date(milliseconds: milliseconds)
  }
}

/// Values of fields, as apps read them: nil where the field is null or not of that type.
extension RecordView {
  package var id: Name { target.record }

  package func string(_ field: Name) -> String? { self[field]?.text?.text }

  package func int(_ field: Name) -> Int? { string(field).flatMap { Int($0) } }

  package func flag(_ field: Name) -> Bool { self[field] == .bool(true) }

  /// Milliseconds since 1970; nil also where it is more than 275,000 years away, which no calendar
  /// and no sum of times reaches.
  package func date(_ field: Name) -> Int64? { string(field).flatMap(Self.milliseconds) }

  /// A date's canonical form as milliseconds since 1970; nil as for `date`.
  package static func milliseconds(_ text: String) -> Int64? {
    // A date is seconds since 2001, which begins 978,307,200 s after 1970.
    guard let seconds = Double(text), seconds.magnitude < 8.64e12 else { return nil }
    return Int64((seconds * 1000).rounded()) + 978_307_200_000
  }
}
