import Foundation
import Testing

@testable import Wire

@Suite struct RedactionTests {
  private func shown(_ line: String, isRequest: Bool, hasPayloads: Bool = false) -> String? {
    var output: [UInt8] = []
    let bytes = Array(line.utf8)
    let isLine = bytes.withUnsafeBytes {
      Redaction.write($0, isRequest: isRequest, hasPayloads: hasPayloads, to: &output)
    }
    return isLine ? String(decoding: output, as: UTF8.self) : nil
  }

  /// What an app has put into a message, and a token, in whatever message it comes.
  @Test func noContentIsShown() throws {
    let members = [
      "payload", "data", "metadata", "token", "ops", "set", "value", "message", "name", "list",
      "text", "asOf",
      "sentence", "hint", "fields", "views", "unheardOf",
    ]
    for description in MessageDescription.all {
      let isRequest = description.direction == .toServer
      // An error's name is one of a few words.
      for member in members where (description.name, member) != ("error", "name") {
        for content in [#""secret""#, #"{"secret":1}"#, #"["secret"]"#] {
          let line = #"{"type":"\#(description.name)","\#(member)":\#(content)}"#
          let told = try #require(shown(line, isRequest: isRequest))
          #expect(!told.contains("secret"), "\(line)")
          #expect(told.contains("<\(content.utf8.count) bytes>"), "\(line)")
        }
      }
    }
  }

  @Test func theRestIsAsItWas() {
    #expect(
      shown(
        #"{"type":"transferUserInfo","id":"a","n":3,"payload":{"a":1}}"#, isRequest: true)
        == #"{"type":"transferUserInfo","id":"a","n":3,"payload":"<7 bytes>"}"#)
    #expect(
      shown(
        #" {"n":3, "payload":{"a":1},"type":"transferUserInfo"} "#, isRequest: true,
        hasPayloads: true) == #"{"n":3,"payload":{"a":1},"type":"transferUserInfo"}"#)
    let long = String(repeating: "x", count: 600)
    #expect(
      shown(#"{"type":"activate","pair":"p","device":"\#(long)"}"#, isRequest: true)
        == #"{"type":"activate","pair":"p","device":"<602 bytes>"}"#)
    #expect(
      shown(
        #"{"type":"activate","token":"wl1_a"}"#, isRequest: true, hasPayloads: true)
        == #"{"type":"activate","token":"<7 bytes>"}"#)
  }

  /// What is told may be nested as deep as any line.
  @Test func whatIsNestedTooDeepIsNotShown() {
    for (depth, isShown) in [(61, true), (62, true), (63, false)] {
      let payload =
        String(repeating: "[", count: depth) + #""]\"[[""# + String(repeating: "]", count: depth)
      let line = #"{"type":"sendMessage","payload":\#(payload)}"#
      let told = shown(line, isRequest: true, hasPayloads: true) ?? ""
      #expect(told.contains(payload) == isShown, "\(depth)")
      var envelope = Envelope()
      let around = Array(#"{"line":\#(told)}"#.utf8)
      #expect(throws: Never.self) { try around.withUnsafeBytes { try envelope.scan($0) } }
    }
  }

  @Test(arguments: ["", "ping", "{", "[1]", #"{"a":1}x"#, #"{"a":1,"a":2,}"#, "{}{}"])
  func whatIsNoLineIsNotShown(_ line: String) {
    #expect(shown(line, isRequest: true) == nil)
  }
}
