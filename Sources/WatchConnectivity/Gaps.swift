public import Foundation

// What app code uses of Foundation and Dispatch and Linux has not.

extension DispatchQueue: @retroactive Equatable {
  public static func == (left: DispatchQueue, right: DispatchQueue) -> Bool { left === right }
}

extension DispatchQueue: @retroactive Hashable {
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
