internal import AppModels
internal import Merge
internal import Storage
internal import Usage

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

/// How far a long look has come.
struct StoreProgress {
  private let isShown: Bool
  private var last = ""

  init(isShown: Bool) { self.isShown = isShown }

  mutating func show(_ what: String, _ done: Int, of all: Int) {
    guard isShown, all > 0 else { return }
    let text = "\(what): \(done * 100 / all) %"
    guard text != last else { return }
    last = text
    showStatus(text)
  }

  func end() { if isShown { showStatus("") } }
}
