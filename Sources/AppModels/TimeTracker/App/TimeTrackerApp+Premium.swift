import Merge
import Wire

/// What premium opens, and what leads to the paywall.
extension TimeTrackerApp {
  /// Opens a screen, or the paywall in front of it.
  func gate(_ word: String, _ now: Int64) {
    let entitlement = tracked.entitlement
    switch word {
    case "advanced":
      enter(.advanced, .advancedReportsAccess, entitlement.canAccessAdvancedReports(now))
    case "bulk": enter(.bulk([]), .bulkTimeEntry, entitlement.isPremium(now))
    case "themes":
      enter(.themes, .customizationAttempt, entitlement.canAccessCustomThemes(now))
    default:
      guard case .client(let id) = route else { return }
      enter(.invoice(client: id), .invoiceGeneration, entitlement.canGenerateInvoices(now))
    }
  }

  private func enter(_ route: TrackerRoute, _ trigger: PaywallTrigger, _ isOpen: Bool) {
    if isOpen { stack.append(route) } else { require(trigger) }
  }

  /// Shows the paywall: on top of what is shown, or in its place.
  private func require(_ trigger: PaywallTrigger, replacing: Bool = false) {
    if replacing { stack.removeLast() }
    stack.append(.paywall(trigger))
    events.append(.premiumRequired(trigger: trigger.rawValue))
  }

  /// Older tasks; those of more than 30 days ago are behind the paywall after 30 days of use.
  func more(_ now: Int64) {
    guard case .history(let first) = route else { return }
    if first + Self.pageLength < visibleHistory(now).count {
      stack.append(.history(first + Self.pageLength))
    } else if hiddenHistory(now) > 0 {
      require(.historicalDataLimit)
    } else {
      notice = "There are no older tasks."
    }
  }

  /// How many tasks the entitlement does not open.
  func hiddenHistory(_ now: Int64) -> Int {
    tracked.tasks.count { $0.interval != nil } - visibleHistory(now).count
  }

  func setTheme(_ line: CommandLine, _ now: Int64) throws(WireError) {
    let theme: TrackerTheme = try TrackerInput.choice(line)
    if tracked.entitlement.canAccessCustomThemes(now) {
      self.theme = theme
    } else {
      require(.customizationAttempt, replacing: true)
    }
  }

  /// Marks what the invoice lists as billed.
  func bill(_ now: Int64) {
    guard case .invoice(let id) = route, let client = tracked.client(id) else { return }
    guard tracked.entitlement.canGenerateInvoices(now) else {
      require(.invoiceGeneration, replacing: true)
      return
    }
    do throws(WireError) {
      try service.bill(Invoice(tracked, client: client).tasks, tracked, now: now)
      leave()
    } catch {
      notice = error.message
    }
  }

  func grant(_ line: CommandLine, _ now: Int64) throws(WireError) {
    guard let product = Product(rawValue: line.rest.lowercased()) else {
      throw WireError(.invalidField, "grant takes monthly, yearly or trial")
    }
    do throws(WireError) {
      try service.grant(product, now: now)
      if case .paywall = route { leave() }
      events.append(.haptic("success"))
    } catch {
      notice = error.message
    }
  }

  func revoke(_ now: Int64) {
    do throws(WireError) {
      try service.revoke(now: now)
    } catch {
      notice = error.message
    }
  }

  // MARK: Several entries at once

  func bulkCommands(_ entries: [BulkEntry]) -> [Command] {
    [
      Command("entry", "9:05-10:30 [NAME]", "one more, of today"),
      Command("client", "N|NAME", "whom the next entries are for"),
      Command("remove", "N", "take an entry out"),
      Command("save", "", "all of them at once"), Command("cancel", "", "none of them"),
    ]
  }

  func performOnBulk(
    _ line: CommandLine, _ entries: [BulkEntry], _ now: Int64
  ) throws(WireError) {
    var entries = entries
    switch line.word {
    case "entry": entries.append(try entry(line, now))
    case "client": bulkClient = try TrackerInput.client(line, tracked).id
    case "remove": entries.remove(at: try line.index(in: entries.count, of: "entry"))
    case "save": return saveBulk(entries, now)
    case "cancel", "back": return leave()
    default: throw line.unknown(among: commands)
    }
    stack[stack.count - 1] = .bulk(entries)
  }

  private func entry(_ line: CommandLine, _ now: Int64) throws(WireError) -> BulkEntry {
    let parts = line.rest.split(separator: " ", maxSplits: 1)
    guard let times = parts.first,
      let interval = TrackerInput.interval(times, now, surroundings.secondsFromUTC)
    else {
      throw WireError(
        .invalidField, "entry takes two times of today and a name as 9:05-10:30 Draft")
    }
    guard let client = tracked.client(bulkClient)?.id ?? context?.client else {
      throw WireError(.invalidClient, "there is no client here; add one first")
    }
    return BulkEntry(
      name: parts.count > 1 ? String(parts[1]) : nil, client: client,
      interval: interval)
  }

  private func saveBulk(_ entries: [BulkEntry], _ now: Int64) {
    guard tracked.entitlement.isPremium(now) else {
      require(.bulkTimeEntry)
      return
    }
    do throws(WireError) {
      try service.createTasks(
        entries.map { entry in
          var fields: [Name: Datum] = [
            "client": .string(entry.client), "startTime": .date(entry.interval.lowerBound),
            "endTime": .date(entry.interval.upperBound),
          ]
          if let name = entry.name { fields["name"] = .string(name) }
          return fields
        }, now: now)
      leave()
    } catch {
      notice = error.message
    }
  }
}
