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

/// Tasks that have stopped as comma-separated values, the oldest first.
package enum CSVExport {
  /// - Parameter tasks: those that the user may see, the newest first.
  package static func text(_ ledger: Ledger, _ tasks: [TaskModel]) -> String {
    let header = [
      "client", "project", "task", "start", "end", "seconds", "billableSeconds", "rate", "amount",
      "isBilled", "notes",
    ]
    let lines = tasks.reversed().compactMap { task -> [String]? in
      guard let interval = task.interval else { return nil }
      return [
        ledger.client(task.client)?.name ?? "", ledger.project(task.project)?.name ?? "",
        task.name ?? "", CSV.time(interval.lowerBound), CSV.time(interval.upperBound),
        String(task.seconds), String(ledger.billedSeconds(of: task)),
        ledger.rate(of: task).text, ledger.amount(of: task).text,
        task.isBilled ? "true" : "false", task.notes,
      ]
    }
    return CSV.text([header] + lines)
  }
}
