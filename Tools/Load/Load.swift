/// Measures a server.
package enum Load {
  /// Runs one workload to its end.
  ///
  /// - Parameters:
  ///   - places: where the server listens; of several servers that share pairs, where each does: connections go to
  ///     them in turn.
  ///   - server: its process, where it is on this machine and known.
  ///   - version: of this program.
  ///   - forgets: whether the server is to forget the run's pairs at the end; what stands in the way is told.
  /// - Throws: where the server cannot be looked up, or no more files can be opened; all that goes
  ///   wrong after that is in the result.
  package static func measure(
    _ options: LoadOptions, at places: [(host: String, port: Int)], server: ServerProcess?,
    version: String,
    watch: LoadRun.Watch = LoadRun.Watch(), forgets: ((String) -> Void)? = nil
  ) throws(LoadFailure) -> LoadResult {
    let kind: LoadRun.Type =
      switch options.workload {
      case .message: MessageRun.self
      case .transfer: TransferRun.self
      case .backlog: BacklogRun.self
      case .sync: SyncRun.self
      case .connect: ConnectRun.self
      }
    try allowConnections(options)
    var addresses: [Address] = []
    for place in places { addresses.append(try Address(host: place.host, port: place.port)) }
    let run = try kind.init(options, at: addresses, server: server, watch: watch)
    let result = run.measure(version: version)
    run.close()
    if let forgets, run.serverVersion != nil {
      let forgetting = try ForgetRun(
        options, at: addresses, server: nil, watch: LoadRun.Watch(), mark: run.mark)
      do throws(LoadFailure) {
        try forgetting.perform()
      } catch {
        // What ended the run is said already, and is what stands in the way here.
        guard case .complete = result.ending else { return result }
        forgets("the server still knows the pairs \(run.mark)-…: \(error.description)")
      }
    }
    return result
  }

  /// Lets this program, and a server that it starts after this, open as many connections as a run has.
  package static func allowConnections(_ options: LoadOptions) throws(LoadFailure) {
    try Descriptors.allow(connections: options.pairs * 2)
  }

  /// Whether an address is one of this machine's: where it is not, /proc says nothing of the server.
  package static func isLocal(host: String, port: Int) -> Bool {
    guard let address = try? Address(host: host, port: port) else { return false }
    return address.isLocal
  }
}
