/// A queue over one array: taken from the front, added to at the back, indexed from the front.
///
/// Taking moves a head; the array is compacted when half of it is behind the head, so that each
/// element is moved at most once on average.
struct Deque<Element> {
  private var storage: [Element] = []
  private var head = 0

  @inline(__always)
  var count: Int { storage.count - head }
  var isEmpty: Bool { count == 0 }
  var first: Element? { isEmpty ? nil : storage[head] }
  var last: Element? { isEmpty ? nil : storage[storage.count - 1] }

  subscript(index: Int) -> Element {
    _read { yield storage[head + index] }
    _modify { yield &storage[head + index] }
  }

  mutating func append(_ element: Element) {
    storage.append(element)
  }

  mutating func removeFirst() -> Element {
    let element = storage[head]
    head += 1
    if head == storage.count {
      storage.removeAll(keepingCapacity: storage.capacity <= 64)
      head = 0
    } else if head >= 64, head * 2 >= storage.count {
      storage.removeFirst(head)
      head = 0
    }
    return element
  }

  mutating func popFirst() -> Element? { isEmpty ? nil : removeFirst() }

  mutating func sort(by areInIncreasingOrder: (Element, Element) -> Bool) {
    storage.removeFirst(head)
    head = 0
    storage.sort(by: areInIncreasingOrder)
  }

  mutating func removeLast() {
    storage.removeLast()
  }

  /// The first index whose element is not below `key`, where elements rise by `property`.
  func lowerBound(_ key: UInt64, by property: (Element) -> UInt64) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if property(self[middle]) < key { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
