import AppModels
import Merge
import Seeded
import Wire

/// Two people at the to-do app, on a phone and a pad, who fill in its forms while records of the other come in.
///
/// Nothing is asked of the app but what it shows. What a form's save has to amount to follows from what was on
/// the screen when the form was opened and from what was typed: what was not touched stays as it is meanwhile.
package struct AppSession {
  private static let steps = 24

  private var dice: SplitMix64
  private let devices = [AppDevice(.phone), AppDevice(.pad)]
  /// Each character is typed into the notes once, so that it is known by whom.
  private var next: UInt32 = 0x4E00
  private var written: Set<Character> = []
  private var removed: Set<Character> = []
  private var story: [String] = []

  private struct Wrong: Error {
    var finding: Finding
  }

  /// - Returns: the first thing that is wrong; nil where nothing is.
  package static func run(seed: UInt64) -> Finding? {
    var session = AppSession(dice: SplitMix64(seed: seed))
    do throws(Wrong) {
      try session.play()
      return nil
    } catch {
      return error.finding
    }
  }

  private init(dice: SplitMix64) { self.dice = dice }

  private mutating func play() throws(Wrong) {
    try type("new Tea 5:00", on: devices[0])
    try exchange()
    for device in devices { try type("open 1", on: device) }
    for _ in 0..<Self.steps {
      let index = dice.below(2)
      let device = devices[index]
      if dice.below(4) == 0 {
        try receive(device, from: devices[1 - index])
      } else if let form = device.form {
        if dice.below(3) == 0 { try save(form, on: device) } else { try fill(form, on: device) }
      } else {
        try open(on: device)
      }
    }
    for device in devices { if let form = device.form { try save(form, on: device) } }
    try exchange()
    try exchange()
    let (one, other) = (devices[0].timer, devices[1].timer)
    guard one == other else { throw wrong("I1", "not-converged", "the two show different timers") }
    guard written.subtracting(removed).isSubset(of: Set(one.notes)) else {
      throw wrong("I25", "lost-text", "what was typed and never taken out is gone from the notes")
    }
  }

  // MARK: Steps

  private mutating func open(on device: AppDevice) throws(Wrong) {
    let timer = device.timer
    if dice.below(2) == 0 {
      try type("notes", on: device)
      device.form = .notes(shown: timer.notes, typed: timer.notes)
    } else {
      try type("edit", on: device)
      device.form = .timer(shown: timer, name: nil, duration: nil)
    }
  }

  private mutating func fill(_ form: AppDevice.Form, on device: AppDevice) throws(Wrong) {
    switch form {
    case .notes(let shown, var typed):
      // One who takes a character out does nothing else in that form: what is between two changes would be
      // written anew.
      if typed == shown, !shown.isEmpty, dice.below(2) == 0 {
        let index = typed.index(typed.startIndex, offsetBy: dice.below(typed.count))
        typed.remove(at: index)
      } else if typed.hasPrefix(shown) {
        typed.unicodeScalars.append(Unicode.Scalar(next)!)
        next += 1
      } else {
        return
      }
      try type(typed.isEmpty ? "clear" : "write \(typed)", on: device)
      device.form = .notes(shown: shown, typed: typed)
    case .timer(let shown, var name, var duration):
      if dice.below(2) == 0 {
        name = "Tea \(dice.below(1_000))"
        try type("name \(name!)", on: device)
      } else {
        duration = 1 + dice.below(3_000)
        try type("duration \(duration!)s", on: device)
      }
      device.form = .timer(shown: shown, name: name, duration: duration)
    }
  }

  private mutating func save(_ form: AppDevice.Form, on device: AppDevice) throws(Wrong) {
    let before = device.timer
    try type("save", on: device)
    device.form = nil
    let after = device.timer
    var name = before.name
    var duration = before.duration
    var notes = Set(before.notes)
    switch form {
    case .notes(let shown, let typed):
      let added = Set(typed).subtracting(shown)
      let gone = Set(shown).subtracting(typed)
      written.formUnion(added)
      removed.formUnion(gone)
      notes = notes.subtracting(gone).union(added)
    case .timer(let shown, let newName, let newDuration):
      if let newName, newName != shown.name { name = newName }
      if let newDuration, newDuration != shown.duration { duration = newDuration }
    }
    guard notes.isSubset(of: Set(after.notes)) else {
      throw wrong(
        "I25", "lost-text", "a save takes characters that came in meanwhile from the notes")
    }
    guard notes == Set(after.notes) else {
      throw wrong("I31", "own-edit-not-shown", "what was taken out of the notes is still there")
    }
    guard after.name == name, after.duration == duration else {
      throw wrong("I17", "untouched-field-written", "a save changes a field that nobody touched")
    }
  }

  // MARK: Devices

  private mutating func type(_ line: String, on device: AppDevice) throws(Wrong) {
    story.append("\(device.name) types \(line)")
    do throws(WireError) { try device.type(line) } catch {
      throw wrong("I31", "edit-refused", "the app refuses what can be typed: \(error.message)")
    }
  }

  private mutating func receive(_ device: AppDevice, from other: AppDevice) throws(Wrong) {
    story.append("\(device.name) receives what \(other.name) has")
    do throws(WireError) { try device.receive(from: other) } catch {
      throw wrong("I2", "edit-not-taken", "operations of an app are refused: \(error.message)")
    }
  }

  private mutating func exchange() throws(Wrong) {
    try receive(devices[0], from: devices[1])
    try receive(devices[1], from: devices[0])
  }

  private func wrong(_ invariant: String, _ slug: String, _ headline: String) -> Wrong {
    Wrong(
      finding: Finding(invariant: invariant, slug: slug, headline: headline, story: story))
  }
}
