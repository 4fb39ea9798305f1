import Foundation
import MutantFiles
import Testing

/// That every mutant still fits the sources.
@Suite struct MutantFileTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  static func mutants() throws -> [Mutant] {
    let folder = root.appending(path: "Tools/Mutants")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      .filter { $0.hasSuffix(".mutant") }
      .map { name in
        try Mutant(
          String(decoding: Data(contentsOf: folder.appending(path: name)), as: UTF8.self),
          name: name)
      }
  }

  private static func sources(of mutants: [Mutant]) throws -> [String: String] {
    var files: [String: String] = [:]
    for path in mutants.flatMap(\.edits).map(\.path) {
      files[path] = String(
        decoding: try Data(contentsOf: root.appending(path: path)), as: UTF8.self)
    }
    return files
  }

  @Test func allFitTheSources() throws {
    let mutants = try Self.mutants()
    #expect(mutants.count >= 45)
    #expect(Set(mutants.map(\.id)).count == mutants.count)
    let planted = try Planting.plant(mutants, in: Self.sources(of: mutants))
    for mutant in mutants {
      #expect(
        mutant.edits.contains { planted[$0.path]?.contains("(.\(mutant.name))") == true },
        "\(mutant.id) has no switch")
    }
  }

  @Test func theSourcesHaveNoTraceOfThem() throws {
    let files = try Self.sources(of: Self.mutants())
    for (path, text) in files { #expect(!text.contains("isPlanted"), "\(path)") }
  }

  private static let one = """
    id: M99
    title: a test
    invariant: I1
    world: exchange server

    in A.swift
    find
    let a = 1
    put
    let a = Mutants.isPlanted(.m99) ? 2 : 1
    end

    """

  @Test func aMutantIsRead() throws {
    let mutant = try Mutant(Self.one, name: "M99.mutant")
    #expect(mutant.worlds == ["exchange", "server"])
    #expect(mutant.edits[0].find == "let a = 1")
    let planted = try Planting.plant([mutant], in: ["A.swift": "// a\nlet a = 1\n"])
    #expect(
      planted["A.swift"] == "import Wire\n\n// a\nlet a = Mutants.isPlanted(.m99) ? 2 : 1\n")
  }

  @Test(arguments: ["let b = 1", "let a = 1; let a = 1"])
  func whatDoesNotFitIsSaid(_ source: String) throws {
    let mutant = try Mutant(Self.one, name: "M99.mutant")
    let fault = #expect(throws: MutantFault.self) {
      try Planting.plant([mutant], in: ["A.swift": source])
    }
    #expect(fault?.description.hasPrefix("M99: A.swift has") == true)
  }

  @Test func aFileThatIsCutOffIsSaid() {
    #expect(throws: MutantFault("M99.mutant: a \"end\" is missing")) {
      try Mutant(String(Self.one.dropLast(4)), name: "M99.mutant")
    }
  }
}
