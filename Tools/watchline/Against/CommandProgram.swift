internal import Simulation

/// A merge under test that is a shell command.
final class CommandProgram: MergeProgram {
  let command: String
  /// How long an answer may take, in milliseconds.
  private let answerLimit: Int64
  private var processes: [ChildProcess] = []
  private(set) var complaints: [String] = []

  /// How long the answer to `start` may take, in milliseconds.
  private static let startLimit: Int64 = 10_000
  /// How long it may take to end, in milliseconds.
  private static let endLimit: Int64 = 2000

  init(_ command: String, answerLimit: Int64) {
    self.command = command
    self.answerLimit = answerLimit
  }

  deinit { stop() }

  func start(_ count: Int) throws(MergeFailure) {
    if processes.count > count { stop() }
    while processes.count < count {
      do throws(FileFailure) {
        processes.append(try ChildProcess(command))
      } catch {
        throw .unavailable("\(command) cannot be started: \(error.message)")
      }
    }
  }

  func ask(
    _ line: [UInt8], of index: Int, isStart: Bool
  ) throws(ProgramFault) -> [UInt8] {
    let limit = isStart ? max(Self.startLimit, answerLimit) : answerLimit
    let process = processes[index]
    switch process.ask(line, within: limit) {
    case .line(let answer):
      guard !process.hasMore else {
        throw ProgramFault(.badAnswer, "It wrote more than the one line that it was asked for.")
      }
      return answer
    case .late(let rest):
      throw ProgramFault(
        .noAnswer, "No line came within \(limit) ms. It had written \(quoted(rest)).")
    case .tooLong:
      throw ProgramFault(
        .badAnswer, "Its line is longer than \(ChildProcess.longestLine >> 20) MiB.")
    case .ended(let rest):
      let status = process.end(within: Self.endLimit)
      if isStart, status == 127 || status == 126 {
        throw ProgramFault(.notStarted, "\(command) cannot be started")
      }
      let how =
        switch status {
        case nil: "closed its output and did not end"
        case let status? where status > 128: "was ended by signal \(status - 128)"
        case let status?: "ended with status \(status)"
        }
      throw ProgramFault(.ended, "It \(how). Its last bytes were \(quoted(rest)).")
    }
  }

  private func quoted(_ bytes: [UInt8]) -> String {
    bytes.isEmpty ? "none" : String(decoding: bytes.suffix(200), as: UTF8.self)
  }

  func stop() {
    if !processes.isEmpty { complaints = [] }
    for process in processes {
      process.end(within: Self.endLimit)
      complaints += process.complaints
    }
    complaints = complaints.suffix(ChildProcess.complaintLimit)
    processes = []
  }
}
