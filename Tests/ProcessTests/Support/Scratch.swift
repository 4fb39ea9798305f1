import Foundation

/// A directory that goes with this value.
final class Scratch {
  let path: String

  init() throws {
    var template = Array("/tmp/watchline-process-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure("mkdtemp: errno \(errno)") }
    path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Where the server keeps its queues.
  var data: String { path + "/data" }
  var database: String { data + "/watchline.sqlite" }

  /// A file of tokens with that content, which its owner alone can read.
  func tokens(_ lines: [UInt8]) throws -> String {
    let file = path + "/tokens"
    try Data(lines).write(to: URL(fileURLWithPath: file))
    guard chmod(file, 0o600) == 0 else { throw Failure("chmod: errno \(errno)") }
    return file
  }

  /// A file of a schema with that content.
  func schema(_ text: [UInt8]) throws -> String {
    let file = path + "/schema.json"
    try Data(text).write(to: URL(fileURLWithPath: file))
    return file
  }

  /// The names in the data directory, sorted.
  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: data)) ?? []).sorted()
  }

  /// Runs the companion program to its end.
  func watchline(
    _ arguments: [String], _ environment: [String: String] = [:]
  ) throws -> (code: Int, output: String, errors: String) {
    let program = try Program(
      [Program.products + "/watchline"] + arguments, in: self, environment: environment)
    return (try program.exitCode(), program.output, program.errors)
  }

  /// Every file of the data directory with its bytes, to compare.
  var contents: [String: Data] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: data)) ?? []
    return Dictionary(
      uniqueKeysWithValues: names.map { name in
        (name, FileManager.default.contents(atPath: data + "/" + name) ?? Data())
      })
  }

  func writeDatabase(_ change: (inout Data) -> Void) throws {
    guard var bytes = FileManager.default.contents(atPath: database) else {
      throw Failure("no database in \(data)")
    }
    change(&bytes)
    try bytes.write(to: URL(fileURLWithPath: database))
  }
}
