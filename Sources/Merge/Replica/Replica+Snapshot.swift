import Wire

extension Replica {
  /// The pieces of a snapshot at the present position, each canonical JSON: the chains' ends, then
  /// the fold.
  ///
  /// - Parameter hasLog: whether whoever reads it has the log from `base` on, too, and that has all operations after
  ///   the fold's base.
  package func snapshot(besideLog hasLog: Bool = false) -> [[UInt8]] {
    var chains: [Datum.Member] = []
    for replica in replicas {
      let chain = chain(replica)
      var members = [
        Datum.Member("hash", .string(Name(chain.hash.hexadecimal))),
        Datum.Member("seq", .string(Name(String(chain.seq)))),
      ]
      if let context = chain.context {
        members.append(Datum.Member("context", context.vector(of: replica).datum))
      }
      chains.append(Datum.Member(Name(replica.description), .sorted(members)))
    }
    return [Datum.sorted(chains).canonical] + fold.snapshot(besideLog: hasLog)
  }
}
