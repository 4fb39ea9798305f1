internal import AppModels
internal import Merge
internal import Usage

/// `--schema`: what the records of schedules are made of.
struct SchemaOption {
  /// nil: drawn.
  var name: String?
  /// The schema itself, where it is somebody's own.
  var own: Schema?

  /// Those that can be named.
  static let shipped = ShippedSchemas.all.map(\.name.text)

  /// - Parameter help: what is said besides which ones there are.
  static func option(_ help: String) -> Option {
    let choices = "\(shipped.joined(separator: ", ")), or a file with one of your own"
    return Option(
      "schema", value: "S", choices + help, missing: choices + " (PROTOCOL.md clause 12)")
  }

  /// - Parameter payloadsOnly: whether there may be no records at all.
  init(_ arguments: Arguments, payloadsOnly: Bool) throws(UsageError) {
    guard let text = arguments.string("schema") else { return }
    name = text
    if Self.shipped.contains(text) || payloadsOnly && text == "none" { return }
    let schema = try Self.read(text, payloadsOnly ? Self.shipped + ["none"] : Self.shipped)
    guard !Self.shipped.contains(schema.name.text), schema.name != "none" else {
      throw UsageError(
        "--schema \(text): there is a schema \(schema.name) already; name it otherwise")
    }
    own = schema
    name = schema.name.text
  }

  private static func read(_ path: String, _ known: [String]) throws(UsageError) -> Schema {
    let file: [UInt8]?
    do throws(FileFailure) {
      file = try File.read(path)
    } catch {
      throw UsageError("--schema \(path) cannot be read: \(error.message)")
    }
    guard let file else {
      throw UsageError(
        "--schema is \(known.joined(separator: " or ")), or a file; there is no file "
          + (path.isEmpty ? "without a name" : path))
    }
    do throws(SchemaError) {
      return try Schema(json: file)
    } catch {
      throw UsageError("--schema \(path): \(error)")
    }
  }
}
