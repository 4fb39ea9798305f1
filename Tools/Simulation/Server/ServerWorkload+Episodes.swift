import Device
import Merge
import Seeded

/// Some events in a row that chance alone would rarely bring together.
extension ServerWorkload {
  /// Most deliveries of a record that a device has yet to read (clause 13.4).
  private static let mostInFlight = 16
  /// How far ahead of the hub's clock a device can be taken, and further, in milliseconds (clauses 12.5, 13.4).
  private static let (ahead, tooFarAhead): (Int64, Int64) = (70_000, 112_500)

  mutating func episode(_ run: ServerRun) {
    if options.hasLanes, options.faults.isSuperset(of: [.crash, .cut]),
      edits == nil || count > 1 && draw.percent(20)
    {
      return withdraw(run)
    }
    if options.hasLanes, edits == nil || count > 1 && draw.percent(20) { return uploadUnheard(run) }
    let writers = run.nodes.filter { $0.sync != nil && $0.isActive }
    guard edits != nil, !writers.isEmpty else { return }
    let writer = draw.pick(writers)
    let readers = run.nodes.filter { $0.app != nil && $0.isActive }
    guard let reader = readers.first else {
      let others = writers.filter { $0 !== writer }
      switch draw.below(others.isEmpty ? 3 : 5) {
      case 0: return retype(writer)
      case 1: return correct(writer)
      case 2: return beginAnew(writer)
      case 3: return bringBack(writer, draw.pick(others))
      default: return typeAway(writer, draw.pick(others))
      }
    }
    if readers.count > 1, options.faults.contains(.clock), draw.percent(35) {
      return writeAhead(readers, writer)
    }
    switch draw.pick(
      count == 1
        ? [(1, 3), (1, 4), (6, 6)]
        : [(8, 0), (2, 1), (2, 2), (1, 3), (4, 4), (3, 5), (5, 6), (6, 7), (6, 8), (4, 9)])
    {
    case 0: overlap(reader, writer)
    case 1: retype(writer)
    case 2: correct(writer)
    case 3: makeTwice(reader, writer)
    case 4: askForAll(reader, writer)
    case 5: strand(reader, writer)
    case 6:
      putTogether(reader, writer)
      if draw.percent(count == 1 ? 10 : 50) { arrangeAfterSleep(reader, run) }
    case 7: overwrite(reader, writer)
    case 9: deleteTwice(reader, writer)
    default: arrangeAfterSleep(reader, run)
    }
  }

  // MARK: Lanes

  /// What is on its way to who is not connected is cancelled in the middle, and the server ends and comes back.
  private mutating func withdraw(_ run: ServerRun) {
    let senders = run.nodes.filter { !$0.device.isTyped && $0.isActive }
    guard !senders.isEmpty else { return }
    let sender = draw.pick(senders)
    let others = run.nodes.filter {
      !$0.device.isTyped && $0.device.isPhone != sender.device.isPhone
    }
    for other in others where other.link != nil { add(.drop, at: other) }
    for _ in 0..<3 {
      var event = TraceEvent(at: at, sender.name, .transfer)
      event.lane = "userInfo"
      next.append(event)
    }
    add(.flow, at: sender)
    add(.cancel, at: sender, count: Int64(draw.below(3)))
    add(.flow, at: sender)
    next.append(TraceEvent(at: at, "server", .stop))
    for node in others + [sender] { add(.connect, at: node) }
    for node in others + [sender] { add(.flow, at: node) }
  }

  /// Pieces of a file go up one after the other before the server answers any: it is sent some again.
  private mutating func uploadUnheard(_ run: ServerRun) {
    let senders = run.nodes.filter { !$0.device.isTyped && $0.isActive }
    guard !senders.isEmpty else { return }
    let sender = draw.pick(senders)
    var event = TraceEvent(at: at, sender.name, .transfer, count: Int64(2 + draw.below(200)))
    event.lane = "file"
    next.append(event)
    add(.flow, at: sender)
    for _ in 0...1 + draw.below(2) { add(.upload, at: sender, count: Int64(1 + draw.below(120))) }
    add(.flow, at: sender)
  }

  // MARK: One device

  /// Who is not connected puts something in at both ends of a text, and empties it.
  private mutating func retype(_ writer: ServerNode) {
    guard options.faults.contains(.cut), let shown = shown(writer) else { return }
    let edits = edits!.retype(shown, &draw)
    guard !edits.isEmpty else { return }
    add(.drop, at: writer)
    for edit in edits { add(edit, at: writer) }
    add(.connect, at: writer)
    add(.flow, at: writer)
  }

