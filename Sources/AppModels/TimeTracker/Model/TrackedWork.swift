package import Merge

/// Everything that is recorded, at one moment.
package struct TrackedWork: Sendable {
  /// By name, then by id.
  package private(set) var clients: [ClientModel]
  package private(set) var projects: [ProjectModel]
  /// The newest `createdAt` first, then by id.
  package private(set) var tasks: [TaskModel]
  package private(set) var settings: SettingsModel
  package private(set) var entitlement: Entitlement
  private let clientIndex: [Name: Int]
  private let projectIndex: [Name: Int]

  package init(_ records: Records) {
    clients = records.all("client").map(ClientModel.init).sorted {
      ($0.key, $0.id) < ($1.key, $1.id)
    }
    projects = records.all("project").map(ProjectModel.init).sorted {
      ($0.key, $0.id) < ($1.key, $1.id)
    }
    tasks = records.all("task").map(TaskModel.init).sorted {
      $0.createdAt != $1.createdAt ? $0.createdAt > $1.createdAt : $0.id < $1.id
    }
    settings = SettingsModel(records["settings", "settings"])
    entitlement = Entitlement(records["entitlement", "entitlement"])
    clientIndex = .init(uniqueKeysWithValues: clients.enumerated().map { ($1.id, $0) })
    projectIndex = .init(uniqueKeysWithValues: projects.enumerated().map { ($1.id, $0) })
  }

  package func client(_ id: Name?) -> ClientModel? {
    id.flatMap { clientIndex[$0] }.map { clients[$0] }
  }

  package func project(_ id: Name?) -> ProjectModel? {
    id.flatMap { projectIndex[$0] }.map { projects[$0] }
  }

  package func task(_ id: Name?) -> TaskModel? { tasks.first { $0.id == id } }

  package func projects(of client: Name) -> [ProjectModel] {
    projects.filter { $0.client == client }
  }

  package func tasks(of scope: Scope) -> [TaskModel] { tasks.filter(scope.contains) }

  /// Tasks of a client that are in no project.
  package func unassignedTasks(of client: Name) -> [TaskModel] {
    tasks.filter { $0.client == client && project($0.project) == nil }
  }

  /// What a dashboard is about.
  package enum Scope: Hashable, Sendable {
    case all
    case client(Name)
    case project(Name)

    package func contains(_ task: TaskModel) -> Bool {
      switch self {
      case .all: true
      case .client(let id): task.client == id
      case .project(let id): task.project == id
      }
    }
  }

  /// When the first record was made; nil where there is none.
  package var firstUse: Int64? {
    (clients.map(\.createdAt) + projects.map(\.createdAt) + tasks.map(\.createdAt)).min()
  }

  // MARK: Billing

  /// The task's, or else its project's, its client's or the settings' rate. 0 counts as not set.
  package func rate(of task: TaskModel) -> Rate {
    task.hourlyRate ?? project(task.project)?.hourlyRate ?? client(task.client)?.hourlyRate
      ?? settings.hourlyRate ?? .zero
  }

  /// The project's, or else the client's or the settings' increment in minutes; nil where times
  /// are not rounded.
  package func increment(of task: TaskModel) -> Int? {
    project(task.project)?.increment ?? client(task.client)?.increment ?? settings.increment
  }

  /// What is charged: seconds, rounded up to the increment.
  package func billedSeconds(of task: TaskModel) -> Int {
    Billing.rounded(task.seconds, increment: increment(of: task))
  }

  /// The rate times what is charged; for a task that was billed what it was billed with.
  package func amount(of task: TaskModel) -> Money {
    if task.isBilled, let billed = task.billedAmount { return billed }
    return rate(of: task).amount(seconds: billedSeconds(of: task))
  }
}

extension ClientModel {
  fileprivate var key: Name { Name(name) }
}

extension ProjectModel {
  fileprivate var key: Name { Name(name) }
}

package enum Billing {
  /// Seconds, rounded up to the next multiple of an increment.
  ///
  /// - Parameters:
  ///   - seconds: below 0 counts as 0.
  ///   - increment: minutes above 0; nil for the seconds as they are.
  package static func rounded(_ seconds: Int, increment: Int?) -> Int {
    let seconds = max(0, seconds)
    guard let increment, increment > 0 else { return seconds }
    let step = increment * 60
    let rest = seconds % step
    return rest == 0 ? seconds : seconds - rest + step
  }
}
