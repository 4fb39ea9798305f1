import Merge
import Oracle
import Seeded
import Wire

/// Draws what people do to the records that a device shows. It collides on purpose: few records,
/// the one that was edited last before others, values that nobody wrote before.
struct EditGenerator {
  /// What is drawn more often than other things.
  struct Settings: Equatable, Sendable {
    /// How many records of a kind there are at most.
    var records = 2
    /// How often, of a hundred times, an edit is about the record of the edit before it.
    var hot = 70
    /// Edits are mostly about records that stand in others, and about those others. Ours alone.
    var isNested = false
    /// What our own merge alone has to take: groups in part, nulls, one field before all others, texts that are
    /// emptied or respelled, edits of what is gone.
    var isThorough = false
  }

  let templates: [EditTemplate]
  let can: Set<Started.Ability>
  let settings: Settings
  /// Records of which only the last delete is known, and which are made anew by their ids.
  var tombstones: [Target] = []
  /// What stands in something else, or refers to it, comes more often.
  private let isNested: Bool
  /// Somebody else's merge: nothing looks into it, so that more has to be seen from outside.
  private var isForeign: Bool { !can.contains(.restore) }
  /// The number of the last value or record.
  private var count = 0
  /// The record of the last edit.
  private var last: Target?
  /// Every record that was created.
  private var known: [Target] = []

  init(_ templates: [EditTemplate], _ settings: Settings, can: Set<Started.Ability>) {
    self.templates = templates
    self.settings = settings
    self.can = can
    isNested = settings.isNested && can.contains(.restore)
  }

  /// An edit; nil where nothing can be done.
  ///
  /// - Parameter isStale: the form was opened a while ago: no text is typed, nothing is created.
  mutating func edit(_ shown: Shown, isStale: Bool, _ draw: inout SplitMix64) -> Edit? {
    guard let target = target(shown, &draw) else { return create(shown, &draw) }
    let template = templates.first { $0.kind.name == target.kind }!
    let canMove = template.kind.order != nil && can.contains(.move)
    let canType = !template.texts.isEmpty && can.contains(.text) && !isStale
    let isBare = isNested && shown.records.count { isInside($0.target) } < 2
    switch draw.weighted([
      isStale ? 0 : isBare ? 60 : 14, 46, can.contains(.delete) ? isNested ? 25 : 13 : 0,
      canMove ? isNested || isForeign ? 25 : 13 : 0, canType ? 16 : 0,
      isStale ? 0 : settings.isThorough ? 8 : 4,
    ]) {
    case 0: return create(shown, &draw) ?? set(target, template, shown, &draw)
    case 2:
      let chosen = isNested ? outer(target, template, shown, &draw) : target
      return done(Edit(chosen.kind, chosen.record, .delete), target)
    case 3: return move(target, template, shown, &draw)
    case 4: return type(target, template, shown, &draw)
    case 5: return again(shown, &draw) ?? set(target, template, shown, &draw)
    default: return set(target, template, shown, &draw)
    }
  }

  /// A change of fields of a record that is shown; nil where it has none.
  mutating func change(_ target: Target, _ shown: Shown, _ draw: inout SplitMix64) -> Edit? {
    templates.first { $0.kind.name == target.kind }.flatMap { set(target, $0, shown, &draw) }
  }

  /// A new record of a kind, in a container where one is given; nil where that cannot be.
  mutating func create(
    _ kind: Name, in container: Target? = nil, _ shown: Shown, _ draw: inout SplitMix64
  ) -> Edit? {
    guard let template = templates.first(where: { $0.kind.name == kind }) else { return nil }
    var shown = shown
    if let container { shown.records.removeAll { $0.target != container } }
    return create(Target(kind, Name(Self.id(next()))), template, shown, &draw)
  }

  mutating func done(_ edit: Edit, _ target: Target) -> Edit {
    last = target
    return edit
  }

  private func target(_ shown: Shown, _ draw: inout SplitMix64) -> Target? {
    guard !shown.records.isEmpty else { return nil }
    if let last, draw.percent(settings.hot), shown.has(last) { return last }
    if isNested, draw.percent(60) {
      let inside = shown.records.filter { isInside($0.target) }
      if !inside.isEmpty { return draw.pick(inside).target }
    }
    return draw.pick(shown.records).target
  }

  private func isInside(_ target: Target) -> Bool {
    templates.contains { $0.kind.name == target.kind && $0.kind.container != nil }
  }

