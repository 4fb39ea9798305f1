package import Merge

/// Records of seed 003 as the app reads them. What is missing or makes no sense falls back: no
/// record can stop the app.
package struct ClientModel: Hashable, Sendable {
  package var id: Name
  package var name: String
  /// nil where it is not set, or 0.
  package var hourlyRate: Rate?
  /// Minutes; nil where it is not set, or 0.
  package var increment: Int?
  package var notes: String
  /// Milliseconds since 1970.
  package var createdAt: Int64
  package var modifiedAt: Int64

  package init(_ record: RecordView) {
    id = record.id
    name = record.name(or: "Unnamed Client")
    hourlyRate = record.rate("hourlyRate")
    increment = record.increment("billingIncrement")
    notes = record.string("notes") ?? ""
    createdAt = record.date("createdAt") ?? 0
    modifiedAt = record.date("modifiedAt") ?? createdAt
  }
}

package struct ProjectModel: Hashable, Sendable {
  package var id: Name
  package var name: String
  package var client: Name
  /// Instead of the client's.
  package var hourlyRate: Rate?
  /// Instead of the client's, in minutes.
  package var increment: Int?
  package var isActive: Bool
  package var createdAt: Int64
  package var modifiedAt: Int64

  package init(_ record: RecordView) {
    id = record.id
    name = record.name(or: "Unnamed Project")
    client = record["client"]?.text ?? ""
    hourlyRate = record.rate("hourlyRate")
    increment = record.increment("billingIncrement")
    isActive = record.flag("isActive")
    createdAt = record.date("createdAt") ?? 0
    modifiedAt = record.date("modifiedAt") ?? createdAt
  }
}

/// One stretch of time.
package struct TaskModel: Hashable, Sendable {
  package var id: Name
  /// nil where it has none.
  package var name: String?
  package var client: Name
  package var project: Name?
  /// Instead of the project's and the client's.
  package var hourlyRate: Rate?
  /// nil until it has stopped; `end` is not before `start`. Milliseconds since 1970.
  package var interval: ClosedRange<Int64>?
  package var isBilled: Bool
  package var billedAmount: Money?
  package var billedDate: Int64?
  package var notes: String
  package var createdAt: Int64
  package var modifiedAt: Int64

  package init(_ record: RecordView) {
    id = record.id
    name = record.string("name").flatMap { $0.isEmpty ? nil : $0 }
    client = record["client"]?.text ?? ""
    project = record["project"]?.text
    hourlyRate = record.rate("hourlyRate")
    if let start = record.date("startTime"), let end = record.date("endTime"), end >= start {
      interval = start...end
    }
    isBilled = record.flag("isBilled")
    billedAmount = record.string("billedAmount").flatMap { Money($0) }
    billedDate = record.date("billedDate")
    notes = record.string("notes") ?? ""
    createdAt = record.date("createdAt") ?? 0
    modifiedAt = record.date("modifiedAt") ?? createdAt
  }

  package var title: String { name ?? "Unnamed Task" }

  /// Whole seconds; 0 until it has stopped.
  package var seconds: Int {
    interval.map { Int(($0.upperBound - $0.lowerBound) / 1000) } ?? 0
  }
}

package struct SettingsModel: Hashable, Sendable {
  package var hourlyRate: Rate? = Rate("100")
  /// Minutes; nil where times are not rounded.
  package var increment: Int? = 10
  package var autoPauseEnabled = false
  /// From 1 to 10,080, which is a week.
  package var autoPauseMinutes = 15
  /// At the head of invoices; empty for none.
  package var businessName = ""
  /// At their foot.
  package var invoiceNote = ""
  package var invoiceTemplate = InvoiceTemplate.standard

  package init(_ record: RecordView?) {
    guard let record else { return }
    hourlyRate = record.rate("defaultHourlyRate")
    increment = record.increment("defaultBillingIncrement")
    autoPauseEnabled = record.flag("autoPauseEnabled")
    autoPauseMinutes = min(max(record.int("autoPauseMinutes") ?? 15, 1), 10_080)
    businessName = record.string("businessName") ?? ""
    invoiceNote = record.string("invoiceNote") ?? ""
    invoiceTemplate =
      record.string("invoiceTemplate").flatMap(InvoiceTemplate.init) ?? .standard
  }

  /// Increments that a picker offers, in minutes.
  package static let increments = [1, 5, 10, 15, 30, 60]
}

extension RecordView {
  fileprivate func name(or fallback: String) -> String {
    string("name").flatMap { $0.isEmpty ? nil : $0 } ?? fallback
  }

  /// 0 counts as not set.
  fileprivate func rate(_ field: Name) -> Rate? {
    string(field).flatMap { Rate($0) }.flatMap { $0.isZero ? nil : $0 }
  }

  fileprivate func increment(_ field: Name) -> Int? {
    int(field).flatMap { SettingsModel.increments.contains($0) ? $0 : nil }
  }
}
