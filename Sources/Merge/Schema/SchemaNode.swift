package import Wire

/// Why a file is not a schema.
package struct SchemaError: Error, Equatable, CustomStringConvertible {
  /// Where: member names, and in brackets the name or the index of an entry, as
  /// `kinds[todo].fields[text].rules[0]`. Empty for the file as a whole.
  package var path: String
  /// What was expected there; in lower case, without period.
  package var message: String

  package var description: String { path.isEmpty ? message : "\(path): \(message)" }

  /// The same as an answer to a request that brought the file.
  package var wireError: WireError { WireError(.invalidField, description) }
}

/// A value of a schema file, and where it stands.
struct SchemaNode {
  let value: Value
  let line: UnsafeRawBufferPointer
  let path: String

  func error(_ message: String) -> SchemaError { SchemaError(path: path, message: message) }

  func expected(_ what: String) -> SchemaError {
    error("expected \(what), found \(excerpt(value, line))")
  }

  func text() throws(SchemaError) -> Name {
    guard value.kind == .string else { throw expected("a string") }
    return Name(decodeString(value, line))
  }

  /// A name of a kind, register or field.
  func name() throws(SchemaError) -> Name {
    let wanted = "a letter, then letters, digits or _, at most 64 in all"
    guard value.kind == .string else { throw expected(wanted) }
    let name = try text()
    let isName = name.utf8.enumerated().allSatisfy { place, byte in
      (byte | 0x20) &- 0x61 < 26 || place > 0 && (byte &- 0x30 < 10 || byte == 0x5F)
    }
    guard isName, 1...64 ~= name.utf8.count else { throw expected(wanted) }
    return name
  }

  func bool() throws(SchemaError) -> Bool {
    guard value.kind == .bool else { throw expected("true or false") }
    return line[value.start] == 0x74
  }

  func array(_ what: String) throws(SchemaError) -> [SchemaNode] {
    guard value.kind == .array else { throw expected("a list of \(what)") }
    var reader = ArrayReader(value, line)
    var nodes: [SchemaNode] = []
    while let element = reader.next() {
      nodes.append(SchemaNode(value: element, line: line, path: "\(path)[\(nodes.count)]"))
    }
    return nodes
  }

  /// The members of an object, each known and each once.
  ///
  /// - Parameters:
  ///   - what: the object with its article.
  ///   - title: the member by whose value an entry of a list is called in paths.
  func object(
    _ what: String, _ known: [String], title: String? = nil
  ) throws(SchemaError) -> SchemaObject {
    guard value.kind == .object else { throw expected(what) }
    var members: [(name: Name, value: Value)] = []
    var reader = ObjectReader(value, line)
    while let (name, member) = reader.next() { members.append((Name(name), member)) }

    var path = path
    if let title, let place = path.utf8.lastIndex(of: 0x5B),
      let value = members.first(where: { $0.name == Name(title) })?.value, value.kind == .string
    {
      path = "\(path[..<place])[\(decodeString(value, line))]"
    }
    var object = SchemaObject(node: SchemaNode(value: value, line: line, path: path))
    for (name, value) in members {
      guard known.contains(where: { Name($0) == name }) else {
        let advice = Nearest.advice(
          for: name.text, among: known, else: "it may have \(known.joined(separator: ", "))")
        throw object.node.error("\(what) has no member \(name.text.quoted); \(advice)")
      }
      guard object[name.text] == nil else {
        throw object.node.error("\(name.text.quoted) occurs twice")
      }
      let place = path.isEmpty ? name.text : "\(path).\(name.text)"
      object.members.append((name, SchemaNode(value: value, line: line, path: place)))
    }
    return object
  }
}

/// The members of an object of a schema file.
struct SchemaObject {
  let node: SchemaNode
  var members: [(name: Name, node: SchemaNode)] = []

  subscript(name: String) -> SchemaNode? {
    let name = Name(name)
    return members.first { $0.name == name }?.node
  }

  /// - Parameter what: what the member is, in the error.
  func required(_ name: String, _ what: String) throws(SchemaError) -> SchemaNode {
    guard let member = self[name] else {
      throw node.error("\(name) is missing; it must be \(what)")
    }
    return member
  }

  func flag(_ name: String) throws(SchemaError) -> Bool { try self[name]?.bool() ?? false }
}
