import Foundation
import LoopbackSupport

/// Says the same to everyone who connects, reads on, and answers nothing else.
final class SpeakingServer: Sendable {
  var port: Int { listener.port }
  private let listener: LoopbackListener

  init(_ text: String) throws {
    listener = try LoopbackListener()
    Thread.detachNewThread { [listener] in
      let bytes = Array(text.utf8)
      // They stay open until the test's process ends.
      while let accepted = listener.accepted() {
        _ = send(accepted, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      }
    }
  }

  /// Ends the thread.
  func stop() { listener.stop() }
}
