/// What a finding leaves behind: a page, a text for the terminal, and files for programs.
///
/// Everything here is a function of these values; writing it to a disk is the caller's part.
package struct FindingReport: Sendable {
  package var finding: Finding
  /// Of the run that `trace` is of.
  package var recording: Recording
  /// The shortest run that shows the finding.
  package var trace: Trace
  /// How many schedules had been run when it was found, this one counted.
  package var schedules: Int
  /// The words that `watchline replay TRACE` needs behind it, such as `--against` and
  /// `command:./my-merge`; unquoted.
  package var arguments: [String]
  /// The folder that the files are put into, as the reader has to write it.
  package var folder: String
  /// The faults that could occur.
  package var faults: [Fault]
  /// The version of the program that found it.
  package var version: String
  /// nil where the run is as it was drawn.
  package var shrinking: Shrinking?
  /// The last lines that what is under test wrote to its standard error.
  package var errors: [String]
  /// Where the finding is that two runs of one schedule differed.
  package var difference: Difference?
  /// Where the trace was played again and nothing is written: the trace as it was given, a path or a word.
  package var played: String?

  /// How a run was made shorter.
  package struct Shrinking: Equatable, Sendable {
    /// Events before and after.
    package var from: Int
    package var to: Int
    /// How many runs it took.
    package var tries: Int

    package init(from: Int, to: Int, tries: Int) {
      self.from = from
      self.to = to
      self.tries = tries
    }
  }

  /// The first line in which two runs of the same schedule differ.
  package struct Difference: Equatable, Sendable {
    /// Counted from 1, in what the subject did.
    package var line: Int
    /// nil where that run had ended.
    package var first: String?
    package var second: String?

    package init(line: Int, first: String?, second: String?) {
      self.line = line
      self.first = first
      self.second = second
    }

    /// - Returns: nil where the runs are equal, scalar for scalar.
    package init?(_ first: [String], _ second: [String]) {
      let count = max(first.count, second.count)
      func line(_ lines: [String], _ index: Int) -> String? {
        index < lines.count ? lines[index] : nil
      }
      guard
        let index = (0..<count).first(where: {
          line(first, $0).map { Array($0.utf8) } != line(second, $0).map { Array($0.utf8) }
        })
      else { return nil }
      self.init(line: index + 1, first: line(first, index), second: line(second, index))
    }
  }

  package init(
    finding: Finding, recording: Recording, trace: Trace, schedules: Int, arguments: [String],
    folder: String, faults: [Fault], version: String, shrinking: Shrinking? = nil,
    errors: [String] = [], difference: Difference? = nil
  ) {
    self.finding = finding
    self.recording = recording
    self.trace = trace
    self.schedules = schedules
    self.arguments = arguments
    self.folder = folder
    self.faults = faults
    self.version = version
    self.shrinking = shrinking
    self.errors = errors
    self.difference = difference
  }
}

extension FindingReport {
  /// The files of the finding's folder. What is the same is the same byte for byte.
  package var files: [(name: String, bytes: [UInt8])] {
    [
      ("trace.ndjson", trace.ndjson), ("report.html", Array(page.utf8)),
      ("finding.json", json), ("Reproduce.swift", Array(test.utf8)),
      ("stderr.txt", Array(errors.map { $0 + "\n" }.joined().utf8)),
    ]
  }

  /// The path of one of the files.
  package func path(_ name: String) -> String {
    folder.isEmpty ? name : folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }

  /// The command that plays the run again, for a shell.
  package var command: String {
    command(playing: ShellWord.quoted(played ?? path("trace.ndjson")))
  }

  /// The same from a log alone; nil where it is too long to be pasted: a terminal takes lines of 4,095 bytes
  /// and a line end (Linux, `N_TTY_BUF_SIZE`).
  package var commandFromLog: String? {
    TraceWord.spell(trace).map(command(playing:)).flatMap { $0.utf8.count <= 4095 ? $0 : nil }
  }

  /// The command that shows the run, for a shell. A server's is shown with one in memory.
  package var studioCommand: String {
    let words = ["watchline", "studio", "--open", ShellWord.quoted(folder)]
    return (words + (trace.world == .exchange ? arguments.map(ShellWord.quoted) : []))
      .joined(separator: " ")
  }

  private func command(playing trace: String) -> String {
    (["watchline", "replay", trace] + arguments.map(ShellWord.quoted)).joined(separator: " ")
  }
}

extension FindingReport {
  /// `report.html`: self-contained.
  package var page: String { Page(self).html.markup }
}
