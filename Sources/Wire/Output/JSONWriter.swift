/// JSON text, member by member.
package struct JSONWriter {
  package private(set) var bytes: [UInt8] = []
  private var isFirst = true

  package init() {}

  package mutating func string(_ text: String) {
    separate()
    bytes.append(jsonString: text)
  }

  package mutating func number(_ number: some FixedWidthInteger) {
    separate()
    bytes.append(decimal: number)
  }

  package mutating func object(_ body: (inout Self) -> Void) {
    separate()
    enclose(0x7B, 0x7D, body)
  }

  /// A member that is a string; null where there is none.
  package mutating func member(_ name: String, _ value: String?) {
    key(name)
    if let value { bytes.append(jsonString: value) } else { bytes.append("null" as StaticString) }
  }

  package mutating func member(_ name: String, _ value: some FixedWidthInteger) {
    key(name)
    bytes.append(decimal: value)
  }

  /// A member whose value is JSON text.
  package mutating func raw(_ name: String, _ json: String) {
    key(name)
    bytes.append(text: json)
  }

  package mutating func object(_ name: String, _ body: (inout Self) -> Void) {
    key(name)
    enclose(0x7B, 0x7D, body)
  }

  package mutating func array<Element>(
    _ name: String, _ elements: [Element], _ body: (inout Self, Element) -> Void
  ) {
    key(name)
    enclose(0x5B, 0x5D) { for element in elements { body(&$0, element) } }
  }

  private mutating func key(_ name: String) {
    separate()
    bytes.append(jsonString: name)
    bytes.append(0x3A)
  }

  private mutating func enclose(_ open: UInt8, _ close: UInt8, _ body: (inout Self) -> Void) {
    bytes.append(open)
    isFirst = true
    body(&self)
    bytes.append(close)
    isFirst = false
  }

  private mutating func separate() {
    if !isFirst { bytes.append(0x2C) }
    isFirst = false
  }
}
