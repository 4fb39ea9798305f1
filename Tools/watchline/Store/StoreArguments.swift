internal import AppModels
internal import Glibc
internal import Merge
internal import Storage

/// What the commands on a store that no server has open are told alike.
enum StoreArguments {
  static func schemas(_ arguments: Arguments) throws(UsageError) -> [Merge.Schema] {
    let own = try SchemaOption(arguments, payloadsOnly: false).own
    return ShippedSchemas.all + (own.map { [$0] } ?? [])
  }

  /// - Throws: `UsageError` where it cannot be looked at: exit 2.
  static func reader(_ arguments: Arguments) throws(UsageError) -> StoreReader {
    guard let directory = arguments.operands.first else {
      throw UsageError("which store? name the folder that the server is given with --data")
    }
    do throws(StoreError) {
      return try StoreReader(directory)
    } catch {
      throw UsageError(error.description)
    }
  }
}

/// On a terminal, one line on the standard error about how far a long look has come.
struct StoreProgress {
  private let isShown: Bool
  private var last = ""

  init(isShown: Bool) { self.isShown = isShown && isatty(2) == 1 }

  mutating func show(_ what: String, _ done: Int, of all: Int) {
    guard isShown, all > 0 else { return }
    write("\(what): \(done * 100 / all) %")
  }

  mutating func end() { if isShown { write("") } }

  private mutating func write(_ text: String) {
    guard text != last else { return }
    last = text
    let line = Array("\r\u{1B}[K\(text)".utf8)
    _ = Glibc.write(2, line, line.count)
  }
}
