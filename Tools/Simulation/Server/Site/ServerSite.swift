/// The server of a run, wherever it is: in memory, or a process behind sockets.
///
/// Times are milliseconds since 1970 on the server's clock.
package protocol ServerSite: AnyObject {
  var now: Int64 { get }
  /// What the system's clock of the server's machine shows, and what the server takes for the date;
  /// nil where that is not known.
  var clocks: (system: Int64, server: Int64)? { get }
  /// The pair of the run's devices.
  var pair: String { get }
  /// The name of the server's store, where it is known before it is told.
  var store: String? { get }
  /// A process of its own, with real time: what it does between two calls is its own affair.
  var isReal: Bool { get }
  /// What was found wrong with the server itself, such as that it is gone; nothing else makes sense
  /// afterwards.
  var fault: Finding? { get }
  /// The server's own complaint of something that must not be, where there is one.
  var complaint: String? { get }
  /// The disk fails.
  var isFailing: Bool { get }
  /// Batches that are on their way to the disk, as far as that can be known.
  var uncommitted: Int { get }

  /// The names of several servers; empty where there is one.
  var servers: [String] { get }
  /// The one of them that owns the shard, as far as anybody can say.
  var owner: String? { get }

  func open(_ name: String) -> any ServerLink
  /// - Parameter server: the server to connect to, where there are several.
  func open(_ name: String, at server: String?) -> any ServerLink
  /// What can happen by itself happens.
  func settle()
  /// Waits until the server has said all that it has to say to what it was sent.
  func waitForAnswers(on links: [any ServerLink])
  /// The clock goes on to a time; never back.
  func advance(to time: Int64)
  /// The same, and the server's machine sleeps meanwhile.
  ///
  /// - Returns: false where it cannot.
  func sleep(until time: Int64) -> Bool
  /// From now on the system's clock of the server's machine is so many milliseconds ahead.
  ///
  /// - Returns: false where it cannot be set.
  func stepClock(ahead: Int64) -> Bool
  /// The disk has so many more batches.
  ///
  /// - Returns: false where there was none.
  func commit(_ count: Int) -> Bool
  /// What happens to one device's network.
  ///
  /// - Returns: false where it makes no sense here.
  func network(_ event: TraceEvent, _ link: any ServerLink) -> Bool

  /// What happens to one of several servers, or to their log.
  ///
  /// - Returns: false where there is one server, or it makes no sense.
  func performs(_ event: TraceEvent) -> Bool

  /// The process is killed and starts again.
  ///
  /// - Parameter written: so many batches that nobody was told of are on the disk all the same.
  func kill(written: Int) throws
  /// The process ends in order and starts again.
  func restart() throws
  func fail()
  func recover()
  /// Reads of pairs that had left the memory fail, or wait; both until they are to work again.
  ///
  /// - Returns: false where that cannot be.
  func setPairReads(fail: Bool, wait: Bool) -> Bool

  /// From now on nothing goes wrong any more.
  func heal()
  /// The end waits for something for the `round`th time.
  func rest(_ round: Int)
  /// Everybody has left: what the server still holds that it should not; nil where there is nothing, or nobody
  /// can tell.
  func leftovers() -> String?
  /// Counts what was rare.
  func note(_ coverage: inout Coverage)
}

/// A device's connection to the server.
package protocol ServerLink: AnyObject {
  /// It is gone, by whichever side; what had come before can still be read.
  var isClosed: Bool { get }
  /// The server is known to have no use for it any more either.
  var isOver: Bool { get }
  /// There is something that the device has not read.
  var hasInput: Bool { get }

  func send(_ bytes: [UInt8])
  /// The device reads so many bytes, all where nil.
  ///
  /// - Returns: the lines that are whole by then, without LF.
  func read(_ count: Int?) -> [[UInt8]]
  /// The device is gone, with what was on its way.
  func close()
}

extension ServerSite {
  package var clocks: (system: Int64, server: Int64)? { nil }
  package var servers: [String] { [] }
  package var owner: String? { nil }
  package func open(_ name: String, at server: String?) -> any ServerLink { open(name) }
  package func performs(_ event: TraceEvent) -> Bool { false }
  package func sleep(until time: Int64) -> Bool { false }
  package func stepClock(ahead: Int64) -> Bool { false }
  package func setPairReads(fail: Bool, wait: Bool) -> Bool { false }
  package func leftovers() -> String? { nil }
  package func note(_ coverage: inout Coverage) {}
}

extension ServerLink {
  package var isOver: Bool { false }
}

/// Where schedules are run on a real server.
package protocol ServerTarget: AnyObject {
  /// The faults that can be drawn for it.
  var faults: Set<Fault> { get }
  /// What cannot take place there, whatever a schedule says.
  var impossible: Set<TraceEvent.Verb> { get }
  /// The last lines of the server's standard error.
  var complaints: [String] { get }

  /// The server, for one run with a pair of its own.
  ///
  /// - Throws: where it is not there.
  func site(_ trace: Trace) throws(HarnessFailure) -> any ServerSite
}
