import Foundation
import Testing

extension ProcessTests {
  /// `watchline fuzz-wire` from outside.
  @Suite struct FuzzWireTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func fuzzWire(_ words: String...) throws -> Program {
      try Program(["\(Program.products)/watchline", "fuzz-wire"] + words, in: scratch)
    }

    @Test func aCleanCampaign() throws {
      let out = "\(scratch.path)/out"
      let program = try fuzzWire("--seeds", "1..3", "--heard", "--out", out)
      #expect(try program.exitCode() == 0, "\(program.output) \(program.errors)")
      #expect(program.output.contains("in 3 sessions"))
      #expect(program.output.contains("  activationDidComplete\n"))
      #expect(program.output.hasSuffix("nothing was found\n"))
      #expect(!FileManager.default.fileExists(atPath: out))
    }

    /// A session that a worker has written down is done again; one that ends in the middle of a step
    /// as well, for that is what a crash leaves.
    @Test func aFileIsDoneAgain() throws {
      let path = "\(scratch.path)/session.ndjson"
      let worker = try fuzzWire("--worker", "--seeds", "2..2", "--narrate", path)
      #expect(try worker.exitCode() == 0, "\(worker.errors)")
      #expect(worker.output.contains("\nwent 2 "))
      var text = try Data(contentsOf: URL(filePath: path))
      #expect(text.count > 1_000)
      text.removeLast(20)
      try text.write(to: URL(filePath: path))
      let again = try fuzzWire(path)
      #expect(try again.exitCode() == 0, "\(again.output) \(again.errors)")
      #expect(again.output == "nothing is wrong with it\n")
    }

    @Test func wrongWordsAreSaid() throws {
      let path = "\(scratch.path)/none.ndjson"
      try Data("{\"wire\":2}\n".utf8).write(to: URL(filePath: path))
      for words in [["--seeds", "7..1"], ["--seeds", "a"], ["--budget", "0"], [path], ["/none"]] {
        let program = try Program(
          ["\(Program.products)/watchline", "fuzz-wire"] + words, in: scratch)
        #expect(try program.exitCode() == 2, "\(words)")
        #expect(program.errors.hasPrefix("watchline: "), "\(words)")
      }
    }
  }
}