  /// A record, or what it stands in or refers to, or might.
  private func outer(
    _ target: Target, _ template: EditTemplate, _ shown: Shown, _ draw: inout SplitMix64
  ) -> Target {
    let above = above(target, template, shown)
    guard !above.isEmpty, draw.percent(70) else { return target }
    if draw.percent(50) { return draw.pick(above) }
    return draw.pick(shown.records.filter { $0.target.kind == above[0].kind }).target
  }

  /// What a record stands in and refers to.
  private func above(_ target: Target, _ template: EditTemplate, _ shown: Shown) -> [Target] {
    guard let record = shown[target] else { return [] }
    var named: [(kind: Name, field: Name)] = []
    if let container = template.kind.container { named.append((container.kind, container.field)) }
    for field in template.registers.flatMap(\.fields) {
      if case .reference(let kind) = field.value { named.append((kind, field.name)) }
    }
    return named.compactMap { kind, field in
      record[field].flatMap(Spelling.text).map { Target(kind, Name($0)) }
    }.filter(shown.has)
  }

  // MARK: Records

  mutating func create(_ shown: Shown, _ draw: inout SplitMix64) -> Edit? {
    let possible = templates.filter { template in
      let count = shown.records.count { $0.target.kind == template.kind.name }
      if template.kind.fixedID != nil { return count == 0 }
      guard count < settings.records else { return false }
      guard let container = template.kind.container else { return true }
      return shown.records.contains { $0.target.kind == container.kind }
    }
    guard !possible.isEmpty else { return nil }
    let inside = isNested ? possible.filter { $0.kind.container != nil } : []
    // What stands alone has the fewest ways to collide.
    let others = possible.filter { !$0.kind.standsAlone }
    let isAny = others.isEmpty || others.count == possible.count || draw.percent(10)
    let usual = isAny ? possible : others
    let template = draw.pick(inside.isEmpty || draw.percent(25) ? usual : inside)
    let number = next()
    let record =
      template.kind.fixedID ?? tombstone(template.kind.name, &draw) ?? Name(Self.id(number))
    return create(Target(template.kind.name, record), template, shown, &draw)
  }

  private func tombstone(_ kind: Name, _ draw: inout SplitMix64) -> Name? {
    let tombstones = tombstones.filter { $0.kind == kind }
    return tombstones.isEmpty || draw.percent(50) ? nil : draw.pick(tombstones).record
  }

  private mutating func create(
    _ target: Target, _ template: EditTemplate, _ shown: Shown, _ draw: inout SplitMix64
  ) -> Edit? {
    var fields: [UInt8] = [0x7B]
    if let field = template.listField, let container = template.kind.container {
      let lists = shown.records.filter { $0.target.kind == container.kind }
      guard !lists.isEmpty else { return nil }
      member(field, Spelling.string(draw.pick(lists).target.record.text), &fields)
    }
    for register in template.registers + template.fixed
    where register.isMandatory || draw.percent(30) {
      guard write(register, template, shown, &draw, &fields) else { return nil }
    }
    if let text = template.text(&draw), can.contains(.text), draw.percent(40) {
      member(text, Spelling.string(Self.token(next(), &draw)), &fields)
    }
    fields.append(0x7D)
    if !known.contains(target) { known.append(target) }
    return done(Edit(target.kind, target.record, .create(fields: fields)), target)
  }

  /// A record that is gone is brought back, or made again.
  private mutating func again(_ shown: Shown, _ draw: inout SplitMix64) -> Edit? {
    let gone = known.filter { !shown.has($0) }
    guard !gone.isEmpty, can.contains(.delete) else { return nil }
    let target = draw.pick(gone)
    if can.contains(.restore), draw.percent(60) {
      return done(Edit(target.kind, target.record, .restore), target)
    }
    let template = templates.first { $0.kind.name == target.kind }!
    // Elsewhere it may be there.
    if settings.isThorough { return set(target, template, shown, &draw) }
    return create(target, template, shown, &draw)
  }

  // MARK: Fields

