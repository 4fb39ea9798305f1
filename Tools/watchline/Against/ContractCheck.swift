internal import Merge
internal import Simulation

/// `--check`: one edit, one exchange and one state by a fixed schedule, each line shown, and what is
/// missing said.
struct ContractCheck {
  private let merge: ProgramMerge
  private let record = Name("00000001-0000-4000-8000-000000000000")
  private let fields =
    ##"{"name":"Tea","durationInSeconds":300,"icon":"timer","colorHex":"#007AFF"}"##

  init(_ options: ProgramOptions) {
    merge = ProgramMerge(
      CommandProgram(options.command, answerLimit: options.answerLimit),
      isProcessPerDevice: options.isProcessPerDevice)
  }

  /// - Returns: the exit status: 0 fine, 1 where something is missing, 2 where the program cannot be
  ///   started.
  func run() -> Int32 {
    do throws(MergeFailure) {
      let missing = try play()
      for line in merge.transcript { print(line) }
      for line in missing { print("missing: \(line)") }
      return missing.isEmpty ? 0 : 1
    } catch {
      for line in merge.transcript { print(line) }
      switch error {
      case .fault(let finding):
        print("missing: \(finding.headline)")
        for line in finding.story { print("  \(line)") }
        return 1
      case .unavailable(let reason):
        complain(reason)
        return 2
      }
    }
  }

  private func play() throws(MergeFailure) -> [String] {
    var settings = ExchangeSettings()
    settings.keepsTranscript = true
    let devices = [
      Trace.Device("phone", isPhone: true), Trace.Device("watch", isPhone: false),
    ]
    let now: Int64 = 1_790_000_000_000
    let started = try merge.start(devices, settings, random: 1)
    let edit = Edit("timer", record, .create(fields: Array(fields.utf8)))
    let answer = try merge.edit(0, edit, now: now, since: nil)
    guard case .done(let sent) = answer else {
      return ["the create was not done; without creating nothing can be tried"]
    }
    if started.sync == .state {
      let body = try merge.snapshot(0, to: 1, now: now + 100)
      _ = try merge.receive(1, from: 0, .context, body, now: now + 200)
    } else {
      if sent.isEmpty {
        return ["the create sent nothing; sync messages means that done carries what is sent"]
      }
      for dispatch in sent {
        _ = try merge.receive(1, from: 0, dispatch.lane, dispatch.body, now: now + 200)
      }
    }
    let shown = try merge.state(1, withKept: true)
    guard let record = shown[Target("timer", record)] else {
      return ["the watch does not show timer \(record) after it was handed the phone's"]
    }
    var missing: [String] = []
    for field in Spelling.fields(Array(fields.utf8)) where record[field.name] != field.value {
      let value = record[field.name].map { String(decoding: $0, as: UTF8.self) } ?? "nothing"
      missing.append(
        "the watch shows \(value) as \(field.name), not "
          + String(decoding: field.value, as: UTF8.self))
    }
    print(started.description())
    return missing
  }
}
