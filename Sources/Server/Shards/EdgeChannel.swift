import Cluster
import EventLoop

/// The owner's end of a peer link: frames from the edge, and to it.
final class EdgeChannel {
  var reader: PeerFrame.Reader
  /// Frames that the socket has not taken.
  private var outgoing: [UInt8] = []
  /// The edge was told to read its client no more.
  private(set) var isPaused = false
  /// What the client's kernel has confirmed, as the edge says, and what it was asked for.
  var confirmed: UInt64 = 0
  private var asked: UInt64 = 0
  /// The edge was told that the connection asks for another shard.
  private(set) var isLeaving = false

  init(_ reader: PeerFrame.Reader) { self.reader = reader }

  func send(_ frame: PeerFrame) { frame.append(to: &outgoing) }

  var hasOutput: Bool { !outgoing.isEmpty }

  func takeOutput() -> [UInt8] {
    defer { outgoing = [] }
    return outgoing
  }

  func read(_ isWanted: Bool) {
    guard isWanted == isPaused else { return }
    isPaused = !isWanted
    send(isPaused ? .pause : .resume)
  }

  func ask(for position: UInt64) {
    guard position > asked else { return }
    asked = position
    send(.ask(position))
  }

  func leave() {
    guard !isLeaving else { return }
    isLeaving = true
    send(.leave)
  }
}
