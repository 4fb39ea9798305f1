import Merge

extension ExchangeHarness {
  /// Draws a schedule with our merge, with our server where watches know whole records only, or with
  /// lanes alone where the schema is `none`, and works out what must come of it.
  ///
  /// - Parameters:
  ///   - network: drawn where nil.
  ///   - lanes: all where nil.
  package static func fixture(
    _ plan: Plan, network: ExchangeSettings.Network?, lanes: [Lane]?
  ) throws(HarnessFailure) -> Fixture {
    if let fault = plan.wholeRecordsFault(network) { throw HarnessFailure(fault) }
    let plan = plan.withWholeRecords()
    let isWhole = plan.wholeRecords ?? 0 > 0
    var settings = ExchangeSettings(
      plan, lanes: lanes ?? Lane.allCases, network: isWhole ? .watchConnectivity : network)
    settings.isPortable = true
    settings.isThorough = false
    settings.isCoded = false
    settings.counterBits = 16
    let whole = plan.wholeRecordWatches(settings)
    settings.wholeRecords = whole.count
    if !whole.isEmpty {
      // Nothing comes late or twice to who has whole records only, and cannot tell.
      settings.faults.formIntersection([.cut, .restart, .clock])
      // An exchange goes both ways, which is four events.
      settings.exchanges /= 2
    }
    let bridged = whole.isEmpty ? nil : BridgedMerge()
    let alone: any MergeUnderTest = settings.schema == "none" ? LanesOnly() : OurMerge()
    let subject = bridged ?? alone
    let harness = ExchangeHarness(subject, level: .fields)
    var fixture = Fixture(trace: harness.trace(plan, settings))
    for index in fixture.trace.devices.indices {
      fixture.trace.devices[index].isWholeRecord = whole.contains(fixture.trace.devices[index].name)
    }
    if !whole.isEmpty || plan.wholeRecords != nil {
      fixture.trace.options.append(Trace.Option("whole-records", "\(whole.count)"))
    }
    do throws(MergeFailure) {
      let world = try ExchangeWorld(subject, fixture.trace, settings, isRecorded: false)
      var generator = ExchangeGenerator(
        world, fixture.trace, harness.edits(fixture.trace))
      generator.witness = plan.witness
      try generator.run()
      var settlement = try world.settle(generator.trace.events.count)
      fixture.trace = generator.trace
      fixture.trace.events += settlement.events
      fixture.note(world)
      if let bridged {
        try bridged.finish()
        settlement.states = [try bridged.state(0, withKept: true)]
      }
      if let schema = world.schema {
        fixture.ours = settlement.states[0]
        var judge = Judge(world, settlement, schema, level: .fields, phoneWinsTies: false)
        fixture.acceptable = judge.acceptable()
        if let finding = judge.judge().first { throw .fault(finding) }
      }
    } catch {
      switch error {
      case .fault(let finding):
        throw HarnessFailure(([finding.headline] + finding.story).joined(separator: " "))
      case .unavailable(let reason): throw HarnessFailure(reason)
      }
    }
    return fixture
  }
}

extension Fixture {
  /// What arrived, and why the rest did not.
  fileprivate mutating func note(_ world: ExchangeWorld) {
    deliveries = world.places.map { place in
      let sends = trace.events.filter { $0.verb == .deliver && $0.device == place.name }
      return (place.name, sends.compactMap(\.of))
    }
    for parcel in world.parcels where parcel.deliveries == 0 {
      let line = world.lines[world.line(parcel.from, parcel.to, parcel.lane)]
      let number = line.parcels.firstIndex { world.parcels[$0].name == parcel.name } ?? 0
      let reason: Reason =
        if parcel.lane == .context, number < line.last {
          .replaced
        } else if trace.events.contains(where: {
          $0.verb == .undelivered && $0.of == parcel.name
        }) {
          .notReachable
        } else {
          .lost
        }
      reasons.append((parcel.name, reason))
    }
  }
}

extension Judge {
  /// Where a correct merge may end, record by record.
  func acceptable() -> [Fixture.AcceptableRecord] {
    targets.map { target in
      let indices = writes.indices.filter { writes[$0].target == target }
      let deletes = indices.filter { writes[$0].kind == .delete }
      let containers = containers(of: target, indices)
      let above = writes.indices.filter {
        writes[$0].kind == .delete && containers.contains(writes[$0].target)
      }
      var fields: [(name: Name, values: [[UInt8]])] = []
      for (name, isText) in self.fields(indices) where isJudged(name, target) {
        var values: [[UInt8]] = []
        var candidates = newest(indices.filter { writes[$0].field == name }).map {
          writes[$0].value
        }
        // Texts may also be merged, as ours is.
        if isText, let merged = final[target]?[name] { candidates.append(merged) }
        for value in candidates where !values.contains(value) { values.append(value) }
        fields.append((name, values))
      }
      return Fixture.AcceptableRecord(
        target: target, exists: existence(target, indices, deletes, above).rawValue,
        fields: fields)
    }
  }
}
