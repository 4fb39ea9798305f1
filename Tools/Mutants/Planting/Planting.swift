/// All mutants in one program, each behind a switch (mutant schemata: Untch, Offutt and Harrold,
/// "Mutation Analysis Using Mutant Schemata", ISSTA 1993).
package enum Planting {
  /// The lowest module that all others can import.
  private static let module = "Wire"
  package static let switchPath = "Sources/Wire/Mutants.swift"
  package static let planterPath = "Tools/watchline/Mutants/Planter.swift"

  /// Plants mutants in source files.
  ///
  /// - Parameter files: by path from the project's folder.
  /// - Returns: the files that are other ones now, the switch among them.
  /// - Throws: where what a mutant looks for is not there exactly once. It has rotted then.
  package static func plant(
    _ mutants: [Mutant], in files: [String: String]
  ) throws(MutantFault) -> [String: String] {
    var planted: [String: String] = [:]
    var made: [Mutant.Edit] = []
    for mutant in mutants {
      // What several of them need is done once.
      for edit in mutant.edits where !made.contains(edit) {
        made.append(edit)
        guard let original = files[edit.path] else {
          throw MutantFault("\(mutant.id): there is no \(edit.path)")
        }
        let present = planted[edit.path] ?? original
        for text in [original, present] {
          let parts = text.count(of: edit.find)
          guard parts == 1 else {
            throw MutantFault(
              "\(mutant.id): \(edit.path) has \(parts) times, and should have once: \(edit.find)")
          }
        }
        planted[edit.path] = present.replacing(edit.find, with: edit.put)
      }
    }
    let paths = planted.keys.sorted()
    for path in paths where !path.hasPrefix("Sources/\(module)/") && path != "Package.swift" {
      planted[path] = importing(planted[path]!)
    }
    planted[switchPath] = switchSource(mutants)
    planted[planterPath] = planterSource
    return planted
  }

  /// With the import of the switch's module, where it is not there.
  private static func importing(_ source: String) -> String {
    let hasImport = source.split(separator: "\n").contains {
      $0.hasSuffix("import \(module)") && !$0.hasPrefix("//")
    }
    return hasImport ? source : "import \(module)\n\n" + source
  }

  private static func switchSource(_ mutants: [Mutant]) -> String {
    """
    /// Which fault this program has. Written by what plants them.
    package enum Mutants: String {
      case none
      case \(mutants.map(\.name).joined(separator: ", "))

      /// Set before anything else runs, and never again.
      nonisolated(unsafe) package static var planted = Mutants.none

      package static func isPlanted(_ mutant: Mutants) -> Bool { planted == mutant }
    }

    """
  }

  private static let planterSource = """
    internal import Wire

    /// Switches the faults on that are planted in this program.
    enum Planter {
      static let hasMutants = true

      /// - Returns: whether there is one of that name.
      static func plant(_ name: String) -> Bool {
        guard let mutant = Mutants(rawValue: name) else { return false }
        Mutants.planted = mutant
        return true
      }
    }

    """
}

extension String {
  /// How often a text stands in this one.
  fileprivate func count(of text: String) -> Int {
    let (all, part) = (Array(utf8), Array(text.utf8))
    guard !part.isEmpty, all.count >= part.count else { return 0 }
    return (0...all.count - part.count).count { start in
      all[start] == part[0] && all[start..<start + part.count].elementsEqual(part)
    }
  }

  /// With the first place where a text stands replaced.
  fileprivate func replacing(_ text: String, with other: String) -> String {
    let (all, part) = (Array(utf8), Array(text.utf8))
    let start = (0...all.count - part.count).first { start in
      all[start] == part[0] && all[start..<start + part.count].elementsEqual(part)
    }!
    return String(
      decoding: all[..<start] + Array(other.utf8) + all[(start + part.count)...], as: UTF8.self)
  }
}
