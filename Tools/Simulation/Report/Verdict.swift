/// Which of the ends of a field are right.
struct Verdict {
  private let field: Finding.Field
  /// What would have been right, in the reader's words: values as JSON or words.
  let acceptable: [String]

  /// How ends say whether a record exists.
  private static let absent = "no such record"
  private static let present = "the record is there"

  init(_ field: Finding.Field) {
    self.field = field
    let values = field.acceptable.filter { !$0.isEmpty }
    let first = field.ends.first?.value ?? ""
    let isAgreed = field.ends.allSatisfy { $0.value.isIdentical(to: first) }
    if !values.isEmpty {
      acceptable = values
    } else if !isAgreed {
      acceptable = ["the same everywhere"]
    } else if field.name == nil, [Self.absent, Self.present].contains(first) {
      acceptable = [first == Self.absent ? Self.present : Self.absent]
    } else {
      acceptable = []
    }
    isUndecided = values.isEmpty && !isAgreed
  }

  /// The devices differ, and it is not known which of them is right.
  let isUndecided: Bool

  /// nil where it is not known.
  func isRight(_ value: String) -> Bool? {
    isUndecided ? nil : acceptable.contains { $0.isIdentical(to: value) }
  }

  var isWrong: Bool {
    isUndecided || field.ends.contains { isRight($0.value) == false }
  }
}
