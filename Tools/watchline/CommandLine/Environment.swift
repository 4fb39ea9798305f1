internal import EventLoop
internal import Glibc
internal import Wire

/// A variable of the environment; nil where it is not set or empty.
func environment(_ name: String) -> String? {
  guard let value = getenv(name), value.pointee != 0 else { return nil }
  return String(cString: value)
}

/// The token to show to a server that asks for one.
var environmentToken: String? { environment("WATCHLINE_TOKEN") }

/// The line that shows it, without LF; nil where there is none.
var authentication: [UInt8]? {
  environmentToken.map { token in
    var line: [UInt8] = []
    line.append("{\"type\":\"authenticate\",\"token\":", quoted: token)
    line.append("}" as StaticString)
    return line
  }
}

/// Whether a terminal takes colours, and they are wanted (no-color.org).
var takesColor: Bool { environment("NO_COLOR") == nil && environment("TERM") != "dumb" }

/// Whether a terminal says that it takes any colour of 24 bits; else it is trusted with 256.
var takesEveryColor: Bool { ["truecolor", "24bit"].contains(environment("COLORTERM")) }

/// Whether lines can be typed and edited: both ends are a terminal that can move its cursor.
var isTypedAt: Bool {
  let isDumb = environment("TERM").map { $0 == "dumb" } ?? true
  return StandardInput.isTerminal(0) && StandardInput.isTerminal(1) && !isDumb
}
