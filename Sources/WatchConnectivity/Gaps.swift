public import Foundation

// What app code uses of Foundation and Dispatch and Linux has not.

extension DispatchQueue: @retroactive Equatable {
  public static func == (left: DispatchQueue, right: DispatchQueue) -> Bool {
    left.identity == right.identity
  }

  /// Of the queue itself: Linux makes an object for it each time that it is asked for.
  fileprivate var identity: AnyHashable {
    let wrapped = Mirror(reflecting: self).children.first { $0.label == "__wrapped" }?.value
    if let pointer = wrapped as? OpaquePointer { return AnyHashable(pointer) }
    return AnyHashable(ObjectIdentifier(self))
  }
}

extension DispatchQueue: @retroactive Hashable {
  public func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}

extension String {
  /// The text of the key's own language: no tables of other languages are read.
  public init(
    localized key: StaticString, defaultValue: String, table: String? = nil,
    bundle: Bundle? = nil, locale: Locale = .current, comment: StaticString? = nil
  ) { self = defaultValue }

  /// The key itself.
  public init(
    localized key: String, table: String? = nil, bundle: Bundle? = nil,
    locale: Locale = .current, comment: StaticString? = nil
  ) { self = key }
}
