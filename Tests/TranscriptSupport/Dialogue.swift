/// A line of a dialogue that was played.
package struct DialogueLine: Equatable, Sendable {
  /// The connection's name in the transcript.
  package var connection: String
  package var isToServer: Bool
  package var line: [UInt8]
  /// The number of a line to the server on its connection, from 1.
  var number = 0
  /// The connection's number in the run.
  var link: Int
}

extension [DialogueLine] {
  /// The lines that `Protocol/schema` must accept, one JSON object each: all of the server's, and
  /// those to it that were JSON and were not answered by `error`.
  package var schemaLines: [String] {
    let refused = Set(filter { !$0.isToServer }.compactMap(\.place))
    return compactMap { line in
      if line.isToServer, refused.contains("\(line.link):\(line.number)") { return nil }
      guard case .object? = try? JSONReader.read(line.line) else { return nil }
      let direction = line.isToServer ? "toServer" : "toDevice"
      return
        "{\"direction\":\"\(direction)\",\"line\":\(String(decoding: line.line, as: UTF8.self))}"
    }
  }
}

extension DialogueLine {
  /// The line that an `error` is about, as link and number.
  fileprivate var place: String? {
    guard let json = try? JSONReader.read(line), json["type"] == .string("error"),
      case .number(let number)? = json["line"]
    else { return nil }
    return "\(link):\(number)"
  }
}