  private mutating func set(
    _ target: Target, _ template: EditTemplate, _ shown: Shown, _ draw: inout SplitMix64
  ) -> Edit? {
    guard !template.registers.isEmpty else { return nil }
    var fields: [UInt8] = [0x7B]
    var first = draw.below(template.registers.count)
    let groups = template.registers.indices.filter { template.registers[$0].fields.count > 1 }
    if isForeign, !groups.isEmpty, draw.percent(40) { first = draw.pick(groups) }
    // So that two devices write the same.
    if settings.isThorough, draw.percent(50) { first = 0 }
    let present = shown[target]
    guard write(template.registers[first], template, shown, &draw, &fields, over: present) else {
      return nil
    }
    if draw.percent(25) {
      let second = draw.below(template.registers.count)
      if second != first {
        guard write(template.registers[second], template, shown, &draw, &fields, over: present)
        else { return nil }
      }
    }
    if let text = template.text(&draw), can.contains(.form), draw.percent(8) {
      var value = Self.token(next(), &draw)
      // What is put in at two places is one operation of two actions.
      if settings.isThorough, let present = shown[target]?[text].flatMap(Spelling.text),
        draw.percent(50)
      {
        value += present + Self.token(next(), &draw)
      }
      member(text, Spelling.string(value), &fields)
    }
    fields.append(0x7D)
    return done(Edit(target.kind, target.record, .set(fields: fields)), target)
  }

  /// A group is written whole, unless ours alone has to take it.
  private mutating func write(
    _ register: EditTemplate.Register, _ template: EditTemplate, _ shown: Shown,
    _ draw: inout SplitMix64, _ fields: inout [UInt8], over present: Shown.Record? = nil
  ) -> Bool {
    let number = next()
    var container: Name?
    var nulls: [Name] = []
    for field in register.fields {
      var value: [UInt8] = []
      let isChange = settings.isThorough && present != nil
      if isChange, register.fields.count > 1, draw.percent(30) { continue }
      switch field.value {
      case .string: value = Spelling.string("\(field.name)\(number)")
      case .number(let range, let after): value = Array(range.value(number + after).utf8)
      case .date(let after): value = Array("\(800_000_000 + after + number)".utf8)
      case .bool:
        let isOn = present?[field.name].map { $0.first == 0x66 } ?? draw.percent(50)
        value = Array((isOn ? "true" : "false").utf8)
      case .uuid: value = Spelling.string(Self.id(number, "9000"))
      case .oneOf(let values):
        let others = values.filter { $0 != present?[field.name] }
        value = draw.pick(others.isEmpty ? values : others)
      case .reference(let kind):
        // What stands in something else stands in what was chosen before it.
        let among = shown.records.filter {
          guard $0.target.kind == kind else { return false }
          guard let container, let rule = template.kind.container,
            let owner = $0[rule.field]
          else { return true }
          return owner == Spelling.string(container.text)
        }
        if among.isEmpty || field.isOptional && draw.percent(isNested ? 20 : 50) {
          guard field.isOptional else { return false }
          value = Self.null
        } else {
          let record = draw.pick(among).target.record
          if kind == template.kind.container?.kind { container = record }
          value = Spelling.string(record.text)
        }
      }
      if isChange, field.isOptional, draw.percent(12) { value = Self.null }
      if let other = field.needs, nulls.contains(other) { value = Self.null }
      if value == Self.null { nulls.append(field.name) }
      member(field.name, value, &fields)
    }
    return true
  }

  func member(_ name: Name, _ value: [UInt8], _ fields: inout [UInt8]) {
    if fields.count > 1 { fields.append(0x2C) }
    fields.append(jsonString: name.text)
    fields.append(0x3A)
    fields += value
  }

  // MARK: Order

  private mutating func move(
    _ target: Target, _ template: EditTemplate, _ shown: Shown, _ draw: inout SplitMix64
  ) -> Edit? {
    var list = template.listField.flatMap { shown[target]?[$0] }
    var into: Name?
    if let container = template.kind.container, template.listField != nil, can.contains(.restore),
      draw.percent(isNested ? 50 : 20)
    {
      let lists = shown.records.filter { record in
        record.target.kind == container.kind
          && !(isNested && list == Spelling.string(record.target.record.text))
      }
      if !lists.isEmpty {
        let chosen = draw.pick(lists).target.record
        into = chosen
        list = Spelling.string(chosen.text)
      }
    }
    let others = shown.records.filter { other in
      other.target.kind == target.kind && other.target != target
        && (template.listField.flatMap { other[$0] }) == list
    }
    // A list of one has no order.
    if others.isEmpty, isForeign, let edit = create(shown, &draw) { return edit }
    // The front is where moves meet.
    let after = others.isEmpty || draw.percent(50) ? nil : draw.pick(others).target.record
    return done(
      Edit(target.kind, target.record, .move(after: after, into: into)), target)
  }

  mutating func next() -> Int {
    count += 1
    return count
  }

  private static func id(_ number: Int, _ variant: String = "8000") -> String {
    "\(String(String(100_000_000 + number).dropFirst()))-0000-4000-\(variant)-000000000000"
  }

  private static let null = Array("null".utf8)
}
