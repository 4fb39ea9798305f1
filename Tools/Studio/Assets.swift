internal import Pages
internal import Wire

/// The files of the page: built in, or from a folder while somebody works on them.
struct Assets {
  /// Reads a file of the folder; nil where the built-in ones are shown.
  private let read: ((String) -> [UInt8]?)?

  init(_ read: ((String) -> [UInt8]?)?) { self.read = read }

  private static let types = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
  ]

  private static let builtIn: [String: [UInt8]] = [
    "index.html": PackageResources.index_html,
    "icon.svg": PackageResources.icon_svg,
    "studio.css": PackageResources.studio_css,
    "main.js": PackageResources.main_js,
    "dom.js": PackageResources.dom_js,
    "devices.js": PackageResources.devices_js,
    "wire.js": PackageResources.wire_js,
    "panels.js": PackageResources.panels_js,
  ]

  /// A file; nil where there is none of that name.
  subscript(path: String) -> Page? {
    let name = String(path.drop { $0 == "/" })
    guard Self.builtIn[name] != nil, let bytes = bytes(name) else { return nil }
    let ending = name.split(separator: ".").last.map(String.init) ?? ""
    return Page(bytes, type: Self.types[ending] ?? "text/plain; charset=utf-8")
  }

  /// The page, which knows of which build it is.
  var index: Page {
    let text = String(decoding: bytes("index.html") ?? [], as: UTF8.self)
    let page = text.split(separator: "{{BUILD}}", omittingEmptySubsequences: false)
    return Page(Array(page.joined(separator: build).utf8), type: Self.types["html"]!)
  }

  private func bytes(_ name: String) -> [UInt8]? {
    read.map { $0(name) } ?? Self.builtIn[name]
  }

  /// A digest of the files.
  var build: String {
    var digest = SHA256()
    for name in Self.builtIn.keys.sorted() {
      (bytes(name) ?? []).withUnsafeBytes { digest.update($0) }
    }
    return digest.hex
  }
}
