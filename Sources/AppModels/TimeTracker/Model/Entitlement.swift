package import Merge

/// What has been bought, and what it opens.
package struct Entitlement: Hashable, Sendable {
  package var isGranted = false
  /// Milliseconds since 1970; nil for what does not expire.
  package var expiresAt: Int64?
  package var productID: String?
  package var source: String?

  package init(_ record: RecordView?) {
    guard let record else { return }
    isGranted = record.flag("isPremium")
    expiresAt = record.date("expiresAt")
    productID = record.string("productID")
    source = record.string("source")
  }

  package func isPremium(_ now: Int64) -> Bool {
    isGranted && expiresAt.map { now < $0 } ?? true
  }

  package func canAccessAdvancedReports(_ now: Int64) -> Bool { isPremium(now) }
  package func canGenerateInvoices(_ now: Int64) -> Bool { isPremium(now) }
  package func canAccessCustomThemes(_ now: Int64) -> Bool { isPremium(now) }

  /// Days of use with everything that is recorded; after them, days of history that everybody sees.
  package static let freeDays: Int64 = 30

  /// Whether a task of that time is shown.
  ///
  /// - Parameter firstUse: when the first record was made; nil where there is none.
  package func canSee(_ time: Int64, firstUse: Int64?, now: Int64) -> Bool {
    let limit = now - Self.freeDays * LocalTime.day
    return isPremium(now) || firstUse.map { $0 > limit } ?? true || time >= limit
  }
}

/// What can be bought.
package enum Product: String, CaseIterable, Sendable {
  case monthly, yearly, trial

  package var id: String {
    switch self {
    case .monthly, .trial: "com.nickhart.timetracker.premium.monthly"
    case .yearly: "com.nickhart.timetracker.premium.yearly"
    }
  }

  package var price: String {
    switch self {
    case .monthly: "$4.99 a month"
    case .yearly: "$39.99 a year"
    case .trial: "7 days free"
    }
  }

  package var days: Int64 {
    switch self {
    case .monthly: 30
    case .yearly: 365
    case .trial: 7
    }
  }

  /// The entitlement's fields from a moment on.
  package func grant(_ now: Int64) -> [Name: Datum] {
    [
      "isPremium": .bool(true), "expiresAt": .date(now + days * LocalTime.day),
      "productID": .string(id), "source": .string(self == .trial ? "trial" : "admin"),
    ]
  }

  package static let revoked: [Name: Datum] = [
    "isPremium": .bool(false), "expiresAt": .null, "productID": .null, "source": .null,
  ]
}

/// What leads to the paywall.
package enum PaywallTrigger: String, CaseIterable, Sendable {
  case advancedReportsAccess, invoiceGeneration, customizationAttempt, historicalDataLimit
  case bulkTimeEntry

  package var title: String {
    switch self {
    case .advancedReportsAccess: "Advanced Analytics"
    case .invoiceGeneration: "Professional Invoicing"
    case .customizationAttempt: "Custom Themes"
    case .historicalDataLimit: "Full History"
    case .bulkTimeEntry: "Bulk Time Entry"
    }
  }

  package var benefits: [String] {
    switch self {
    case .advancedReportsAccess:
      ["Detailed time patterns", "Productivity insights", "Earnings by project"]
    case .invoiceGeneration:
      [
        "PDF invoice generation", "Custom branding", "Automatic calculations",
        "Professional templates",
      ]
    case .customizationAttempt: ["Accent themes", "Remembered on each device"]
    case .historicalDataLimit: ["Everything older than 30 days", "On all of your devices"]
    case .bulkTimeEntry: ["Several entries at once", "Saved together or not at all"]
    }
  }
}
