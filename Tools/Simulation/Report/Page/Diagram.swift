/// Where everything stands in a space-time diagram: a column for each place, and rows downwards in
/// the order of the steps.
struct Diagram {
  struct Row {
    /// The steps that it shows; more than one where they are folded.
    var steps: Range<Int>
    var isFolded: Bool { steps.count > 1 }
  }

  /// From the middle of one row to the middle of another.
  struct Line {
    var fromRow: Int
    var fromLane: Int
    var toRow: Int
    var toLane: Int
    var isOnPath: Bool

    /// Whether a part of it is in a row.
    func crosses(_ row: Int) -> Bool { min(fromRow, toRow) <= row && row <= max(fromRow, toRow) }
  }

  /// Runs of at least this many steps in which nothing of interest happens are folded.
  static let shortestFold = 4
  /// A recording of at most so many steps is shown as it is.
  static let shortRecording = 12

  let recording: Recording
  private(set) var rows: [Row] = []
  private(set) var lines: [Line] = []
  /// For each step, whether what it sends arrives anywhere.
  private(set) var arrives: [Bool]
  /// For each step, whether it is on the losing path.
  private(set) var isOnPath: [Bool]
  private var rowOfStep: [Int] = []

  /// - Parameter isFolded: whether what is not of interest takes one row.
  init(_ finding: Finding, _ recording: Recording, isFolded: Bool) {
    self.recording = recording
    let steps = recording.steps
    isOnPath = steps.map { _ in false }
    arrives = steps.map { _ in false }
    for index in finding.path where steps.indices.contains(index) { isOnPath[index] = true }
    for step in steps {
      if let from = step.from, steps.indices.contains(from) { arrives[from] = true }
    }
    let mustFold = isFolded && steps.count > Self.shortRecording
    let interest = mustFold ? Self.interest(finding, recording, isOnPath) : steps.map { _ in true }
    lay(interest)
    draw()
  }

  /// Which steps a reader has to see.
  private static func interest(
    _ finding: Finding, _ recording: Recording, _ isOnPath: [Bool]
  ) -> [Bool] {
    let changes = Holdings(recording).changes
    var interest = isOnPath
    for (index, step) in recording.steps.enumerated() {
      let isOfField =
        finding.field.map { field in
          changes[index].contains { $0.isOf(field.kind, field.record) }
        } ?? false
      if isOfField || step.kind == .edit || step.kind == .fault {
        interest[index] = true
        if let from = step.from, interest.indices.contains(from) { interest[from] = true }
      }
    }
    for write in finding.field?.writes ?? [] where interest.indices.contains(write.step) {
      interest[write.step] = true
    }
    return interest
  }

  private mutating func lay(_ interest: [Bool]) {
    var index = 0
    while index < interest.count {
      var end = index + 1
      if !interest[index] {
        while end < interest.count, !interest[end] { end += 1 }
        if end - index < Self.shortestFold { end = index + 1 }
      }
      rowOfStep += Array(repeating: rows.count, count: end - index)
      rows.append(Row(steps: index..<end))
      index = end
    }
  }

  private mutating func draw() {
    let lanes = recording.steps.map { recording.index(of: $0.place) }
    func add(_ from: Int, _ to: Int, isOnPath: Bool) {
      guard let fromLane = lanes[from], let toLane = lanes[to], rowOfStep[from] != rowOfStep[to]
      else { return }
      lines.append(
        Line(
          fromRow: rowOfStep[from], fromLane: fromLane, toRow: rowOfStep[to], toLane: toLane,
          isOnPath: isOnPath))
    }
    for (index, step) in recording.steps.enumerated() {
      guard let from = step.from, from < index, from >= 0 else { continue }
      add(from, index, isOnPath: isOnPath[from] && isOnPath[index])
    }
    // Along a place from one step of the path to the next.
    for lane in recording.places.indices {
      let steps = recording.steps.indices.filter { isOnPath[$0] && lanes[$0] == lane }
      for (from, to) in zip(steps, steps.dropFirst()) { add(from, to, isOnPath: true) }
    }
    // What is drawn last lies on top.
    lines = lines.filter { !$0.isOnPath } + lines.filter(\.isOnPath)
  }
}
