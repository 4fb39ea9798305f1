/// A piece of HTML. Text that is put into a literal is escaped; other HTML is not.
struct HTML: ExpressibleByStringInterpolation {
  private(set) var markup: String

  init(stringLiteral value: String) { markup = value }

  init(stringInterpolation: StringInterpolation) { markup = stringInterpolation.markup }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var markup = ""

    init(literalCapacity: Int, interpolationCount: Int) {
      markup.reserveCapacity(literalCapacity)
    }

    mutating func appendLiteral(_ literal: String) { markup += literal }

    /// Text, for an element or an attribute in double quotation marks.
    mutating func appendInterpolation(_ text: String) {
      for scalar in Visible.text(text).unicodeScalars {
        switch scalar {
        case "&": markup += "&amp;"
        case "<": markup += "&lt;"
        case ">": markup += "&gt;"
        case "\"": markup += "&quot;"
        case "'": markup += "&#39;"
        default: markup.unicodeScalars.append(scalar)
        }
      }
    }

    mutating func appendInterpolation(_ number: Int) { markup += "\(number)" }

    mutating func appendInterpolation(_ html: HTML?) { markup += html?.markup ?? "" }

    mutating func appendInterpolation(_ pieces: [HTML]) {
      for piece in pieces { markup += piece.markup }
    }
  }

  /// Text that is not escaped: of this program's own, or escaped for where it stands.
  static func raw(_ markup: String) -> HTML { HTML(stringLiteral: markup) }
}

extension HTML {
  /// A page that needs nothing else.
  static func document(title: String, style: String, body: HTML) -> HTML {
    """
    <!DOCTYPE html>
    <html lang=en>
    <head>
    <meta charset=utf-8>
    <meta name=viewport content="width=device-width, initial-scale=1">
    <meta name=color-scheme content="light dark">
    <title>\(title) · Watchline</title>
    <style>
    \(raw(style))
    </style>
    </head>
    <body>
    \(body)
    </body>
    </html>

    """
  }

  /// A value of a record, kept apart from the direction of the text around it.
  static func value(_ json: String) -> HTML { "<bdi class=v>\(Visible.value(json))</bdi>" }

  /// A place by its name and colour.
  static func place(_ name: String, _ recording: Recording) -> HTML {
    "<bdi class=\"p \(raw(laneClass(name, recording)))\">\(name)</bdi>"
  }

  /// The class that gives a place its colour: `l0` to `l5`, and `ls` for the server.
  static func laneClass(_ name: String, _ recording: Recording) -> String {
    if name == "server" { return "ls" }
    let devices = recording.places.filter { $0 != "server" }
    return "l\((devices.firstIndex { $0.isIdentical(to: name) } ?? 0) % 6)"
  }
}
