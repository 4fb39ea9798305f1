import AppModels
import EventLoop
import Hub
import Relay
import Wire

/// The files that the command line names are read again: all of them at SIGHUP, and the tokens also when
/// their file has changed. What a file says takes the place of what it said, or nothing changes and the log
/// has the reason.
extension Server {
  func reload() {
    guard !isStopping else { return }
    reloadSchemas()
    reloadTokens()
    reloadCertificate()
  }

  /// Connections that there are keep what they were accepted with.
  private func reloadCertificate() {
    guard tls != nil else { return }
    do throws(StartError) {
      tls = try readCertificate()
      log.write(.info, "event=certificateReloaded")
    } catch {
      log.write(.error, "event=certificateRefused error=\(error.message.quoted)")
    }
  }

  private func reloadSchemas() {
    do throws(StartError) {
      let schemas = try SchemaFiles.read(options.schemas)
      do throws(WireError) {
        // All of them or none. They have the same ones, and so the same changes.
        var changes: [SchemaChange] = []
        takeShardNews()
        for site in sites { changes = try Hubs.of(site.relay)!.changes(to: schemas) }
        relayOptions.hubs = Hubs.keeping(schemas, codecs: ShippedSchemas.codecs)
        // A shard's relay that was made just now has the ones before.
        takeShardNews()
        for site in sites { try Hubs.of(site.relay)!.takeSchemas(schemas) }
        for change in changes {
          log.write(.info, "event=schema name=\(change.name) is=\(change.kind.rawValue)")
        }
        log.write(.info, "event=reloaded files=\(options.schemas.count) changes=\(changes.count)")
      } catch {
        throw StartError(error.message)
      }
    } catch {
      log.write(.error, "event=reloadRefused error=\(error.message.quoted)")
    }
  }

  // MARK: Tokens

  /// Microseconds between two looks at the file: a token that is taken out of it is refused within a second.
  private static let tokenInterval: Int64 = 500_000

  func watchTokens() {
    if tokens != nil { tokenTimer.start(after: Self.tokenInterval) }
  }

  func tokensMayHaveChanged() {
    if tokens?.hasChanged == true, !isStopping { reloadTokens() }
    watchTokens()
  }

  private func reloadTokens() {
    guard var source = tokens else { return }
    do throws(StartError) {
      defer { tokens = source }
      let access = try source.read()
      relayOptions.access = access
      takeShardNews()
      for site in sites { site.relay.takeAccess(access, now: now) }
      log.write(.info, "event=tokensReloaded tokens=\(access.count)")
    } catch {
      log.write(.error, "event=tokensRefused error=\(error.message.quoted)")
    }
  }
}
