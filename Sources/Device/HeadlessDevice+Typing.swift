package import AppModels
import Merge
import Wire

/// What a person types at the device.
extension HeadlessDevice {
  /// What the device knows on every screen.
  private static let ownCommands = [
    Command("help", "", "list what can be typed on this screen"),
    Command("look", "", "show the screen"),
    Command("offline", "", "switch the connection off; edits wait"),
    Command("online", "", "switch the connection on again"),
    Command("kill", "", "end the app without warning and start it again"),
    Command("quit", "", "switch the device off"),
  ]

  /// Everything that can be typed now.
  package var commands: [Command] {
    let offered = app.commands
    return offered
      + (Self.ownCommands + hostCommands).filter { own in
        !offered.contains { $0.word == own.word }
      }
  }

  /// Does what was typed.
  package func type(_ text: String, now: Int64) {
    sync.clock = now
    let line = CommandLine(text)
    do throws(WireError) {
      if !line.rest.isEmpty, commands.first(where: { $0.word == line.word })?.arguments == "" {
        throw WireError(.invalidField, "\(line.word) stands alone, without \(line.rest.quoted)")
      }
      if app.commands.contains(where: { $0.word == line.word }) {
        try app.perform(line, now: now)
      } else if !(try perform(line, now: now)) {
        // The app may know more words than it lists, and has the better answer to others.
        try app.perform(line, now: now)
      }
    } catch {
      tell(.error(error.message))
    }
    finish(now: now)
  }

  /// - Returns: false where it is none of the device's own words.
  private func perform(_ line: CommandLine, now: Int64) throws(WireError) -> Bool {
    switch line.word {
    case "", "look": break
    case "help": tell(.page(help))
    case "offline": wantsConnection = false
    case "online":
      wantsConnection = true
      status.error = nil
    case "kill":
      try relaunch(now: now)
      tell(.info("the app was killed and started again"))
    case "quit": isDone = true
    default: return false
    }
    return true
  }

  /// All records, a line each.
  package var backup: [[UInt8]] { Records(sync).backup.map(\.canonical) }

  /// Makes the records of a backup that are not there, and tells what became of it.
  package func restore(backup lines: [[UInt8]], now: Int64) {
    sync.clock = now
    do throws(WireError) {
      let restored = try Records(sync).restore(lines, now: now)
      app.recordsDidChange(now: now)
      tell(.info("\(restored.made) restored, \(restored.present) there already"))
      for (line, error) in restored.refused {
        tell(.error("line \(line) of the backup: \(error.message)"))
      }
    } catch {
      tell(.error(error.message))
    }
    finish(now: now)
  }

  private var help: [String] {
    let usages = commands.map { $0.arguments.isEmpty ? $0.word : "\($0.word) \($0.arguments)" }
    let width = usages.map(\.columns).max() ?? 0
    return zip(usages, commands).map { usage, command in
      "  \(usage)\(String(repeating: " ", count: width - usage.columns + 2))\(command.summary)"
    }
  }
}
