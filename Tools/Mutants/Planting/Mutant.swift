/// A fault that is planted on purpose, to see whether it is found.
///
/// As a text file:
///
/// ```
/// id: M01
/// title: the earliest write of a field is its value
/// invariant: I15
/// world: exchange
///
/// in Sources/Merge/Fold/Record.swift
/// find
///   var value: Write? { writes.last }
/// put
///   var value: Write? { Mutants.isPlanted(.m01) ? writes.first : writes.last }
/// end
/// ```
/// `world` names the worlds in which it is looked for, in that order; `note`, where there is one,
/// says why the fault is planted in this way. What is put behaves as what was found unless the
/// mutant is switched on.
package struct Mutant: Equatable, Sendable {
  /// A capital letter and a number: `M01`.
  package var id: String
  /// What is wrong then, in a few words.
  package var title: String
  /// The invariant that is expected to show it.
  package var invariant: String
  package var worlds: [String]
  package var note: String?
  package var edits: [Edit]

  /// A piece of a source file and what takes its place.
  package struct Edit: Equatable, Sendable {
    /// From the project's folder.
    package var path: String
    package var find: String
    package var put: String
  }

  /// Its name in the sources: `m01`.
  package var name: String { id.lowercased() }
}

/// A mutant that cannot be read, or planted; one sentence.
package struct MutantFault: Error, Equatable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

extension Mutant {
  /// Reads a mutant's file.
  ///
  /// - Parameter name: the file's, for errors.
  package init(_ text: String, name: String) throws(MutantFault) {
    var values: [String: String] = [:]
    var edits: [Edit] = []
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    func block(until end: Substring) throws(MutantFault) -> String {
      guard let index = lines.firstIndex(of: end) else {
        throw MutantFault("\(name): a \"\(end)\" is missing")
      }
      defer { lines = lines[(index + 1)...] }
      return lines[..<index].joined(separator: "\n")
    }
    while let line = lines.popFirst() {
      if line.isEmpty { continue }
      if line.hasPrefix("in ") {
        let path = String(line.dropFirst(3))
        guard lines.popFirst() == "find" else {
          throw MutantFault("\(name): \"find\" comes after \"\(line)\"")
        }
        let find = try block(until: "put")
        edits.append(Edit(path: path, find: find, put: try block(until: "end")))
      } else if let colon = line.firstIndex(of: ":") {
        let value = line[line.index(after: colon)...].drop { $0 == " " }
        values[String(line[..<colon])] = String(value)
      } else {
        throw MutantFault("\(name): what is \"\(line)\"?")
      }
    }
    func value(_ key: String) throws(MutantFault) -> String {
      guard let value = values[key], !value.isEmpty else {
        throw MutantFault("\(name): there is no \(key)")
      }
      return value
    }
    guard !edits.isEmpty else { throw MutantFault("\(name): it changes nothing") }
    id = try value("id")
    title = try value("title")
    invariant = try value("invariant")
    worlds = try value("world").split(separator: " ").map { String($0) }
    note = values["note"]
    self.edits = edits
  }
}
