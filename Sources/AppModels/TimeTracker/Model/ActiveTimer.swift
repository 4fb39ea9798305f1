package import Merge
package import Wire

/// The states of a task.
package enum TaskState: Hashable, Sendable {
  case unstarted, running, completed
}

/// The one timer of a device. It is never shared: a task is, once it has stopped.
///
/// Stopped and started again it goes on with the same task: what is shown accumulates, and each
/// stretch is a task of its own. Times are milliseconds since 1970.
package struct ActiveTimer: Equatable, Sendable {
  /// What the time is for.
  package struct Subject: Hashable, Sendable {
    /// A task that is recorded already and has not been timed yet.
    package var record: Name?
    package var name: String?
    package var client: Name
    package var project: Name?
    /// Instead of the project's and the client's, as a decimal.
    package var hourlyRate: String?

    package init(
      record: Name? = nil, name: String? = nil, client: Name, project: Name? = nil,
      hourlyRate: String? = nil
    ) {
      self.record = record
      self.name = name
      self.client = client
      self.project = project
      self.hourlyRate = hourlyRate
    }

    package init(_ task: TaskModel) {
      self.init(
        record: task.interval == nil ? task.id : nil, name: task.name, client: task.client,
        project: task.project, hourlyRate: task.hourlyRate?.text)
    }
  }

  /// nil where there is no task.
  package private(set) var subject: Subject?
  package private(set) var startedAt: Int64?
  /// Milliseconds of stretches before the one that runs.
  package private(set) var carried: Int64 = 0

  package init() {}

  package var isRunning: Bool { startedAt != nil }

  package var state: TaskState {
    isRunning ? .running : carried > 0 ? .completed : .unstarted
  }

  /// Milliseconds, from 0 on also where the clock was set back.
  package func elapsed(_ now: Int64) -> Int64 {
    carried + (startedAt.map { max(0, now - $0) } ?? 0)
  }

  /// Goes on with its task, or begins with another one.
  ///
  /// - Throws: 4020 where it runs, 4027 where there is no task; nothing has changed then.
  package mutating func start(_ next: Subject? = nil, _ now: Int64) throws(WireError) {
    guard !isRunning else { throw Self.alreadyRunning }
    if let next {
      subject = next
      carried = 0
    }
    guard subject != nil else { throw WireError(.invalidClient, "Invalid client") }
    startedAt = now
  }

  /// - Returns: the stretch; its end is not before its start.
  /// - Throws: 4026 where it does not run; nothing has changed then.
  package mutating func stop(_ now: Int64) throws(WireError) -> ClosedRange<Int64> {
    guard let startedAt else { throw Self.notRunning }
    let stretch = startedAt...max(startedAt, now)
    carried += stretch.upperBound - stretch.lowerBound
    self.startedAt = nil
    // What is timed next is a new task.
    subject?.record = nil
    return stretch
  }

  /// Forgets its task, and the time that runs.
  package mutating func clear() { self = ActiveTimer() }

  /// The client of what runs, whose project goes with the former one.
  package mutating func assign(client: Name, project: Name?) {
    subject?.client = client
    subject?.project = project
  }

  package static let alreadyRunning = WireError(.invalidRecord, "Task is already running")
  package static let notRunning = WireError(.taskNotRunning, "Task is not currently running")
}

extension ActiveTimer {
  package var datum: Datum {
    guard let subject else { return .null }
    var members = [
      Datum.Member("carried", .int(Int(carried))), Datum.Member("client", .string(subject.client)),
    ]
    func add(_ name: Name, _ value: Name?) {
      if let value { members.append(Datum.Member(name, .string(value))) }
    }
    add("record", subject.record)
    add("name", subject.name.map { Name($0) })
    add("project", subject.project)
    add("hourlyRate", subject.hourlyRate.map { Name($0) })
    add("startedAt", startedAt.map { Name(String($0)) })
    return .sorted(members)
  }

  /// - Throws: 4004 where it is no timer's.
  package init(_ datum: Datum) throws(WireError) {
    self.init()
    if datum == .null { return }
    func time(_ name: Name) -> Int64? {
      datum[name]?.text.flatMap { Int64($0.text) }.flatMap {
        $0.magnitude < 8_640_000_000_000_000 ? $0 : nil
      }
    }
    guard let client = datum["client"]?.text, let carried = time("carried"), carried >= 0 else {
      throw WireError(.invalidField, "the timer's state must be what the app itself had saved")
    }
    subject = Subject(
      record: datum["record"]?.text, name: datum["name"]?.text?.text, client: client,
      project: datum["project"]?.text, hourlyRate: datum["hourlyRate"]?.text?.text)
    self.carried = carried
    startedAt = time("startedAt")
  }
}
