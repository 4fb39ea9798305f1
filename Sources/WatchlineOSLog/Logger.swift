import Foundation

// Apple's unified logging, as far as app code that syncs uses it: lines on the standard error.

/// A log of a subsystem's category.
public struct Logger: Sendable {
  private let prefix: String

  public init() { prefix = "" }
  public init(subsystem: String, category: String) { prefix = "\(subsystem) \(category) " }
  public init(_ log: OSLog) { prefix = log.prefix }

  public func log(_ message: OSLogMessage) { write("", message) }
  public func log(level: OSLogType, _ message: OSLogMessage) { write("", message) }
  public func trace(_ message: OSLogMessage) {}
  public func debug(_ message: OSLogMessage) {}
  public func info(_ message: OSLogMessage) { write("", message) }
  public func notice(_ message: OSLogMessage) { write("", message) }
  public func warning(_ message: OSLogMessage) { write("warning: ", message) }
  public func error(_ message: OSLogMessage) { write("error: ", message) }
  public func critical(_ message: OSLogMessage) { write("critical: ", message) }
  public func fault(_ message: OSLogMessage) { write("fault: ", message) }

  private func write(_ level: String, _ message: OSLogMessage) {
    FileHandle.standardError.write(Data("\(prefix)\(level)\(message.text)\n".utf8))
  }
}

/// What is logged; how private a value is does not matter here.
public struct OSLogMessage: ExpressibleByStringInterpolation, Sendable {
  let text: String
  public init(stringLiteral value: String) { text = value }
  public init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

  public struct Interpolation: StringInterpolationProtocol, Sendable {
    var text = ""
    public init(literalCapacity: Int, interpolationCount: Int) {}
    public mutating func appendLiteral(_ literal: String) { text += literal }
    public mutating func appendInterpolation(
      _ value: @autoclosure () -> some Any, privacy: OSLogPrivacy = .auto
    ) { text += "\(value())" }
  }
}

public struct OSLogPrivacy: Sendable {
  public static let auto = Self()
  public static let `public` = Self()
  public static let `private` = Self()
  public static let sensitive = Self()
}

/// A log of the older kind.
public final class OSLog: Sendable {
  let prefix: String
  public init(subsystem: String, category: String) { prefix = "\(subsystem) \(category) " }
  public static let `default` = OSLog(subsystem: "", category: "")
  public static let disabled = OSLog(subsystem: "", category: "")
}

public enum OSLogType: Sendable { case `default`, info, debug, error, fault }

/// - Parameter message: with `%@` and the like, `{public}` and `{private}` among them.
public func os_log(
  _ message: String, log: OSLog = .default, type: OSLogType = .default, _ arguments: any CVarArg...
) { write(message, log, arguments) }

public func os_log(
  _ type: OSLogType, log: OSLog = .default, _ message: String, _ arguments: any CVarArg...
) { write(message, log, arguments) }

private func write(_ message: String, _ log: OSLog, _ arguments: [any CVarArg]) {
  let format = message.replacingOccurrences(of: "{public}", with: "")
    .replacingOccurrences(of: "{private}", with: "")
  let line = log.prefix + String(format: format, arguments: arguments) + "\n"
  FileHandle.standardError.write(Data(line.utf8))
}
