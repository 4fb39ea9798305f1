import Merge
import Wire

/// What somebody types at a keyboard, and what the server answers (clauses 12.5 and 12.6).
struct TypedEdits {
  struct Answer {
    let edit: Edit
    let line: Members
    /// The position that the server had shown its writer last; nil where answers may have been lost.
    let seen: Int64?
    var at: Int64 { line.integer("at") ?? 0 }

    /// The number of the operation that the hub made, or of the one before where it made none.
    func seq(of device: String) -> UInt64 {
      let entries = line.string("vector")?.split(separator: ",") ?? []
      let own = entries.first { $0.hasPrefix(device + ":") }
      return own.flatMap { UInt64($0.dropFirst(device.utf8.count + 1)) } ?? 0
    }

    /// The sum of what the vector in its short form holds.
    var sum: Int64 {
      let entries = line.string("vector")?.split(separator: ",") ?? []
      return entries.reduce(0) { $0 + (Int64($1.split(separator: ":").last ?? "") ?? 0) }
    }
  }

  private(set) var answers: [Answer] = []
  /// Sent and not answered, by id of the request.
  private var waiting: [String: Edit] = [:]
  private var seen: Int64?
  private var isOpening = false
  /// The server has shown something, where this is known or not.
  private var hasBegun = false
  /// Since its last opening: where that was, and which records others were said to have changed.
  private(set) var openedAt: Int64?
  private(set) var changed: Set<Target> = []

  mutating func opens() { isOpening = true }

  mutating func sent(_ id: String, _ edit: Edit) { waiting[id] = edit }

  /// What was not answered may have been done.
  mutating func lost() {
    if !waiting.isEmpty { seen = nil }
    // Later openings show nothing more than the first did.
    if isOpening { hasBegun = true }
    isOpening = false
    waiting = [:]
    openedAt = nil
  }

  mutating func received(_ line: Members, _ type: String) {
    switch type {
    case "sync.opened":
      if !hasBegun { seen = line.integer("at") }
      (hasBegun, isOpening) = (true, false)
      openedAt = line.integer("at")
      changed = []
    case "sync.edited":
      guard let edit = line.string("re").flatMap({ waiting.removeValue(forKey: $0) }) else {
        return
      }
      let answer = Answer(edit: edit, line: line, seen: seen)
      answers.append(answer)
      seen = answer.at
    case "error":
      if let re = line.string("re") { waiting[re] = nil }
      if line.string("re") == "open" { isOpening = false }
    case "sync.changed":
      for record in line.objects("records") ?? [] {
        guard let kind = record.string("kind"), let id = record.string("record") else { continue }
        changed.insert(Target(Name(kind), Name(id)))
      }
    default: break
    }
  }
}
