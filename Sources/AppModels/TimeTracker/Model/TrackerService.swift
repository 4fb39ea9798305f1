package import Merge
package import Wire

/// The edits of TimeTracker, each one operation: all of it takes place or nothing.
///
/// All throw a rule's error with its exact text.
package struct TrackerService {
  package let records: Records

  package init(_ records: Records) { self.records = records }

  @discardableResult
  package func create(
    _ kind: Name, _ fields: [Name: Datum], now: Int64
  ) throws(WireError) -> Name {
    try records.edit(now: now) { edit throws(WireError) in try edit.create(kind, fields) }
  }

  /// - Parameter shown: what the form was opened on.
  package func update(
    _ kind: Name, _ record: Name, _ fields: [Name: Datum], shown: VersionVector? = nil, now: Int64
  ) throws(WireError) {
    try records.edit(shown: shown, now: now) { edit throws(WireError) in
      try edit.set(kind, record, fields)
    }
  }

  package func delete(_ kind: Name, _ record: Name, now: Int64) throws(WireError) {
    try records.edit(now: now) { edit throws(WireError) in try edit.delete(kind, record) }
  }

  /// Makes a project and its first task, which belongs to the project's client.
  package func createProjectWithTask(
    _ project: [Name: Datum], task: [Name: Datum], now: Int64
  ) throws(WireError) -> (project: Name, task: Name) {
    try records.edit(now: now) { edit throws(WireError) in
      let owner = try edit.create("project", project)
      var task = task
      task["client"] = project["client"]
      task["project"] = .string(owner)
      return (owner, try edit.create("task", task))
    }
  }

  /// Puts a task into a project, and so to the project's client.
  package func assign(_ task: Name, project: Name, now: Int64) throws(WireError) {
    try update("task", task, ["project": .string(project)], now: now)
  }

  /// Puts a task to a client; the project that it was in is another client's, and is left.
  package func assign(_ task: Name, client: Name, now: Int64) throws(WireError) {
    try update("task", task, ["client": .string(client)], now: now)
  }

  /// Writes down a stretch: the whole interval at once. A task that is there without one gets it,
  /// else a new one is made, as old as the stretch's start.
  ///
  /// A project that is gone is left out, since a task survives it.
  package func write(
    _ stretch: ClosedRange<Int64>, of subject: ActiveTimer.Subject, now: Int64
  ) throws(WireError) {
    let interval: [Name: Datum] = [
      "startTime": .date(stretch.lowerBound), "endTime": .date(stretch.upperBound),
    ]
    if let record = subject.record, let view = records["task", record],
      TaskModel(view).interval == nil
    {
      return try update("task", record, interval, now: now)
    }
    var fields = interval
    fields["createdAt"] = .date(stretch.lowerBound)
    fields["client"] = .string(subject.client)
    if let name = subject.name { fields["name"] = .string(name) }
    if let rate = subject.hourlyRate { fields["hourlyRate"] = .string(rate) }
    if let project = subject.project, let view = records["project", project] {
      fields["project"] = .string(project)
      // A project takes its tasks along to another client.
      fields["client"] = view["client"] ?? .string(subject.client)
    }
    try create("task", fields, now: now)
  }

  /// Marks tasks as billed, each with what it comes to.
  package func bill(_ tasks: [TaskModel], _ tracked: TrackedWork, now: Int64) throws(WireError) {
    try records.edit(now: now) { edit throws(WireError) in
      for task in tasks {
        try edit.set(
          "task", task.id,
          [
            "isBilled": .bool(true), "billedAmount": .string(tracked.amount(of: task).text),
            "billedDate": .date(now),
          ])
      }
    }
  }

  /// Makes tasks, all of them or none.
  package func createTasks(_ tasks: [[Name: Datum]], now: Int64) throws(WireError) {
    try records.edit(now: now) { edit throws(WireError) in
      for task in tasks { try edit.create("task", task) }
    }
  }

  package func grant(_ product: Product, now: Int64) throws(WireError) {
    try setEntitlement(product.grant(now), now)
  }

  package func revoke(now: Int64) throws(WireError) {
    try setEntitlement(Product.revoked, now)
  }

  private func setEntitlement(_ fields: [Name: Datum], _ now: Int64) throws(WireError) {
    try records.edit(now: now) { edit throws(WireError) in try edit.set("entitlement", fields) }
  }
}
