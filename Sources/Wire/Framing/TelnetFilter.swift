/// Takes telnet's commands out of what a client sends (RFC 854, RFC 855).
///
/// Every command and option is swallowed. Only `IAC DO TIMING-MARK`, by which a client asks how
/// far its input has been read (RFC 860; Linux telnet sends it after an interrupt), is answered:
/// `IAC WONT TIMING-MARK`. `IAC IAC` is the byte 0xFF. A subnegotiation longer than
/// `longestSubnegotiation` ends there, so that a stray `IAC SB` does not silence a connection.
///
/// ```
///   data ──IAC──▶ command ──DO,DONT,WILL,WONT──▶ option ──▶ data
///    ▲ ◀──others──┘   └──SB──▶ subnegotiation ──IAC──▶ command within ──SE──▶ data
/// ```
package struct TelnetFilter: Sendable {
  /// Bytes between `IAC SB` and `IAC SE`.
  package static let longestSubnegotiation = 4096

  private enum State {
    case data, command, option(UInt8), subnegotiation, commandWithin
  }

  private var state = State.data
  private var swallowed = 0

  package init() {}

  /// Where it is, for another filter that goes on there.
  package var saved: UInt64 {
    let (number, option): (UInt64, UInt8) =
      switch state {
      case .data: (0, 0)
      case .command: (1, 0)
      case .option(let command): (2, command)
      case .subnegotiation: (3, 0)
      case .commandWithin: (4, 0)
      }
    return number | UInt64(option) << 8 | UInt64(swallowed) << 16
  }

  /// - Parameter saved: what another filter has said of itself. What none says is the start.
  package init(saved: UInt64) {
    switch saved & 0xFF {
    case 1: state = .command
    case 2: state = .option(UInt8(truncatingIfNeeded: saved >> 8))
    case 3: state = .subnegotiation
    case 4: state = .commandWithin
    default: return
    }
    swallowed = Int(min(saved >> 16, UInt64(Self.longestSubnegotiation)))
  }

  /// In the middle of a command, so that the next byte is not data for certain.
  package var isActive: Bool {
    if case .data = state { false } else { true }
  }

  /// Appends the data of `chunk` to `clean`, and what must be sent back to `replies`.
  package mutating func filter(
    _ chunk: UnsafeRawBufferPointer, into clean: inout [UInt8], replies: inout [UInt8]
  ) {
    var at = 0
    while at < chunk.count {
      if case .data = state {
        let end = chunk[at...].firstIndex(of: Telnet.interpret) ?? chunk.count
        clean.append(contentsOf: chunk[at..<end])
        guard end < chunk.count else { return }
        state = .command
        at = end + 1
        continue
      }
      step(chunk[at], &clean, &replies)
      at += 1
    }
  }

  private mutating func step(_ byte: UInt8, _ clean: inout [UInt8], _ replies: inout [UInt8]) {
    switch state {
    case .data: clean.append(byte)
    case .command:
      switch byte {
      case Telnet.interpret:
        clean.append(byte)
        state = .data
      case Telnet.will...Telnet.dont: state = .option(byte)
      case Telnet.subnegotiation:
        swallowed = 0
        state = .subnegotiation
      default: state = .data
      }
    case .option(let command):
      if command == Telnet.do, byte == Telnet.timingMark {
        replies.append(contentsOf: [Telnet.interpret, Telnet.wont, Telnet.timingMark])
      }
      state = .data
    case .subnegotiation, .commandWithin:
      swallowed += 1
      if case .commandWithin = state {
        state = byte == Telnet.endOfSubnegotiation ? .data : .subnegotiation
      } else if byte == Telnet.interpret {
        state = .commandWithin
      }
      if swallowed >= Self.longestSubnegotiation { state = .data }
    }
  }
}

/// Bytes of RFC 854 and RFC 860.
private enum Telnet {
  static let endOfSubnegotiation: UInt8 = 240
  static let subnegotiation: UInt8 = 250
  static let will: UInt8 = 251
  static let wont: UInt8 = 252
  static let `do`: UInt8 = 253
  static let dont: UInt8 = 254
  static let interpret: UInt8 = 255
  static let timingMark: UInt8 = 6
}
