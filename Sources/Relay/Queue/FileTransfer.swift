import Journal
import Wire

/// One file on its way: uploaded in chunks, then queued, then handed out in chunks.
final class FileTransfer {
  /// The number of its row, and of its chunks' records; unique in the pair.
  let number: UInt32
  let transfer: TransferKey
  let receiver: UInt16
  let name: String
  let size: Int
  /// Lower-case hexadecimal SHA-256 that the sender promised.
  let digest: String
  /// The metadata dictionary as it came, or nil.
  let metadata: [UInt8]?
  var re: String

  /// Bytes received, committed or not.
  var received = 0
  /// Bytes below it are synced.
  var synced = 0
  var hash = SHA256()
  /// Where the bytes lie, by rising offset.
  var chunks: [Chunk] = []
  /// When the last chunk came.
  var lastHeard: Int64
  /// Its number in the receiver's file lane once complete; 0 before.
  var seq: UInt64 = 0

  /// Progress of the present download; bytes below it have been handed out.
  var handedOut = 0
  var isAnnounced = false

  /// The first chunk that ends after `offset`.
  func chunkIndex(endingAfter offset: Int) -> Int {
    var low = 0
    var high = chunks.count
    while low < high {
      let middle = (low + high) / 2
      if chunks[middle].end <= offset { low = middle + 1 } else { high = middle }
    }
    return low
  }

  struct Chunk {
    var offset: Int
    var reference: Reference

    var end: Int { offset + Int(reference.length) }
  }

  init(
    number: UInt32, transfer: TransferKey, receiver: UInt16, name: String, size: Int,
    digest: String, metadata: [UInt8]?, re: String, now: Int64
  ) {
    self.number = number
    self.transfer = transfer
    self.receiver = receiver
    self.name = name
    self.size = size
    self.digest = digest
    self.metadata = metadata
    self.re = re
    self.lastHeard = now
  }
}
