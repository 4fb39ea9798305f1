import AppModels
import Glibc
import Merge

/// The schemas that hubs can be opened for: those that ship, and the user's.
enum SchemaFiles {
  /// - Throws: `StartError` where a file cannot be read, is no schema, or has the name of another.
  static func read(_ paths: [String]) throws(StartError) -> [Schema] {
    var schemas = ShippedSchemas.all
    for path in paths {
      let file = try contents(path)
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

  private static func contents(_ path: String) throws(StartError) -> [UInt8] {
    guard let file = fopen(path, "rb") else {
      throw StartError("--schema \(path): \(String(cString: strerror(errno)))")
    }
    defer { fclose(file) }
    // What is longer is refused, so its rest need not be read.
    var bytes = [UInt8](repeating: 0, count: Schema.largestFile + 1)
    let count = fread(&bytes, 1, bytes.count, file)
    guard ferror(file) == 0 else {
      let reason =
        errno == EISDIR ? "it is a directory; name a file" : String(cString: strerror(errno))
      throw StartError("--schema \(path): \(reason)")
    }
    return Array(bytes[..<count])
  }
}
