import EventLoop
import Journal
import Relay
import Storage
import Wire

/// Everything that can fail before anybody is served.
extension Server {
  /// The site of a server alone. What is read meanwhile goes with the return.
  static func openStore(
    _ options: Options, _ relayOptions: Relay.Options, _ log: Log, now: Int64,
    _ onNews: @escaping @Sendable () -> Void
  ) throws(StartError) -> Site {
    var storeOptions = storeOptions(options)
    storeOptions.acceptsLoss = options.acceptsLoss
    let store: Store
    let contents: Contents
    do throws(StoreError) {
      (store, contents) = try Store.open(
        options.data == ":memory:" ? .memory : .directory(options.data),
        newIdentity: randomName(), options: storeOptions, onWake: onNews)
    } catch {
      throw StartError(error.description)
    }
    do {
      let relay = try Relay(contents, options: relayOptions, now: now)
      tell(contents, log)
      return Site(relay, store, onDone: onNews)
    } catch {
      _ = store.close()
      throw StartError("\(options.data): \(error)")
    }
  }

  /// Of the store, or of each shard's.
  static func storeOptions(_ options: Options) -> StoreOptions {
    var storeOptions = StoreOptions.server
    storeOptions.rowsOfVersion1 = RowUpgrade.fromVersion1
    let bytes = options.limits.storeBytes
    storeOptions.quota =
      bytes > 0 ? .bytes(bytes / options.shards) : .disk(shares: options.shards)
    return storeOptions
  }

  private static func tell(_ contents: Contents, _ log: Log) {
    if let loss = contents.loss {
      log.write(.error, "event=lossAccepted store=\(contents.identity) loss=\(loss.quoted)")
    }
    if let damage = contents.leftOut {
      log.write(.info, "event=commitLeftOut cause=\(damage.quoted)")
    }
  }

  /// Nobody is served before the loop runs.
  func listen() throws(StartError) {
    let plain = try listen(options.host, options.port)
    listener = plain
    guard plain.isOnLoopback || options.allowsAnonymous || tokens != nil && options.isInsecure
    else {
      throw StartError(
        "\(plain.address) can be reached from other machines, and what is sent there is read on the "
          + "way, and by whoever is there; give --tls-listen with --tokens, or --insecure with "
          + "--tokens, or --allow-anonymous where anybody may be any device")
    }
    guard let wanted = options.secure else { return }
    tls = try readCertificate()
    let secure = try listen(wanted.host, wanted.port)
    secureListener = secure
    guard secure.isOnLoopback || options.allowsAnonymous || tokens != nil else {
      secure.close()
      throw StartError(
        "\(secure.address) can be reached from other machines, and whoever reaches it may be any "
          + "device of any pair; give --tokens FILE (see watchline token --help), or "
          + "--allow-anonymous where that is meant")
    }
  }

  func listen(_ host: String, _ port: Int) throws(StartError) -> TCPListener {
    do {
      return try TCPListener(loop: loop, host: host, port: port, handler: self)
    } catch {
      throw StartError("cannot listen on \(host):\(port): \(error.message)")
    }
  }
}
