import Merge

/// The screens.
enum TrackerRoute: Hashable {
  case root, menu
  case client(Name)
  case project(Name)
  case task(Name)
  /// From which place on the tasks are shown.
  case history(Int)
  case reports, advanced
  case invoice(client: Name)
  case export, premium, themes
  case paywall(PaywallTrigger)
  case form(TrackerForm)
  case bulk([BulkEntry])

  /// What its form was opened on; nil where it is none.
  var formShown: VersionVector? {
    guard case .form(let form) = self else { return nil }
    return form.shown
  }

  /// What the screen is about; nil where it is about no record.
  var target: Target? {
    switch self {
    case .client(let id), .invoice(let id): Target("client", id)
    case .project(let id): Target("project", id)
    case .task(let id): Target("task", id)
    default: nil
    }
  }
}

/// What a number on a screen stands for.
enum TrackerItem: Hashable {
  case client(ClientModel)
  case project(ProjectModel)
  case task(TaskModel)

  var route: TrackerRoute {
    switch self {
    case .client(let client): .client(client.id)
    case .project(let project): .project(project.id)
    case .task(let task): .task(task.id)
    }
  }
}

/// A part of a screen: a heading, and what is listed below it.
struct TrackerSection {
  var title: String
  var items: [TrackerItem]
  /// How many there are beside those listed.
  var more = 0
}

/// One line of a bulk entry.
struct BulkEntry: Hashable {
  var name: String?
  var client: Name
  var interval: ClosedRange<Int64>
}

extension TimeTrackerApp {
  /// What is listed on a screen. Numbers run through all of its sections.
  func sections(_ route: TrackerRoute, _ now: Int64) -> [TrackerSection] {
    let tracked = tracked
    switch route {
    case .root:
      let active = tracked.projects.filter(\.isActive)
      return [
        TrackerSection(title: "RECENT TASKS", items: recentTasks.map(TrackerItem.task)),
        TrackerSection(title: "ACTIVE PROJECTS", items: active.map(TrackerItem.project)),
        TrackerSection(title: "CLIENTS", items: tracked.clients.map(TrackerItem.client)),
      ]
    case .menu:
      let items = tracked.clients.flatMap { client in
        [.client(client)] + tracked.projects(of: client.id).map(TrackerItem.project)
      }
      return [TrackerSection(title: "CLIENTS", items: items)]
    case .client(let id):
      return [
        TrackerSection(
          title: "PROJECTS", items: tracked.projects(of: id).map(TrackerItem.project)),
        listed("UNASSIGNED TASKS", tracked.unassignedTasks(of: id)),
      ]
    case .project(let id): return [listed("TASKS", tracked.tasks(of: .project(id)))]
    case .history(let first):
      let tasks = visibleHistory(now).dropFirst(first).prefix(Self.pageLength)
      return [TrackerSection(title: "", items: tasks.map(TrackerItem.task))]
    default: return []
    }
  }

  func items(_ route: TrackerRoute, _ now: Int64) -> [TrackerItem] {
    sections(route, now).flatMap(\.items)
  }

  static let pageLength = 12

  private func listed(_ title: String, _ tasks: [TaskModel]) -> TrackerSection {
    TrackerSection(
      title: title, items: tasks.prefix(Self.pageLength).map(TrackerItem.task),
      more: max(0, tasks.count - Self.pageLength))
  }

  /// Tasks to go on with, the newest of each name, client and project.
  var recentTasks: [TaskModel] {
    var seen: Set<ActiveTimer.Subject> = []
    var recent: [TaskModel] = []
    for task in tracked.tasks where task.interval != nil {
      let subject = ActiveTimer.Subject(
        name: task.name, client: task.client, project: task.project)
      if seen.insert(subject).inserted { recent.append(task) }
      if recent.count == (surroundings.idiom == .pad ? 5 : 3) { break }
    }
    return recent
  }

  /// Of the tasks that have stopped those that the entitlement opens.
  func visibleHistory(_ now: Int64) -> [TaskModel] {
    let (entitlement, firstUse) = (tracked.entitlement, tracked.firstUse)
    return tracked.tasks.filter { task in
      task.interval.map { entitlement.canSee($0.upperBound, firstUse: firstUse, now: now) } ?? false
    }
  }
}