  /// A device corrects its clock while the hub has what it wrote last, and cannot say so.
  private mutating func correct(_ writer: ServerNode) {
    guard options.faults.isSuperset(of: [.clock, .disk]), let shown = shown(writer),
      !shown.records.isEmpty
    else { return }
    let target = draw.pick(shown.records).target
    // Nothing else is on its way.
    add(.flow, at: writer)
    add(edits!.change(target, shown, &draw), at: writer)
    add(.up, at: writer)
    next.append(TraceEvent(at: at, "server", .fail))
    add(.clock, at: writer, count: Self.tooFarAhead)
    add(edits!.change(target, shown, &draw), at: writer)
    add(.flow, at: writer)
    next.append(TraceEvent(at: at, "server", .recover))
    add(.flow, at: writer)
  }

  // MARK: A device with whole records, and another one

  /// Somebody changes a timer, once or more often than deliveries are kept. A device with whole records reads some of
  /// that, changes the timer as well, and has acknowledged nothing.
  private mutating func overlap(_ reader: ServerNode, _ writer: ServerNode) {
    guard let (timer, shown, inside) = shared(reader, writer) else { return }
    let elsewhere = (reader.app?.roots ?? []).filter { $0 != timer && shown.has($0) }
    if options.faults.contains(.clock), draw.percent(30) {
      add(
        .clock, at: draw.percent(60) ? writer : reader, count: draw.pick([2_000, Self.ahead]))
    }
    let isMuch = draw.percent(options.wholeRecords.emphasis == .unread ? 50 : 10)
    let rounds =
      isMuch ? Self.mostInFlight + 1 + draw.below(3) : draw.pick([(2, 1), (1, 2)])
    let read = isMuch ? 0 : draw.below(rounds + 1)
    let areNotes = !isMuch && draw.percent(30)
    var last: Edit?
    for round in 0..<rounds {
      // What is written over at once is in one delivery alone.
      let edit =
        isMuch && round == 1
        ? alike(last, shown)
        : areNotes
          ? edits!.note(timer, &draw) : change(timer, inside, elsewhere, shown, isPlain: isMuch)
      add(edit, at: writer)
      add(.flow, at: writer)
      if round == read { add(.down, at: reader) }
      last = edit
    }
    let own =
      areNotes
      ? edits!.note(timer, &draw)
      : draw.percent(40)
        ? alike(last, shown) : edits!.change(draw.pick([timer] + inside), shown, &draw)
    add(own, at: reader)
    add(.up, at: reader)
  }

  /// Somebody whose clock is ahead changes a timer. A device with whole records reads that and changes it again.
  private mutating func overwrite(_ reader: ServerNode, _ writer: ServerNode) {
    guard options.faults.contains(.clock), let (timer, shown, _) = shared(reader, writer) else {
      return
    }
    let first = edits!.change(timer, shown, &draw)
    add(.clock, at: writer, count: draw.pick([2_000, Self.ahead]))
    add(first, at: writer)
    add(.flow, at: writer)
    add(.down, at: reader)
    add(alike(first, shown), at: reader)
    add(.up, at: reader)
  }

  /// A device with whole records deletes a timer that it had changed with its clock ahead, is brought it back by what was
  /// on its way, deletes it again, and changes what comes back once more. Something of its was refused before, or its
  /// connection ends before it has acknowledged what came, or it sends nothing before the end. Or it deletes, after something
  /// was refused, what it has acknowledged.
  private mutating func deleteTwice(_ reader: ServerNode, _ writer: ServerNode) {
    guard options.faults.contains(.clock), let (timer, shown, inside) = shared(reader, writer)
    else { return }
    if options.faults.contains(.disk), draw.percent(60) {
      next.append(TraceEvent(at: at, "server", .fail))
      // What it shows then, the others show as well, so that it can be said what it had seen.
      let isAlike = draw.percent(40)
      if isAlike {
        add(.fullSync, at: reader)
      } else {
        add(edits!.change(timer, shown, &draw), at: reader)
      }
      add(.flow, at: reader)
      next.append(TraceEvent(at: at, "server", .recover))
      if isAlike {
        for _ in 0..<2 {
          add(edits!.change(timer, shown, &draw), at: writer)
          add(.flow, at: writer)
          add(.flow, at: reader)
        }
        let target = draw.pick(inside + [timer])
        add(Edit(target.kind, target.record, .delete), at: reader)
        return add(.flow, at: reader)
      }
    }
    let isCut = options.faults.contains(.cut) && draw.percent(40)
    let isSilent = !isCut && draw.percent(60)
    let delete = Edit(timer.kind, timer.record, .delete)
    add(edits!.change(timer, shown, &draw), at: writer)
    add(.clock, at: reader, count: draw.pick([100, 2_000]))
    add(edits!.change(timer, shown, &draw), at: reader)
    add(delete, at: reader)
    add(.clock, at: reader, count: 0)
    add(.flow, at: writer)
    add(isCut || isSilent ? .down : .flow, at: reader)
    if isCut {
      add(.drop, at: reader)
      add(.connect, at: reader)
      add(.flow, at: reader)
    }
    add(edits!.change(timer, shown, &draw), at: writer)
    add(.flow, at: writer)
    add(delete, at: reader)
    add(isSilent ? .down : .flow, at: reader)
    add(edits!.change(timer, shown, &draw), at: reader)
    add(.flow, at: reader)
  }

