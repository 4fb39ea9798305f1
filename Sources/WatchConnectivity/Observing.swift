public import Foundation

// Key-value observing, which Foundation has on Apple's platforms alone. A handler is told wherever the property changes: it
// is no actor's, also where one sets it.

/// What an observer wants to be told.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let new = Self(rawValue: 1)
  public static let old = Self(rawValue: 2)
  public static let initial = Self(rawValue: 4)
  public static let prior = Self(rawValue: 8)
}

/// A value that has changed.
public struct NSKeyValueObservedChange<Value> {
  public let newValue: Value?
  public let oldValue: Value?
  public var isPrior: Bool { false }
}

/// An observation; it ends with `invalidate`, which any thread may call, or when nobody holds it.
public final class NSKeyValueObservation: NSObject, @unchecked Sendable {
  private let lock = NSLock()
  private var tellsNow: (() -> Void)?
  fileprivate init(_ tell: @escaping () -> Void) { tellsNow = tell }
  public func invalidate() { lock.withLock { tellsNow = nil } }
  fileprivate func tell() { lock.withLock { tellsNow }?() }
}

/// The observations of one object.
struct Observers {
  private final class Entry {
    weak var observation: NSKeyValueObservation?
    init(_ observation: NSKeyValueObservation) { self.observation = observation }
  }
  private let lock = NSLock()
  private var entries: [Entry] = []

  mutating func add<Object: AnyObject, Value>(
    _ object: Object, _ options: NSKeyValueObservingOptions, _ value: @escaping (Object) -> Value,
    _ handler: @escaping (Object, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    var last = value(object)
    func change(_ new: Value, _ old: Value?) -> NSKeyValueObservedChange<Value> {
      NSKeyValueObservedChange(
        newValue: options.contains(.new) ? new : nil, oldValue: options.contains(.old) ? old : nil)
    }
    let observation = NSKeyValueObservation { [weak object] in
      guard let object else { return }
      let new = value(object)
      guard "\(new)" != "\(last)" else { return }
      let old = last
      last = new
      handler(object, change(new, old))
    }
    if options.contains(.initial) { handler(object, change(last, nil)) }
    lock.withLock {
      entries.removeAll { $0.observation == nil }
      entries.append(Entry(observation))
    }
    return observation
  }

  func tell() {
    let observations = lock.withLock { entries.compactMap(\.observation) }
    for observation in observations { observation.tell() }
  }
}

extension WCSession {
  /// Observes `activationState`, `isReachable`, `isPaired`, `isWatchAppInstalled`, `hasContentPending` and the like.
  @preconcurrency public func observe<Value>(
    _ keyPath: KeyPath<WCSession, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping @Sendable (WCSession, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    observers.add(self, options, { $0[keyPath: keyPath] }, changeHandler)
  }
}

/// A progress that tells its observers.
final class TransferProgress: Progress, @unchecked Sendable {
  fileprivate var observers = Observers()

  convenience init(totalUnitCount: Int64) {
    self.init(parent: nil, userInfo: nil)
    self.totalUnitCount = totalUnitCount
  }

  func tell(from before: Double) {
    if fractionCompleted != before { observers.tell() }
  }
}

extension Progress {
  /// Observes `fractionCompleted` and the like of a transfer's progress.
  @preconcurrency public func observe<Value>(
    _ keyPath: KeyPath<Progress, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping @Sendable (Progress, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    guard let progress = self as? TransferProgress else {
      var observers = Observers()
      return observers.add(self, options, { $0[keyPath: keyPath] }, changeHandler)
    }
    return progress.observers.add(self, options, { $0[keyPath: keyPath] }, changeHandler)
  }
}
