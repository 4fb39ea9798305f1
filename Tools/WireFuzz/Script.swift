internal import Wire

/// A run as a file: its setting, then each step, a line each.
package struct Script {
  package var setting: Setting
  package var steps: [Step]

  package init(_ setting: Setting, _ steps: [Step]) {
    self.setting = setting
    self.steps = steps
  }

  /// - Returns: nil where the first line is no setting or another one is no step. A last line without LF
  ///   is passed over: its writer ended in it.
  package init?(_ text: [UInt8]) {
    var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast().map(
      Array.init)
    guard !lines.isEmpty, let head = JSON(line: lines.removeFirst()), let setting = Setting(head)
    else { return nil }
    var steps: [Step] = []
    for line in lines where !line.isEmpty {
      guard let json = JSON(line: line), let step = Step(json) else { return nil }
      steps.append(step)
    }
    self.init(setting, steps)
  }

  package var bytes: [UInt8] {
    ([setting.json] + steps.map(\.json)).flatMap { $0.bytes + [0x0A] }
  }

  /// How many lines are sent.
  package var lines: Int {
    steps.reduce(0) { sum, step in
      guard case .send(_, let bytes) = step else { return sum }
      return sum + bytes.count { $0 == 0x0A }
    }
  }

  /// What tells findings apart: the type of the last line that was sent.
  package var kind: String {
    for case .send(_, let bytes) in steps.reversed() {
      if let type = JSON(line: bytes)?["type"]?.text { return type }
      let word = bytes.prefix { $0 != 0x20 && $0 != 0x0A }
      return String(decoding: word.prefix(40), as: UTF8.self)
    }
    return ""
  }

  /// For a person: how the server is started, and what is typed at which connection.
  package var told: [String] {
    var server = "watchline-server --data :memory:"
    if setting.hasManualClock { server += " --clock manual" }
    if !setting.limits.isEmpty {
      let limits = setting.limits.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      server += " --limits \(limits.joined(separator: ","))"
    }
    if setting.schema != nil {
      server += " --schema FILE  (the schema is in the first line of the file)"
    }
    return [server]
      + steps.map { step in
        if case .send(let name, let bytes) = step, case .object(let members) = step.json,
          let text = members.last?.value.text
        {
          return members.last?.name == "send"
            ? "\(name)> \(text)" : "\(name)> (\(bytes.count) bytes, in base64) \(text)"
        }
        return String(decoding: step.json.bytes, as: UTF8.self)
      }
  }
}
