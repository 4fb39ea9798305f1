internal import CWebSockets

/// What pages and WebSockets are asked.
package protocol PageHandler: AnyObject {
  func page(_ request: PageRequest) -> Page
  func mayOpen(query: String, origin: String, host: String) -> Bool
  func opened(_ client: UInt64)
  func received(_ message: [UInt8], from client: UInt64)
  func closed(_ client: UInt64)
  /// Some time has passed.
  ///
  /// - Returns: whether to go on.
  func passed() -> Bool
}

/// What a page is asked for with.
package struct PageRequest {
  package let path: String
  /// What follows `?`.
  package let query: String
  /// The header of that name; empty where there is none.
  package let host: String
  /// The same.
  package let authorization: String
}

package struct Page {
  package var status: Int32 = 200
  package var type = "text/plain; charset=utf-8"
  package var bytes: [UInt8]

  package init(_ bytes: [UInt8], type: String) {
    self.bytes = bytes
    self.type = type
  }

  /// A sentence in the place of a page.
  package init(_ status: Int32, _ text: String) {
    self.status = status
    bytes = Array("\(text)\n".utf8)
  }
}

/// Pages and WebSockets at one port of this machine, on the thread that serves them.
package final class Pages {
  private let server: OpaquePointer
  private let bridge: Bridge
  package let port: Int

  /// What the C side calls.
  private final class Bridge {
    unowned let handler: any PageHandler
    /// The last page that was asked for: it is copied before the next one is.
    private var bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var type = UnsafeMutableBufferPointer<CChar>(start: nil, count: 0)

    init(_ handler: any PageHandler) { self.handler = handler }

    func keep(_ page: Page) -> watchline_page {
      forget()
      bytes = .allocate(byteCount: page.bytes.count, alignment: 1)
      bytes.copyBytes(from: page.bytes)
      type = .allocate(capacity: page.type.utf8CString.count)
      _ = type.initialize(from: page.type.utf8CString)
      return watchline_page(
        status: page.status, type: UnsafePointer(type.baseAddress),
        bytes: UnsafeRawPointer(bytes.baseAddress), length: bytes.count)
    }

    private func forget() {
      bytes.deallocate()
      type.deallocate()
    }

    deinit { forget() }

    static func of(_ context: UnsafeMutableRawPointer?) -> Bridge {
      Unmanaged<Bridge>.fromOpaque(context!).takeUnretainedValue()
    }
  }

  /// - Parameter port: 0 for any that is free.
  /// - Returns: nil where the address cannot be listened at.
  package init?(_ address: String, port: Int, _ handler: any PageHandler) {
    let bridge = Bridge(handler)
    var calls = watchline_page_handler()
    calls.context = Unmanaged.passUnretained(bridge).toOpaque()
    calls.page = { context, path, query, host, authorization in
      let bridge = Bridge.of(context)
      let request = PageRequest(
        path: String(cString: path!), query: String(cString: query!), host: String(cString: host!),
        authorization: String(cString: authorization!))
      return bridge.keep(bridge.handler.page(request))
    }
    calls.may_open = { context, query, origin, host in
      Bridge.of(context).handler.mayOpen(
        query: String(cString: query!), origin: String(cString: origin!),
        host: String(cString: host!)) ? 1 : 0
    }
    calls.opened = { context, client in Bridge.of(context).handler.opened(client) }
    calls.received = { context, client, bytes, length in
      let message = Array(UnsafeRawBufferPointer(start: bytes, count: length))
      Bridge.of(context).handler.received(message, from: client)
    }
    calls.closed = { context, client in Bridge.of(context).handler.closed(client) }
    calls.passed = { context in Bridge.of(context).handler.passed() ? 1 : 0 }
    guard let server = watchline_pages_open(address, Int32(port), &calls) else { return nil }
    self.server = server
    self.bridge = bridge
    self.port = Int(watchline_pages_port(server))
  }

  package func send(_ message: [UInt8], to client: UInt64) {
    message.withUnsafeBytes { watchline_pages_send(server, client, $0.baseAddress, $0.count) }
  }

  /// Serves until the handler does not want to go on.
  ///
  /// - Parameter milliseconds: how often it is told that time passes.
  package func serve(every milliseconds: Int) { watchline_pages_serve(server, Int32(milliseconds)) }

  deinit { watchline_pages_close(server) }
}