  /// Two devices with whole records write one field, unseen by one another, with clocks that are ahead of the
  /// hub's: in one millisecond, or one after the other.
  private mutating func writeAhead(_ readers: [ServerNode], _ writer: ServerNode) {
    for node in [writer] + readers { add(.flow, at: node) }
    let pair = draw.percent(50) ? readers.prefix(2).reversed() : Array(readers.prefix(2))
    guard let (timer, shown, _) = shared(pair[0], writer),
      pair[1].app?.roots.contains(timer) == true
    else { return }
    let ahead = draw.pick([2_000, Self.ahead])
    let first = edits!.change(timer, shown, &draw)
    add(.clock, at: pair[0], count: ahead)
    add(first, at: pair[0])
    let start = at
    add(alike(first, shown), at: pair[1])
    let later = draw.pick([0, 0, 1, -1, 5, -5])
    next.insert(
      TraceEvent(at: start, pair[1].name, .clock, count: ahead + Int64(later) - (at - start)),
      at: next.count - 1)
    for node in draw.percent(50) ? pair : pair.reversed() { add(.up, at: node) }
  }

  /// Both make a record under one name, and the one with whole records has not read the other's.
  private mutating func makeTwice(_ reader: ServerNode, _ writer: ServerNode) {
    guard let shown = shown(writer),
      let one = root(shown),
      let other = root(shown)
    else { return }
    let timer = Target(one.kind, one.record)
    let haveNotes = draw.percent(50)
    let makers = [(writer, one), (reader, Edit(one.kind, one.record, other.change))]
    for (node, create) in draw.percent(50) ? makers : makers.reversed() {
      add(create, at: node)
      if haveNotes { add(edits!.note(timer, &draw), at: node) }
      if node === writer { add(.flow, at: writer) } else { add(.down, at: reader) }
    }
    add(.up, at: reader)
  }

  /// Both put timers last, unseen by one another. Who has whole records reads that, makes another one, and arranges all.
  private mutating func putTogether(_ reader: ServerNode, _ writer: ServerNode) {
    guard let shown = shown(writer) else { return }
    for _ in 0..<draw.pick([2, 2, 3, 3]) {
      add(root(shown), at: writer)
    }
    add(.flow, at: writer)
    for _ in 0..<draw.pick([1, 2]) {
      add(root(shown), at: reader)
    }
    add(.down, at: reader)
    add(root(shown), at: reader)
    add(.fullSync, at: reader, count: Int64(draw.below(720)))
    add(.flow, at: reader)
  }

  /// A phone asks for everything; its clock goes ahead, it acts without a date, and what it acted on gets another
  /// number. Somebody else's timer has its old number then.
  private mutating func askForAll(_ reader: ServerNode, _ writer: ServerNode) {
    guard reader.device.isPhone, options.faults.contains(.clock), let shown = shown(writer),
      let last = root(shown),
      let first = root(shown),
      let second = root(shown)
    else { return }
    add(.syncRequest, at: reader)
    add(first, at: reader)
    add(.clock, at: reader, count: Self.ahead)
    add(second, at: reader)
    add(edits!.note(Target(second.kind, second.record), &draw), at: reader)
    add(Edit(first.kind, first.record, .delete), at: reader)
    add(.flow, at: reader)
    add(last, at: writer)
    add(.flow, at: writer)
    add(.flow, at: reader)
  }

