import Foundation
import Testing

@testable import WatchlineDevices

/// A link that belongs to no test.
@Suite struct LinkTests {
  /// An app that runs for weeks keeps nothing of what it has sent.
  @Test(arguments: [true, false]) func keepsWhatHappensForTestsAlone(isTest: Bool) {
    let link = Link(isTest: isTest)
    let phone = link.add("phone", isPhone: true)
    for _ in 0..<3 { _ = phone.sendMessage(Array("{}".utf8), isData: false, expectsReply: false) }
    #expect(link.items.count == (isTest ? 3 : 0))
    #expect(link.traceText.contains("\"events\":0}") == !isTest)
  }
}
