import Merge

/// What an invoice lists.
package enum InvoiceTemplate: String, CaseIterable, Hashable, Sendable {
  /// A line for each task.
  case standard
  /// A line for each project, and one for what is without.
  case summary
  /// As `standard`, with dates, times and notes.
  case detailed
}

/// A text invoice for what a client has not been billed for.
package struct Invoice: Hashable, Sendable {
  package struct Line: Hashable, Sendable {
    package var title: String
    /// Rounded up to the increment.
    package var seconds: Int
    /// nil where the line is of several rates.
    package var rate: Rate?
    package var amount: Money
    /// When the task took place; nil where the template does not say so.
    package var interval: ClosedRange<Int64>?
    package var notes = ""
  }

  package var client: String
  /// Those that are listed, the oldest first.
  package var tasks: [TaskModel]
  package var lines: [Line]
  package var total: Money
  /// Whose invoice it is, and what stands below it; empty for nothing.
  package var (business, note): (String, String)

  package init(_ tracked: TrackedWork, client: ClientModel) {
    self.client = client.name
    (business, note) = (tracked.settings.businessName, tracked.settings.invoiceNote)
    tasks = tracked.tasks.reversed().filter {
      $0.client == client.id && $0.interval != nil && !$0.isBilled
    }
    switch tracked.settings.invoiceTemplate {
    case .standard: lines = tasks.map { Self.line($0, tracked) }
    case .summary: lines = Self.summary(tasks, tracked)
    case .detailed:
      lines = tasks.map { task in
        var line = Self.line(task, tracked)
        (line.interval, line.notes) = (task.interval, task.notes)
        return line
      }
    }
    total = lines.map(\.amount).sum
  }

  private static func line(_ task: TaskModel, _ tracked: TrackedWork) -> Line {
    let project = tracked.project(task.project).map { "\($0.name): " } ?? ""
    return Line(
      title: project + task.title, seconds: tracked.billedSeconds(of: task),
      rate: tracked.rate(of: task), amount: tracked.amount(of: task))
  }

  /// Projects in the order of their first task.
  private static func summary(_ tasks: [TaskModel], _ tracked: TrackedWork) -> [Line] {
    var order: [Name?] = []
    for task in tasks where !order.contains(tracked.project(task.project)?.id) {
      order.append(tracked.project(task.project)?.id)
    }
    return order.map { project in
      let own = tasks.filter { tracked.project($0.project)?.id == project }
      let rates = Set(own.map(tracked.rate(of:)))
      return Line(
        title: tracked.project(project)?.name ?? "Other work",
        seconds: own.reduce(0) { $0 + tracked.billedSeconds(of: $1) },
        rate: rates.count == 1 ? rates.first : nil, amount: own.map(tracked.amount(of:)).sum)
    }
  }
}

/// Tasks that have stopped as comma-separated values, the oldest first.
package enum CSVExport {
  /// - Parameter tasks: those that the user may see, the newest first.
  package static func text(_ tracked: TrackedWork, _ tasks: [TaskModel]) -> String {
    let header = [
      "client", "project", "task", "start", "end", "seconds", "billableSeconds", "rate", "amount",
      "isBilled", "notes",
    ]
    let lines = tasks.reversed().compactMap { task -> [String]? in
      guard let interval = task.interval else { return nil }
      return [
        tracked.client(task.client)?.name ?? "", tracked.project(task.project)?.name ?? "",
        task.name ?? "", CSV.time(interval.lowerBound), CSV.time(interval.upperBound),
        String(task.seconds), String(tracked.billedSeconds(of: task)),
        tracked.rate(of: task).text, tracked.amount(of: task).text,
        task.isBilled ? "true" : "false", task.notes,
      ]
    }
    return CSV.text([header] + lines)
  }
}
