import Foundation
import Relay
import Testing
import TranscriptSupport

/// Every transcript of `Protocol/transcripts`, in process.
@Suite struct TranscriptTests {
  static let transcripts: [Transcript] = try! Transcript.all(in: Transcript.folder)

  static func play(
    _ transcript: Transcript, _ cut: Cut, place: Place = .whole
  ) throws -> [DialogueLine] {
    var runner = TranscriptRunner(try WorldServer(transcript, place: place), cut: cut)
    try runner.run(transcript)
    return runner.lines
  }

  @Test(arguments: transcripts)
  func whole(_ transcript: Transcript) throws {
    _ = try Self.play(transcript, .whole)
  }

  /// However the bytes come in, the same lines go out. Long lines are cut in two at some of their
  /// bytes, the others at each.
  @Test(arguments: transcripts)
  func torn(_ transcript: Transcript) throws {
    let expected = try Self.play(transcript, .whole)
    #expect(try Self.play(transcript, .everyByte) == expected)
    let step = 1 + transcript.longestLine / 300
    for count in stride(from: 1, to: max(2, transcript.longestLine), by: step) {
      let lines = try Self.play(transcript, .after(count))
      try #require(lines == expected, "cut after \(count) bytes")
    }
  }

  /// A relay that has a shard, behind a lobby, answers as one that is alone, to the byte. But for 15-operator: what
  /// the lobby has refused is not among what the shard's `stats` count.
  @Test(arguments: transcripts.filter { $0.name != "15-operator" })
  func fromALobby(_ transcript: Transcript) throws {
    let expected = try Self.play(transcript, .whole)
    #expect(try Self.play(transcript, .whole, place: .shard(0, of: 1)) == expected)
    #expect(try Self.play(transcript, .everyByte, place: .shard(0, of: 1)) == expected)
  }

  /// Each file is named after the clause that its first line names.
  @Test(arguments: transcripts)
  func name(_ transcript: Transcript) {
    #expect(transcript.name.hasPrefix(transcript.clause + "-"))
  }
}
