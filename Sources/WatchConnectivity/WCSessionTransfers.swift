public import Foundation
import WatchlineDevices

/// A dictionary on its way to the counterpart.
open class WCSessionUserInfoTransfer: NSObject {
  public let userInfo: [String: Any]
  /// Whether it is the complication transfer that goes ahead of all others. A newer one takes its place.
  open internal(set) var isCurrentComplicationInfo: Bool
  private let number: UInt64
  private let device: LinkDevice

  init(
    _ userInfo: [String: Any], _ number: UInt64, _ device: LinkDevice,
    isCurrentComplicationInfo: Bool
  ) {
    self.userInfo = userInfo
    self.number = number
    self.device = device
    self.isCurrentComplicationInfo = isCurrentComplicationInfo
  }

  /// Whether it has not ended.
  open var isTransferring: Bool { device.outstanding.contains(number) }

  /// Takes it back; does nothing where it has been handed out.
  open func cancel() { _ = device.cancel(number) }
}

/// A file on its way to the counterpart.
open class WCSessionFileTransfer: NSObject {
  public let file: WCSessionFile
  public let progress: Progress
  private let number: UInt64
  private let device: LinkDevice

  init(_ file: WCSessionFile, _ number: UInt64, _ device: LinkDevice, size: Int64) {
    self.file = file
    self.number = number
    self.device = device
    progress = TransferProgress(totalUnitCount: max(1, size))
  }

  /// Whether it has not ended.
  open var isTransferring: Bool { device.outstanding.contains(number) }

  /// Takes it back; does nothing where it has been handed out.
  open func cancel() {
    if device.cancel(number) { progress.cancel() }
  }

  func advance(to sent: Int64) { set(min(sent, progress.totalUnitCount)) }

  func end(_ isWhole: Bool) {
    if isWhole { set(progress.totalUnitCount) }
  }

  private func set(_ count: Int64) {
    let before = progress.fractionCompleted
    progress.completedUnitCount = count
    (progress as? TransferProgress)?.tell(from: before)
  }
}

/// A file as it was sent, or has come. One that has come is deleted when the delegate returns.
open class WCSessionFile: NSObject {
  public let fileURL: URL
  public let metadata: [String: Any]?

  init(_ fileURL: URL, _ metadata: [String: Any]?) {
    self.fileURL = fileURL
    self.metadata = metadata
  }
}
