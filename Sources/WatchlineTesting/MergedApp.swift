public import Foundation

/// An app whose state can be read as records, so that `watchline fuzz` can try the merge in it.
///
/// Its own functions carry the edits out, and its own WatchConnectivity code sends them: what is judged is what the app
/// shows in the end.
public protocol MergedApp: AnyObject {
  /// Does what a person does.
  ///
  /// - Throws: what the app has against it; it is then as if nobody had tried.
  func perform(_ edit: MergeEdit) async throws

  /// What the app shows, by kind: each record with its `id` and fields, in order where the kind has one. Values are what
  /// `JSONSerialization` takes.
  func records() async -> [String: [[String: Any]]]

  /// Waits for whatever the app does by itself after it has been told something.
  func settle() async
}

extension MergedApp {
  public func settle() async { for _ in 0..<20 { await Task.yield() } }
}

/// What a person does to a record.
public struct MergeEdit: @unchecked Sendable {
  public enum Change {
    /// A new record, or one of the same id again. Numbers are `NSNumber`, nothing is `NSNull`.
    case create([String: Any])
    /// The fields that were touched.
    case set([String: Any])
    case delete
    /// Behind another record of its list; to the front where nil.
    case move(after: String?)
    /// In a text, at a place in Unicode scalars, so many go and others come; `result` is the whole.
    case splice(field: String, at: Int, remove: Int, insert: String, result: String)
  }

  public var kind: String
  public var record: String
  public var change: Change
}

/// The app knows no such edits: they are left out from now on.
public struct MergeEditUnsupported: Error {
  public init() {}
}

/// A device of a schedule that `watchline fuzz` plays.
public final class MergedDevice: @unchecked Sendable {
  public let name: String
  public let isPhone: Bool
  /// A folder of the device's own, which outlives a restart of its app.
  public let folder: URL
  private let lock = NSLock()
  private var clock = Date(timeIntervalSince1970: 0)

  /// The device's clock, which an app has to use in the place of `Date()`.
  public var now: Date { lock.withLock { clock } }

  init(_ name: String, isPhone: Bool, _ folder: URL) {
    self.name = name
    self.isPhone = isPhone
    self.folder = folder
  }

  func set(milliseconds: Double) {
    lock.withLock { clock = Date(timeIntervalSince1970: milliseconds / 1000) }
  }
}

/// What an app can do besides creating and setting.
public enum MergeAbility: String, Sendable, CaseIterable {
  case delete, move, text
  /// It keeps in its device's folder what has to outlive its process.
  case restart
}
