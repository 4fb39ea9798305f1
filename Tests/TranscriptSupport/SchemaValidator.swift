package import Foundation

/// `Protocol/validate.py`: whether lines are as the schemas in `Protocol/schema` say.
package enum SchemaValidator {
  /// The validator is Debian's python3-jsonschema, which belongs to Debian's own Python.
  private static let python = "/usr/bin/python3"

  /// - Parameter lines: `{"direction":…,"line":…}` each, with LF.
  /// - Returns: the exit status, and what it says.
  package static func validate(_ lines: Data) throws -> (code: Int32, output: String) {
    let folder = Transcript.folder.deletingLastPathComponent()
    let input = FileManager.default.temporaryDirectory
      .appendingPathComponent("watchline-lines-\(UUID().uuidString).ndjson")
    try lines.write(to: input)
    defer { try? FileManager.default.removeItem(at: input) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: python)
    process.arguments = [
      folder.appendingPathComponent("validate.py").path,
      folder.appendingPathComponent("schema").path,
    ]
    process.standardInput = try FileHandle(forReadingFrom: input)
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: text, as: UTF8.self))
  }
}