  /// Lists are arranged, nobody is there until their pair has left the memory, and they are arranged again: the server
  /// has to know from its store what they were like.
  private mutating func arrangeAfterSleep(_ reader: ServerNode, _ run: ServerRun) {
    guard options.faults.contains(.collection) else { return }
    let all = run.nodes.filter { $0.link != nil }
    add(.fullSync, at: reader, count: Int64(draw.below(120)))
    add(.flow, at: reader)
    for node in all { add(.flow, at: node) }
    for node in all { add(.drop, at: node) }
    at += 31_000
    next.append(TraceEvent(at: at, "server", .commit))
    if draw.percent(50) { add(.fullSync, at: reader, count: Int64(draw.below(120))) }
    for node in all { add(.connect, at: node) }
    add(.flow, at: reader)
    add(.fullSync, at: reader, count: Int64(draw.below(120)))
    add(.flow, at: reader)
  }

  /// A to-do is made and ticked in a timer that is deleted, and collected before anybody hears of the to-do.
  private mutating func strand(_ reader: ServerNode, _ writer: ServerNode) {
    guard options.faults.isSuperset(of: [.collection, .cut]),
      let (timer, shown, _) = shared(reader, writer),
      let todo = edits!.create("todo", in: timer, shown, &draw)
    else { return }
    add(.flow, at: reader)
    add(todo, at: reader)
    add(
      Edit(todo.kind, todo.record, .set(fields: Array("{\"isCompleted\":true}".utf8))), at: reader)
    add(.drop, at: reader)
    add(Edit(timer.kind, timer.record, .delete), at: writer)
    // The delete is that old when it comes.
    at += 86_400_000 * 91
    next.append(TraceEvent(at: at, "server", .commit))
    add(.flow, at: writer)
    add(.connect, at: reader)
    add(.flow, at: reader)
  }

  // MARK: What they do

  /// A new record of the kind that contains the others.
  private mutating func root(_ shown: Shown) -> Edit? {
    edits!.create(options.wholeRecords.root, shown, &draw)
  }

  func shown(_ node: ServerNode) -> Shown? {
    guard let fold = node.sync?.fold, let schema else { return nil }
    return Shown(fold, schema)
  }

  /// A timer that both show, and what is in it at the one that writes.
  private mutating func shared(
    _ reader: ServerNode, _ writer: ServerNode
  ) -> (timer: Target, shown: Shown, inside: [Target])? {
    guard let shown = shown(writer), let fold = writer.sync?.fold, let schema else { return nil }
    let timers = (reader.app?.roots ?? []).filter(shown.has)
    guard !timers.isEmpty else { return nil }
    let timer = draw.pick(timers)
    return (
      timer, shown,
      shown.records.map(\.target).filter { fold.container(of: $0, schema) == timer }
    )
  }

  /// A change of a timer or of a to-do in it, which may go elsewhere or altogether.
  private mutating func change(
    _ timer: Target, _ inside: [Target], _ elsewhere: [Target], _ shown: Shown, isPlain: Bool
  ) -> Edit? {
    guard !isPlain, !inside.isEmpty, draw.percent(60) else {
      return edits!.change(timer, shown, &draw)
    }
    let todo = draw.pick(inside)
    switch draw.below(3) {
    case 0: return Edit(todo.kind, todo.record, .delete)
    case 1 where !elsewhere.isEmpty:
      return Edit(
        todo.kind, todo.record, .move(after: nil, into: draw.pick(elsewhere).record))
    default: return edits!.change(todo, shown, &draw)
    }
  }

  /// A change of the fields that another one changes.
  private mutating func alike(_ edit: Edit?, _ shown: Shown) -> Edit? {
    guard let edit, case .set(let fields) = edit.change else { return edit }
    let names = Spelling.fields(fields).map(\.name)
    for _ in 0..<20 {
      guard let other = edits!.change(Target(edit.kind, edit.record), shown, &draw),
        case .set(let fields) = other.change
      else { return nil }
      if Spelling.fields(fields).map(\.name) == names { return other }
    }
    return nil
  }

  mutating func add(_ edit: Edit?, at node: ServerNode) {
    guard let edit else { return }
    at += draw.pick([1, 40])
    var event = TraceEvent(at: at, node.name, .edit)
    event.edit = edit
    next.append(event)
  }

  mutating func add(_ verb: TraceEvent.Verb, at node: ServerNode, count: Int64? = nil) {
    var event = TraceEvent(at: at, node.name, verb)
    event.count = count
    next.append(event)
  }
}
