import PlatformConditions
import Testing

/// Files of an app's, as the plugins AsPhone and AsWatch hand them to the compiler.
@Suite struct PlatformTests {
  private func resolved(_ line: String, _ platform: PlatformSource.Platform = .phone) -> String {
    let text = PlatformSource.resolve(line, for: platform, path: "/a/B.swift")
    return String(text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)[1])
  }

  @Test(arguments: [
    ("#if os(iOS)", "#if true", "#if false"),
    (
      "  #elseif os(watchOS) // the watch", "  #elseif false // the watch",
      "  #elseif true // the watch"
    ),
    ("#if os(iOS) || os(visionOS)", "#if true || false", "#if false || false"),
    ("#if !os(macOS) && DEBUG", "#if !false && DEBUG", "#if !false && DEBUG"),
    ("#if os(Linux)", "#if os(Linux)", "#if os(Linux)"),
    ("#if canImport(WatchConnectivity)", "#if true", "#if true"),
    ("#if canImport(WatchKit)", "#if false", "#if true"),
    ("#if os(iOS) ||\n  os(watchOS)", "#if true ||\n  false", "#if false ||\n  true"),
    ("let os = 1; print(os(iOS))", "let os = 1; print(os(iOS))", "let os = 1; print(os(iOS))"),
  ]) func conditions(line: String, phone: String, watch: String) {
    #expect(resolved(line) == phone)
    #expect(resolved(line, .watch) == watch)
  }

  @Test(arguments: [
    ("import WatchConnectivity", "import WatchConnectivityPhone"),
    (
      "@preconcurrency import WatchConnectivity // it",
      "@preconcurrency import WatchConnectivityPhone // it"
    ),
    (
      "public import class WatchConnectivity.WCSession",
      "public import class WatchConnectivityPhone.WCSession"
    ),
    ("import os.log", "import WatchlineOSLog"), ("import OSLog", "import WatchlineOSLog"),
    ("import WatchConnectivityKit", "import WatchConnectivityKit"),
    (
      "let s = WatchConnectivity.WCSession.default",
      "let s = WatchConnectivityPhone.WCSession.default"
    ),
    ("let s = MyWatchConnectivity.shared", "let s = MyWatchConnectivity.shared"),
    ("// import WatchConnectivity", "// import WatchConnectivity"),
  ]) func imports(line: String, phone: String) { #expect(resolved(line) == phone) }

  @Test func commentsAndTextsStayAsTheyAre() {
    let text =
      "/* a\n#if os(iOS)\n/* b */\n*/\nlet t = \"\"\"\n#if os(iOS)\n\"\"\"\nlet u = \"/*\"\n#if os(iOS)"
    #expect(resolved(text) == text.dropLast("os(iOS)".count) + "true")
  }

  @Test func linesKeepTheirNumbers() {
    let text = PlatformSource.resolve(
      "a\n#if os(iOS)\nb\n#endif\n", for: .watch, path: "/a \"b\".swift")
    #expect(
      text == "#sourceLocation(file: \"/a \\\"b\\\".swift\", line: 1)\na\n#if false\nb\n#endif\n")
  }
}
