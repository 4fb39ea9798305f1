internal import Wire

/// What has been delivered on a connection and shown: the last number of each lane.
///
/// With automatic acknowledgement the server notices a little later that a delivery has reached
/// this machine, and does not once the connection has gone. A program that leaves as soon as its
/// line has come says so itself, and so exactly for the lines that it has shown.
package struct Deliveries {
  /// A delivery's place: the lane and its number there.
  package struct Number: Equatable {
    package let lane: String
    package let seq: Int64
  }

  private var last: [Number] = []

  package init() {}

  /// A line with a number has been shown.
  package mutating func shown(_ number: Number) {
    if let index = last.firstIndex(where: { $0.lane == number.lane }) {
      last[index] = number
    } else {
      last.append(number)
    }
  }

  /// The lines that acknowledge all that has been shown, with LF; none where nothing has.
  package var acknowledgements: [UInt8] {
    var lines: [UInt8] = []
    for number in last {
      lines.append("{\"type\":\"acknowledge\",\"lane\":", quoted: number.lane)
      lines.append(",\"seq\":" as StaticString)
      lines.append(decimal: number.seq)
      lines.append("}\n" as StaticString)
    }
    return lines
  }
}
