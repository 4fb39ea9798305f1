import EventLoop
import Foundation
import Testing

extension EventLoopSuite {
  /// What the process is started with: here pipes and files of the test's.
  @Suite struct StandardStreamTests {
    private final class Reader: InputHandler {
      var text = ""
      var ends = 0
      var onEnd: () -> Void = {}

      func input(_ input: StandardInput, didRead bytes: UnsafeRawBufferPointer) {
        text += String(decoding: bytes, as: UTF8.self)
      }

      func inputDidEnd(_ input: StandardInput, error: UVError?) {
        #expect(error == nil)
        ends += 1
        input.close()
        onEnd()
      }
    }

    private func read(_ descriptor: Int32) throws -> Reader {
      let reader = Reader()
      try withLoop { loop in
        let input = try StandardInput(loop: loop, descriptor: descriptor, handler: reader)
        input.start()
        try loop.run()
        withExtendedLifetime(input) {}
      }
      return reader
    }

    @Test func aFileIsReadToItsEnd() throws {
      let path = NSTemporaryDirectory() + "/" + UUID().uuidString
      defer { try? FileManager.default.removeItem(atPath: path) }
      let text = String(repeating: "0123456789", count: 20_000)
      try text.write(toFile: path, atomically: false, encoding: .utf8)
      let file = try #require(FileHandle(forReadingAtPath: path))
      let reader = try read(file.fileDescriptor)
      #expect(reader.text == text)
      #expect(reader.ends == 1)
    }

    @Test func aDescriptorThatIsNotOpenIsAnInputWithoutContents() throws {
      // No process may open so many.
      #expect(try read(1_000_000_000).ends == 1)
    }

    @Test func aPipeIsLeftAsItWasFound() throws {
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      // libuv leaves 0 to 2 open alone, and closes others itself: it gets a copy.
      let copy = dup(ends[0])
      let before = fcntl(copy, F_GETFL)
      #expect(write(ends[1], "abc", 3) == 3)
      close(ends[1])
      #expect(try read(ends[0]).text == "abc")
      #expect(before & O_NONBLOCK == 0)
      #expect(fcntl(copy, F_GETFL) == before)
      close(copy)
    }

    @Test func outputLeavesInOrderWhileTheReaderSleeps() throws {
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      let (readEnd, writeEnd) = (ends[0], ends[1])
      defer { close(readEnd) }
      let expected = (0..<50_000).map { "\($0)\n" }.joined()
      nonisolated(unsafe) var received: [UInt8] = []
      let isRead = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        Thread.sleep(forTimeInterval: 0.05)
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = Glibc.read(readEnd, &buffer, buffer.count), count > 0 {
          received += buffer[..<count]
        }
        isRead.signal()
      }
      try withLoop { loop in
        let output = StandardOutput(loop: loop, descriptor: writeEnd)
        for number in 0..<50_000 { output.write(Array("\(number)\n".utf8)) }
        #expect(output.waitingBytes > 65_536)
        var drains = 0
        output.onDrain = { drains += 1 }
        try loop.run()
        #expect(drains == 1)
        #expect(output.waitingBytes == 0)
      }
      close(writeEnd)
      #expect(isRead.wait(timeout: .now() + 10) == .success)
      #expect(String(decoding: received, as: UTF8.self) == expected)
    }

    @Test func outputWithoutAReaderFails() throws {
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      close(ends[0])
      defer { close(ends[1]) }
      try withLoop { loop in
        let output = StandardOutput(loop: loop, descriptor: ends[1])
        var errors: [String] = []
        output.onFail = { errors.append($0.name) }
        output.write([0x61])
        try loop.run()
        output.write([0x62])
        #expect(errors == ["EPIPE"])
        #expect(output.waitingBytes == 0)
      }
    }

    @Test(arguments: [("a", 1), ("\u{301}", 0), ("漢", 2), ("😀", 2), ("å", 1), ("\u{85}", 0)])
    func charactersHaveAWidth(text: String, columns: Int) {
      #expect(terminalColumns(of: text.unicodeScalars.first!) == columns)
    }
  }
}
