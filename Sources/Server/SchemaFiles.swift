import AppModels
import Merge

/// The schemas that hubs can be opened for: those that ship, and the user's.
enum SchemaFiles {
  /// - Throws: `StartError` where a file cannot be read, is no schema, or has the name of another.
  static func read(_ paths: [String]) throws(StartError) -> [Schema] {
    var schemas = ShippedSchemas.all
    for path in paths {
      let file = try NamedFile(option: "--schema", path: path).contents(limit: Schema.largestFile)
      let schema: Schema
      do throws(SchemaError) {
        schema = try Schema(json: file)
      } catch {
        throw StartError("--schema \(path): \(error)")
      }
      guard !schemas.contains(where: { $0.name == schema.name }) else {
        throw StartError("--schema \(path): there is a schema \(schema.name) already")
      }
      schemas.append(schema)
    }
    return schemas
  }
}
