import Foundation
import Testing

/// The files of the three schemas are as `Protocol/merge-schema.json` says.
@Suite struct MergeSchemaFileTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The validator is Debian's python3-jsonschema, which belongs to Debian's own Python.
  private static func validate(_ files: [URL]) throws -> (code: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    let program = """
      import json, sys, jsonschema
      schema, *files = [json.load(open(name, encoding="utf-8")) for name in sys.argv[1:]]
      jsonschema.Draft202012Validator.check_schema(schema)
      errors = [error for file in files
                for error in jsonschema.Draft202012Validator(schema).iter_errors(file)]
      for error in errors: print(error.json_path, error.message[:300])
      sys.exit(1 if errors else 0)
      """
    let schema = root.appendingPathComponent("Protocol/merge-schema.json")
    process.arguments = ["-c", program] + ([schema] + files).map(\.path)
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: text, as: UTF8.self))
  }

  @Test func theShippedFilesAreValid() throws {
    let folder = Self.root.appendingPathComponent("Sources/AppModels/Schemas")
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    #expect(files.count == 3)
    let (code, output) = try Self.validate(files)
    #expect(code == 0, "\(output)")
  }

  @Test(arguments: [
    (#""type": "int""#, #""type": "integer""#),
    (#""kind": "timer","#, #""kind": "timer", "a": 1,"#),
    (#""notBlank": true,"#, #""notBlank": true, "above": 0,"#), (#""code": 4021"#, #""code": 1"#),
    (#""fixed": true"#, #""fixed": 1"#), (#""optional": true"#, #""optionl": true"#),
  ])
  func aWrongFileIsFound(_ old: String, _ new: String) throws {
    let file = Self.root.appendingPathComponent("Sources/AppModels/Schemas/todoTimers.json")
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.contains(old))
    let wrong = text.replacingOccurrences(of: old, with: new)
    #expect(throws: (any Error).self) { try SchemaFileTests.read(wrong) }
    let copy = FileManager.default.temporaryDirectory
      .appendingPathComponent("watchline-schema-\(UUID().uuidString).json")
    try Data(wrong.utf8).write(to: copy)
    defer { try? FileManager.default.removeItem(at: copy) }
    #expect(try Self.validate([copy]).code == 1)
  }
}
