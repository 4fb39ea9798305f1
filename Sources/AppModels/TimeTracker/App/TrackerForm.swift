import Merge
import Wire

/// A record that is being made or edited. It keeps what was typed until it is saved, and is saved
/// as of what was shown when it was opened.
struct TrackerForm: Hashable {
  var kind: Name
  /// nil for one that is to be made.
  var record: Name?
  var shown: VersionVector
  /// By field. The others show what the counterpart makes of them.
  var typed: [Name: Datum] = [:]
  /// By field: the dates among them, in milliseconds since 1970.
  var times: [Name: Int64] = [:]
  /// The name of the task that is made together with a project.
  var firstTaskName: String?
  var error: String?

  var title: String {
    switch (kind, record) {
    case ("settings", _): "Settings"
    case (_, nil): "New \(kind.text.prefix(1).uppercased() + kind.text.dropFirst())"
    default: "Edit \(kind.text.prefix(1).uppercased() + kind.text.dropFirst())"
    }
  }

  /// What was typed, or else what is recorded.
  func value(_ field: Name, _ records: Records) -> Datum? {
    typed[field] ?? record.flatMap { records[kind, $0]?[field] }
  }
}

/// A line of a form.
struct FormField {
  enum Content {
    case text, rate, minutes, flag, client, project, time
    /// The name of a project's first task, which is no field of the project.
    case firstTaskName
    /// A text that may be left out.
    case line
    case template
  }

  var word: String
  var argument: String
  var name: Name
  var title: String
  var content: Content
  /// What `none` stands for.
  var none: Datum = .null

  static func all(_ form: TrackerForm) -> [FormField] {
    let rate = FormField(
      word: "rate", argument: "112.50", name: "hourlyRate", title: "Hourly rate", content: .rate)
    let notes = FormField(
      word: "notes", argument: "TEXT", name: "notes", title: "Notes", content: .text)
    let name = FormField(
      word: "name", argument: "TEXT", name: "name", title: "Name", content: .text)
    let client = FormField(
      word: "client", argument: "N|NAME", name: "client", title: "Client", content: .client)
    switch form.kind {
    case "client":
      return [name, rate, increment("billingIncrement", .int(0)), notes]
    case "project":
      let active = FormField(
        word: "active", argument: "on|off", name: "isActive", title: "Active", content: .flag)
      let task = FormField(
        word: "task", argument: "TEXT", name: "", title: "First task", content: .firstTaskName)
      return [name, client, rate, increment("billingIncrement", .null), active]
        + (form.record == nil ? [task] : [])
    case "task":
      return [
        name, client,
        FormField(
          word: "project", argument: "N|NAME|none", name: "project", title: "Project",
          content: .project),
        rate,
        FormField(
          word: "from", argument: "9:05", name: "startTime", title: "From", content: .time),
        FormField(word: "to", argument: "10:30", name: "endTime", title: "To", content: .time),
        FormField(
          word: "billed", argument: "on|off", name: "isBilled", title: "Billed", content: .flag),
        notes,
      ]
    default:
      return [
        FormField(
          word: "rate", argument: "100", name: "defaultHourlyRate", title: "Hourly rate",
          content: .rate, none: .int(0)),
        increment("defaultBillingIncrement", .int(0)),
        FormField(
          word: "autopause", argument: "on|off", name: "autoPauseEnabled", title: "Auto-pause",
          content: .flag),
        FormField(
          word: "minutes", argument: "15", name: "autoPauseMinutes", title: "after minutes",
          content: .minutes),
        FormField(
          word: "business", argument: "NAME|none", name: "businessName", title: "Business",
          content: .line),
        FormField(
          word: "footer", argument: "TEXT|none", name: "invoiceNote", title: "Invoice footer",
          content: .line),
        FormField(
          word: "template", argument: "NAME", name: "invoiceTemplate", title: "Template",
          content: .template),
      ]
    }
  }

  private static func increment(_ name: Name, _ none: Datum) -> FormField {
    FormField(
      word: "increment", argument: "15", name: name, title: "Increment", content: .minutes,
      none: none)
  }

  var summary: String {
    switch content {
    case .text: "the \(title.lowercased())"
    case .rate: "money for an hour, or none"
    case .minutes: word == "increment" ? "minutes: 1, 5, 10, 15, 30, 60 or none" : "minutes"
    case .flag: title.lowercased()
    case .client: "whom it is for"
    case .project: "also sets the client"
    case .time: "a time of today, or a day too"
    case .firstTaskName: "made together with the project"
    case .line: "\(title.lowercased()), on invoices"
    case .template: TrackerInput.names(InvoiceTemplate.self)
    }
  }
}
