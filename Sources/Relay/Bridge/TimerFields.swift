import AppModels
import Merge

/// A part of a timer that changes by itself, as two copies of the timer are compared.
enum TimerField: Hashable {
  case name, duration, icon, color, notes, sortOrder
  /// That a to-do is there.
  case todo(Identifier)
  case text(Identifier)
  case isCompleted(Identifier)
}

/// A timer as its fields' values; what it does not have has no value.
struct TimerFields {
  let values: [TimerField: Datum]

  init(_ timer: TimerDTO) {
    var values: [TimerField: Datum] = [
      .name: .string(timer.name),
      .duration: .string(Name(String(timer.durationInSeconds))),
      .icon: .string(timer.icon),
      .color: .string(timer.colorHex),
      .notes: .string(timer.notes ?? ""),
    ]
    values[.sortOrder] = timer.sortOrder.map { .string(Name(String($0))) }
    for todo in timer.todoItems {
      values[.todo(todo.id)] = .bool(true)
      values[.text(todo.id)] = .string(todo.text)
      values[.isCompleted(todo.id)] = .bool(todo.isCompleted)
    }
    self.values = values
  }

  subscript(field: TimerField) -> Datum? { values[field] }
}

extension TimerDTO {
  /// Whether two copies show the same, dates apart. An order that one of them does not have is no
  /// difference.
  func showsSame(as other: TimerDTO) -> Bool {
    name == other.name && durationInSeconds == other.durationInSeconds && icon == other.icon
      && colorHex == other.colorHex && notes ?? "" == other.notes ?? ""
      && (sortOrder == nil || other.sortOrder == nil || sortOrder == other.sortOrder)
      && orderedTodos.map(\.shown) == other.orderedTodos.map(\.shown)
  }

  /// Whether the to-dos that two copies share stand in the same order.
  func ordersTodos(as other: TimerDTO) -> Bool {
    let (ids, others) = (orderedTodos.map(\.id), other.orderedTodos.map(\.id))
    return ids.filter(others.contains) == others.filter(ids.contains)
  }

  func todo(_ id: Identifier) -> TodoItemDTO? { todoItems.first { $0.id == id } }
}

extension TodoItemDTO {
  fileprivate struct Shown: Equatable {
    var id: Identifier
    var text: Name
    var isCompleted: Bool
  }

  fileprivate var shown: Shown { Shown(id: id, text: text, isCompleted: isCompleted) }

  /// Whether two copies show the same, dates and place apart.
  func showsSame(as other: TodoItemDTO) -> Bool { shown == other.shown }
}

/// The longest rising part of a sequence: what may stay where it is while the rest is moved.
enum RisingSubsequence {
  /// The positions of one of the longest strictly rising subsequences, in order (Fredman, "On
  /// computing the length of longest increasing subsequences", Discrete Mathematics 11, 1975).
  static func positions(_ values: [Int]) -> [Int] {
    // tails[k]: where the smallest end of a subsequence of k + 1 values stands.
    var tails: [Int] = []
    var previous = Array(repeating: -1, count: values.count)
    for (index, value) in values.enumerated() {
      var low = 0
      var high = tails.count
      while low < high {
        let middle = (low + high) / 2
        if values[tails[middle]] < value { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[index] = tails[low - 1] }
      if low == tails.count { tails.append(index) } else { tails[low] = index }
    }
    var positions: [Int] = []
    var at = tails.last ?? -1
    while at >= 0 {
      positions.append(at)
      at = previous[at]
    }
    return positions.reversed()
  }

  /// What has to be moved to bring one order into another, and behind what each goes, nil for the
  /// front; in the order in which the moves are to be made.
  ///
  /// - Parameter old: has all of `new`, and nothing twice.
  static func moves<ID: Hashable>(from old: [ID], to new: [ID]) -> [(id: ID, after: ID?)] {
    var places: [ID: Int] = [:]
    for (index, id) in old.enumerated() { places[id] = index }
    let kept = Set(positions(new.map { places[$0] ?? 0 }))
    return new.indices.filter { !kept.contains($0) }.map {
      (new[$0], $0 == 0 ? nil : new[$0 - 1])
    }
  }
}
