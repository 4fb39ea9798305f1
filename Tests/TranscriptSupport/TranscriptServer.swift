/// A server as a transcript's runner sees it: in process, or a program behind TCP.
///
/// Connections go by number; the runner never uses one again that either side has closed.
package protocol TranscriptServer {
  /// Opens a connection and returns its number.
  mutating func open() throws -> Int
  mutating func send(_ bytes: [UInt8], on connection: Int) throws
  /// The next line without its LF; nil where none comes any more, or none in time.
  mutating func nextLine(on connection: Int) throws -> [UInt8]?
  /// Whether the server has closed the connection, with every line read.
  mutating func isClosed(_ connection: Int) throws -> Bool
  /// Ends the input of the connection; it is still read.
  mutating func end(_ connection: Int) throws
  mutating func close(_ connection: Int) throws
  /// Has the server end in good order and starts it again on its data.
  mutating func restart() throws
  /// Ends the server without notice and starts it again on its data.
  mutating func kill() throws
}
