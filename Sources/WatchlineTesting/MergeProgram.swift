import Foundation
import WatchlineDevices

/// Lets `watchline fuzz` try the merge in an app: the program that calls this is what `--against command:` starts. It
/// returns at the end of the input.
///
/// ```swift
/// @main enum Main {
///   static func main() async { await merge(can: [.delete, .restart]) { TimerApp(in: $0.folder, clock: { $0.now }) } }
/// }
/// ```
///
/// - Parameters:
///   - abilities: what the app can do besides creating and setting; the rest is not tried.
///   - launch: makes the app's objects, on its device: `WCSession.default` is that device's. It is called for each device of
///     each schedule, and where an app is started again.
public func merge(
  can abilities: Set<MergeAbility> = [.delete],
  of launch: @escaping @Sendable (MergedDevice) -> any MergedApp
) async {
  let program = MergeProgram(abilities, launch)
  while let line = readLine(strippingNewline: true) {
    guard let request = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    else { continue }
    let answer = await program.answer(request, Array(line.utf8))
    FileHandle.standardOutput.write(answer.line(to: request["id"] as? Int ?? 0))
  }
  program.end()
}

/// A schedule's devices and their apps.
private final class MergeProgram {
  private final class Player {
    let device: MergedDevice
    let link: LinkDevice
    let app: Box

    init(_ device: MergedDevice, _ link: LinkDevice, _ app: Box) {
      self.device = device
      self.link = link
      self.app = app
    }
  }

  /// The running app.
  private final class Box: @unchecked Sendable { var app: (any MergedApp)? }

  private let abilities: Set<MergeAbility>
  private let launch: @Sendable (MergedDevice) -> any MergedApp
  private var merge = MergeLink()
  private var players: [String: Player] = [:]
  private var folder: URL?

  init(
    _ abilities: Set<MergeAbility>, _ launch: @escaping @Sendable (MergedDevice) -> any MergedApp
  ) {
    self.abilities = abilities
    self.launch = launch
  }

  func end() {
    if let folder { try? FileManager.default.removeItem(at: folder) }
  }

  func answer(_ request: [String: Any], _ line: [UInt8]) async -> MergeAnswer {
    let type = request["type"] as? String ?? ""
    guard type != "start" else { return await start(request) }
    guard let player = players[request["device"] as? String ?? ""] else {
      return .refused("there is no device \(request["device"] ?? "")")
    }
    if let now = request["now"] as? NSNumber { player.device.set(milliseconds: now.doubleValue) }
    switch type {
    case "edit": return await edit(request, player)
    case "receive":
      merge.receive(line, on: player.link.name, from: request["from"] as? String ?? "")
      return await done(player)
    case "undelivered":
      merge.undelivered(line, of: player.link.name)
      return await done(player)
    case "reachability":
      merge.setReachable(
        request["reachable"] as? Bool ?? false, request["to"] as? String ?? "",
        of: player.link.name)
      return await done(player)
    case "restart":
      player.link.kill()
      player.app.app = nil
      player.link.launch()
      return await done(player)
    case "state":
      return .state(await player.app.app?.records() ?? [:])
    default: return .unsupported
    }
  }

  private func start(_ request: [String: Any]) async -> MergeAnswer {
    end()
    merge = MergeLink()
    players = [:]
    let place = FileManager.default.temporaryDirectory.appendingPathComponent(
      "watchline-merge-\(UUID().uuidString)")
    folder = place
    for device in request["devices"] as? [[String: Any]] ?? [] {
      let name = device["device"] as? String ?? ""
      let isPhone = device["role"] as? String == "phone"
      let own = place.appendingPathComponent(name)
      try? FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
      let (merged, box) = (MergedDevice(name, isPhone: isPhone, own), Box())
      let link = merge.add(name, isPhone: isPhone)
      players[name] = Player(merged, link, box)
      link.setLaunch { [launch] in
        let app = launch(merged)
        box.app = app
        return app
      }
    }
    for player in players.values.sorted(by: { $0.device.name < $1.device.name }) {
      await settle(player)
      // Whoever begins has nothing to say that could matter to anybody.
      _ = merge.takeSent(by: player.link.name)
    }
    return .started(abilities)
  }

  private func edit(_ request: [String: Any], _ player: Player) async -> MergeAnswer {
    guard let edit = MergeEdit(request), let app = player.app.app else {
      return .unsupported
    }
    do {
      try await player.link.run { try await app.perform(edit) }
    } catch is MergeEditUnsupported {
      return .unsupported
    } catch {
      return .refused("\(error)")
    }
    return await done(player)
  }

  /// What the device sends after something has happened to it.
  private func done(_ player: Player) async -> MergeAnswer {
    await settle(player)
    return .done(merge.takeSent(by: player.link.name))
  }

  private func settle(_ player: Player) async {
    repeat {
      await merge.settle()
      await player.app.app?.settle()
    } while merge.hasEvents
  }
}

/// What a program answers.
private enum MergeAnswer {
  case started(Set<MergeAbility>)
  case done([MergeCarrier.Parcel])
  case refused(String)
  case unsupported
  case state([String: [[String: Any]]])

  func line(to id: Int) -> Data {
    var members: [String: Any] = ["re": id]
    switch self {
    case .started(let abilities):
      members["type"] = "started"
      members["sync"] = "messages"
      members["can"] = abilities.map(\.rawValue).sorted()
    case .refused(let message): (members["type"], members["message"]) = ("refused", message)
    case .unsupported: members["type"] = "unsupported"
    case .state(let records): (members["type"], members["records"]) = ("state", records)
    case .done(let parcels):
      // Bodies go as they are: numbers keep their spelling.
      let sends = parcels.map { parcel in
        let to = parcel.to.map { ",\"to\":\(quoted($0))" } ?? ""
        return
          "{\"lane\":\"\(parcel.lane)\",\"body\":\(String(decoding: parcel.body, as: UTF8.self))\(to)}"
      }
      return Data(
        "{\"type\":\"done\",\"re\":\(id),\"send\":[\(sends.joined(separator: ","))]}\n".utf8)
    }
    let data = try? JSONSerialization.data(withJSONObject: members, options: [.sortedKeys])
    return (data ?? Data("{\"type\":\"unsupported\",\"re\":\(id)}".utf8)) + [0x0A]
  }
}

extension MergeEdit {
  fileprivate init?(_ request: [String: Any]) {
    guard let kind = request["kind"] as? String, let record = request["record"] as? String else {
      return nil
    }
    let change: Change
    if let fields = request["create"] as? [String: Any] {
      change = .create(fields)
    } else if let fields = request["set"] as? [String: Any] {
      change = .set(fields)
    } else if request["delete"] != nil {
      change = .delete
    } else if let move = request["move"] as? [String: Any] {
      change = .move(after: move["after"] as? String)
    } else if let splice = request["splice"] as? [String: Any] {
      change = .splice(
        field: splice["field"] as? String ?? "", at: splice["at"] as? Int ?? 0,
        remove: splice["remove"] as? Int ?? 0, insert: splice["insert"] as? String ?? "",
        result: splice["result"] as? String ?? "")
    } else {
      return nil
    }
    self.init(kind: kind, record: record, change: change)
  }
}
