import CUV
import Dispatch
import Foundation
import Glibc
import Synchronization
import Testing

@testable import EventLoop

extension EventLoopSuite {
  /// A process that has no descriptor left. Each in a process of its own, as the limit is the
  /// process's.
  @Suite struct Descriptors {
    @Test func theLastOneIsKeptFreeAndTheRestTurnedAway() async {
      await #expect(processExitsWith: .success) {
        try withLoop { loop in
          let door = try Door(loop: loop, clients: 10)
          leaveDescriptors(4)
          try door.runUntilQuiet()
          // Another thread of the process may have a descriptor open for a moment: then libuv turns
          // some away on its own, and tells no one.
          #expect((1...3).contains(door.accepted.count))
          #expect((1...9).contains(door.acceptor.errors.count))
          #expect(door.acceptor.errors.allSatisfy { $0.name == "EMFILE" })
          #expect(door.client.events.filter { $0 == "end" }.count == 10 - door.accepted.count)
          try door.expectItOpensAgain()
        }
      }
    }

    @Test func noneAtAll() async {
      await #expect(processExitsWith: .success) {
        try withLoop { loop in
          let door = try Door(loop: loop, clients: 10)
          leaveDescriptors(0)
          try door.runUntilQuiet()
          // libuv turns them away and tells no one, but for what another thread closes meanwhile.
          #expect(door.accepted.count <= 2)
          #expect(door.client.events.filter { $0 == "end" }.count == 10 - door.accepted.count)
          leaveDescriptors(4)
          try door.expectItOpensAgain()
        }
      }
    }

    @Test func noneAtAllAndLibuvHasLostItsOwn() async {
      await #expect(processExitsWith: .success) {
        try withLoop { loop in
          let door = try Door(loop: loop, clients: 10)
          door.leaveNone()
          try door.runUntilQuiet()
          #expect(door.accepted.count <= 2)
          #expect(door.acceptor.errors.first?.name == "EMFILE")
          #expect(door.acceptor.errors.allSatisfy { $0.name == "EMFILE" })
          #expect(door.client.events.filter { $0 == "end" }.count == 10 - door.accepted.count)
          leaveDescriptors(8)
          try door.expectItOpensAgain()
        }
      }
    }

    /// What libuv gives back, another thread may have taken before libuv takes it again.
    @Test func noneAtAllAndOtherThreadsTakeWhatIsGivenBack() async {
      await #expect(processExitsWith: .success) {
        try withLoop { loop in
          let door = try Door(loop: loop, clients: 10)
          door.leaveNone()
          let takers = [20, 200, 3_000].map { Taker(microseconds: $0) }
          try door.runUntilQuiet()
          for taker in takers { taker.stop() }
          #expect(door.acceptor.errors.allSatisfy { $0.name == "EMFILE" })
          #expect(door.client.events.filter { $0 == "end" }.count == 10 - door.accepted.count)
          leaveDescriptors(8)
          try door.expectItOpensAgain()
        }
      }
    }
  }
}

/// A thread that takes a descriptor and gives it back, over and over.
private final class Taker: Sendable {
  private let isStopping = Mutex(false)
  private let hasEnded = DispatchSemaphore(value: 0)

  init(microseconds: UInt32) {
    Thread.detachNewThread { [self] in
      while !isStopping.withLock({ $0 }) {
        let descriptor = dup(0)
        usleep(microseconds)
        if descriptor >= 0 { Glibc.close(descriptor) }
        usleep(microseconds / 4)
      }
      hasEnded.signal()
    }
  }

  func stop() {
    isStopping.withLock { $0 = true }
    hasEnded.wait()
  }
}

/// A listener with clients waiting in its backlog.
private final class Door {
  let loop: EventLoop
  let client = Peer()
  let server = Peer()
  private(set) var accepted: [TCPConnection] = []
  private(set) var acceptor = Acceptor { _, _ in }
  private var connections: [TCPConnection] = []
  private let listener: TCPListener

  init(loop: EventLoop, clients: Int) throws {
    self.loop = loop
    listener = try TCPListener(loop: loop, host: "127.0.0.1", port: 0, handler: acceptor)
    acceptor.onAccept = { [unowned self] _, connection in
      accepted.append(connection)
      connection.handler = server
      connection.read()
    }
    client.onOpen = { $0.read() }
    for _ in 0..<clients { try connect() }
  }

  /// Nobody has a descriptor left, and libuv not even the one that it holds back.
  func leaveNone() {
    Glibc.close(loop.pointer.pointee.emfile_fd)
    loop.pointer.pointee.emfile_fd = -1
    leaveDescriptors(0)
  }

  private func connect() throws {
    connections.append(
      try TCPConnection.connect(
        loop: loop, host: "127.0.0.1", port: listener.port, handler: client))
  }

  /// Runs until nothing happens any more, and sees to it that the loop sleeps then.
  func runUntilQuiet() throws {
    var turns: [UInt64] = []
    func waitForAll() {
      // However busy the machine is: first each client has been let in or turned away.
      let over = client.events.filter { $0 == "end" || $0 == "fail" }.count
      guard accepted.count + over == connections.count else {
        return after(20, on: loop, waitForAll)
      }
      // Then what that has set off.
      after(300, on: loop) {
        turns.append(self.loop.turn)
        after(200, on: self.loop) {
          turns.append(self.loop.turn)
          self.loop.stop()
        }
      }
    }
    after(20, on: loop, waitForAll)
    try loop.run()
    #expect(turns.count == 2 && turns[1] - turns[0] <= 3)
  }

  /// Lets everyone go and has a new client in.
  func expectItOpensAgain() throws {
    for connection in accepted + connections { connection.close() }
    accepted = []
    let failures = acceptor.errors.count
    acceptor.onAccept = { [unowned self] listener, connection in
      accepted.append(connection)
      connection.close()
      listener.close()
    }
    after(20, on: loop) { #expect(throws: Never.self) { try self.connect() } }
    try loop.run()
    #expect(accepted.count == 1)
    #expect(acceptor.errors.count == failures)
    #expect(client.events.last == "close")
  }
}

/// Lowers or raises the process's limit so that it can open just `count` more descriptors.
private func leaveDescriptors(_ count: Int) {
  var limit = rlimit()
  getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  let highest = (0..<Int32(4_096)).last { fcntl($0, F_GETFD) >= 0 } ?? 2
  limit.rlim_cur = rlim_t(highest) + 1
  setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  // Fills the gaps below.
  while dup(0) >= 0 {}
  limit.rlim_cur += rlim_t(count)
  setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}
