import Merge

/// A text invoice for what a client has not been billed for.
package struct Invoice: Hashable, Sendable {
  package struct Line: Hashable, Sendable {
    package var title: String
    /// Rounded up to the increment.
    package var seconds: Int
    package var rate: Rate
    package var amount: Money
  }

  package var client: String
  /// Those that are listed, the oldest first.
  package var tasks: [TaskModel]
  package var lines: [Line]
  package var total: Money

  package init(_ ledger: Ledger, client: ClientModel) {
    self.client = client.name
    tasks = ledger.tasks.reversed().filter {
      $0.client == client.id && $0.interval != nil && !$0.isBilled
    }
    lines = tasks.map { task in
      let project = ledger.project(task.project).map { "\($0.name): " } ?? ""
      return Line(
        title: project + task.title, seconds: ledger.billedSeconds(of: task),
        rate: ledger.rate(of: task), amount: ledger.amount(of: task))
    }
    total = lines.map(\.amount).sum
  }
}

/// Tasks that have stopped as comma-separated values (RFC 4180), the oldest first.
package enum CSVExport {
  /// - Parameter tasks: those that the user may see, the newest first.
  package static func text(_ ledger: Ledger, _ tasks: [TaskModel]) -> String {
    let header =
      "client,project,task,start,end,seconds,billableSeconds,rate,amount,isBilled,notes"
    let lines = tasks.reversed().compactMap { task -> String? in
      guard let interval = task.interval else { return nil }
      return [
        ledger.client(task.client)?.name ?? "", ledger.project(task.project)?.name ?? "",
        task.name ?? "", time(interval.lowerBound), time(interval.upperBound),
        String(task.seconds), String(ledger.billedSeconds(of: task)),
        ledger.rate(of: task).text, ledger.amount(of: task).text,
        task.isBilled ? "true" : "false", task.notes,
      ].map(quoted).joined(separator: ",")
    }
    return ([header] + lines).joined(separator: "\r\n") + "\r\n"
  }

  private static func time(_ time: Int64) -> String {
    let utc = LocalTime(time, secondsFromUTC: 0)
    return "\(utc.date)T\(utc.clock):\(utc.second.twoDigits)Z"
  }

  private static func quoted(_ field: String) -> String {
    let needsQuotes = field.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
    guard needsQuotes else { return field }
    return "\""
      + field.split(separator: "\"", omittingEmptySubsequences: false)
      .joined(separator: "\"\"") + "\""
  }
}
