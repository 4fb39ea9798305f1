import Foundation
import Testing

/// `watchline fuzz` tries the merge in an app through `import WatchConnectivity`.
@Suite struct MergeOfAppTests {
  private func fuzz(_ seeds: String, _ more: String = "", in scratch: Scratch) throws -> Program {
    try Program(
      [
        Program.products + "/watchline", "fuzz", "--against",
        "command:\(Program.products)/module-merge\(more)", "--seeds", seeds, "--jobs", "1", "--out",
        "\(scratch.path)/found",
      ], in: scratch)
  }

  @Test func aRightOnePasses() throws {
    let scratch = try Scratch()
    let program = try fuzz("1..200", in: scratch)
    #expect(try program.exitCode(within: 60) == 0, "\(program.output) \(program.errors)")
    #expect(program.output.contains("200 schedules"))
  }

  /// The later record stays as a whole: what somebody else has changed in it is lost.
  @Test func whatItLosesIsFound() throws {
    let scratch = try Scratch()
    let program = try fuzz("1..40", " --whole-records", in: scratch)
    #expect(try program.exitCode(within: 60) == 1, "\(program.output) \(program.errors)")
    #expect(program.output.contains("An edit was lost, and nobody overwrote it"))
  }
}
