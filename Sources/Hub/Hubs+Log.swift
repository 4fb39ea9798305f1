import Merge
package import Relay
import Wire

/// What devices are sent of a hub's log: what they lack, in its order, as far as it is synced. Who
/// edits here is told what has changed.
extension Hubs {
  /// Bytes of operations in one line at most, unless one alone has more.
  private static let lineOfOperations = 64 << 10
  /// Records that one device has changed in one line at most, unless one operation alone has more.
  private static let lineOfChanges = 256

  package func drained(_ device: Device) { sendLog(device) }

  /// Sends as much as the device's connection takes.
  func sendLog(_ device: Device) {
    guard let session = device.sync, session.isOpen, let connection = device.connection,
      !connection.isActivating
    else { return }
    let hub = session.hub
    // It is sent then.
    guard !hub.isCollecting else { return }
    while connection.waiting < limits.waitingOutput, !connection.isClosed {
      if session.snapshot != nil {
        // It may have operations that are not synced yet.
        guard session.snapshot!.position <= hub.committed else { break }
        sendPiece(session, connection)
      } else if session.cursor < hub.committed {
        if let replica = session.replica {
          sendOperations(session, replica, connection)
        } else {
          tellChanges(session, device, connection)
        }
      } else {
        break
      }
    }
  }

  private func sendPiece(_ session: SyncSession, _ connection: Connection) {
    let snapshot = session.snapshot!
    let isLast = snapshot.next + 1 == snapshot.pieces.count
    relay.answer(connection) { output in
      output.append("{\"type\":\"sync.snapshot\"")
      Self.append(session.hub, at: snapshot.position, &output)
      output.append(",\"index\":")
      output.append(decimal: snapshot.next)
      output.append(",\"piece\":")
      output += snapshot.pieces[snapshot.next]
      output.append(isLast ? ",\"last\":true}" : "}")
    }
    session.snapshot!.advance()
    if isLast { session.snapshot = nil }
    connection.yetToSend = session.snapshot?.bytes ?? 0
  }

  private func sendOperations(
    _ session: SyncSession, _ replica: ReplicaID, _ connection: Connection
  ) {
    let hub = session.hub
    let (log, base) = (hub.replica.log, hub.replica.base)
    var pieces: [ArraySlice<UInt8>] = []
    var size = 0
    var purge: Replica.Purge?
    while session.cursor < hub.committed, size < Self.lineOfOperations, purge == nil {
      session.cursor += 1
      switch log[Int(session.cursor - base) - 1] {
      case .operation(let written):
        let dot = written.operation.dot
        if session.held.contains(dot) || dot.replica == replica && dot.seq > session.ownHead {
          continue
        }
        pieces.append(written.bytes)
        size += written.bytes.count
      case .purge(let found): purge = found
      }
    }
    let position = purge == nil ? session.cursor : session.cursor - 1
    if !pieces.isEmpty {
      relay.answer(connection) { output in
        output.append("{\"type\":\"sync.ops\"")
        Self.append(hub, at: position, &output)
        output.append(",\"ops\":[")
        for index in pieces.indices {
          if index > 0 { output.append(0x2C) }
          pieces[index].withUnsafeBytes { output.append(bytes: $0) }
        }
        output.append("]}")
      }
    }
    if let purge { tell(purge, session, connection) }
  }

  private func tell(
    _ purge: Replica.Purge, _ session: SyncSession, _ connection: Connection
  ) {
    relay.answer(connection) { output in
      output.append("{\"type\":\"sync.purge\"")
      Self.append(session.hub, at: session.cursor, &output)
      Self.append(purge, &output)
      output.append("}")
    }
  }

  /// Tells one who edits here what others have changed: a line for each device that wrote.
  private func tellChanges(
    _ session: SyncSession, _ device: Device, _ connection: Connection
  ) {
    let hub = session.hub
    var changes: [(by: Device, targets: [Target], known: Set<Target>)] = []
    while session.cursor < hub.committed,
      !changes.contains(where: { $0.targets.count >= Self.lineOfChanges })
    {
      let entry = hub.replica.log[Int(session.cursor - hub.replica.base)]
      session.cursor += 1
      guard let operation = entry.operation?.operation,
        let author = hub.device(of: operation.dot.replica), author !== device
      else { continue }
      let index = changes.firstIndex { $0.by === author }
      if index == nil { changes.append((author, [], [])) }
      for action in operation.actions {
        let target = action.target
        let at = index ?? changes.count - 1
        if changes[at].known.insert(target).inserted { changes[at].targets.append(target) }
      }
    }
    for change in changes {
      relay.answer(connection) { output in
        output.append("{\"type\":\"sync.changed\"")
        Self.append(hub, at: session.cursor, &output)
        output.append(",\"by\":", quoted: change.by.name)
        output.append(",\"records\":[")
        for (index, target) in change.targets.enumerated() {
          if index > 0 { output.append(0x2C) }
          output += target.datum.canonical
        }
        output.append("]}")
      }
    }
  }
}
