import Foundation
import Testing
import TranscriptSupport

/// Completes the drafts named in `WATCHLINE_DRAFTS` (paths with colons between), in place.
@Test(.enabled(if: ProcessInfo.processInfo.environment["WATCHLINE_DRAFTS"] != nil))
func completeDrafts() throws {
  for path in ProcessInfo.processInfo.environment["WATCHLINE_DRAFTS"]!.split(separator: ":") {
    let file = URL(fileURLWithPath: String(path))
    var draft = Draft(try WorldServer(try Transcript(file)))
    let text = try draft.complete(String(contentsOf: file, encoding: .utf8))
    try Data(text.utf8).write(to: file)
  }
}
