import Relay
import Wire

/// SIGHUP: the files that the command line names are read again. What they say takes the place of what
/// they said, or nothing changes and the log has the reason.
extension Server {
  func reload() {
    guard !isStopping else { return }
    do throws(StartError) {
      let schemas = try SchemaFiles.read(options.schemas)
      do throws(WireError) {
        let changes = try relay.takeSchemas(schemas)
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
}
