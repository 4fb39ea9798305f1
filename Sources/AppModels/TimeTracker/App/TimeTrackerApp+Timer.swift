import Merge
import Wire

/// The timer of the device.
extension TimeTrackerApp {
  /// Goes on with the task in hand, or with that of the screen; else begins one without a name.
  /// Nothing where it runs.
  ///
  /// - Parameter name: of a new task; nil for none.
  func start(_ name: String?, _ now: Int64) {
    guard !isRunning else { return }
    if name == nil {
      if case .task(let id) = route, let task = tracked.task(id) {
        return start(ActiveTimer.Subject(task), now)
      }
      if let subject = timer.subject, tracked.client(subject.client) != nil {
        return start(nil as ActiveTimer.Subject?, now)
      }
    }
    guard let (client, project) = context else {
      notice = "Add a client first."
      return
    }
    start(ActiveTimer.Subject(name: name, client: client, project: project), now)
  }

  /// - Parameter subject: nil for the task in hand.
  func start(_ subject: ActiveTimer.Subject?, _ now: Int64) {
    do throws(WireError) {
      try timer.start(subject, now)
      events.append(.haptic("medium"))
    } catch {
      notice = error.message
    }
  }

  /// Stops and writes the stretch down. Nothing where it does not run. Where it cannot be written
  /// the timer runs on, for its time not to be lost.
  ///
  /// - Returns: whether it has stopped.
  @discardableResult
  func stop(at end: Int64, _ now: Int64) -> Bool {
    guard let subject = timer.subject, isRunning else { return false }
    var stopped = timer
    do throws(WireError) {
      let stretch = try stopped.stop(end)
      try service.write(stretch, of: subject, now: now)
    } catch {
      notice =
        error.code == .invalidClient
        ? "\(error.message): it was deleted. Type assign and another client's name." : error.message
      return false
    }
    timer = stopped
    events.append(.haptic("light"))
    return true
  }

  /// Puts what runs to a client, when its own is gone.
  func assignTimer(_ line: CommandLine) throws(WireError) {
    let client = try TrackerInput.client(line, tracked)
    timer.assign(client: client.id, project: nil)
  }

  /// What is new belongs to the client and project of the screen, or those of the newest task; else
  /// to the first client. nil where there is no client.
  var context: (client: Name, project: Name?)? {
    let tracked = tracked
    for route in stack.reversed() {
      switch route {
      case .client(let id) where tracked.client(id) != nil: return (id, nil)
      case .project(let id):
        if let project = tracked.project(id) { return (project.client, id) }
      case .task(let id):
        if let task = tracked.task(id) { return (task.client, task.project) }
      default: break
      }
    }
    if let task = tracked.tasks.first { return (task.client, task.project) }
    return tracked.clients.first.map { ($0.id, nil) }
  }
}
