import Wire

/// How the lines begin that are said most often of a device and its transfers, made when they are first needed.
///
/// They stay where they are as long as the device lives, so that no references are counted for a line. On the way of a
/// message that was one count of four, on that of a transfer five of thirty.
struct LineHeads: ~Copyable {
  private var made: [UnsafeRawBufferPointer?] = []

  deinit { for head in made { head?.deallocate() } }

  /// The head in a place of its own; `make` is asked for it once.
  @inline(__always)
  mutating func head(_ place: Int, _ make: () -> [UInt8]) -> UnsafeRawBufferPointer {
    if place < made.count, let head = made[place] { return head }
    return add(make(), place)
  }

  @inline(never)
  private mutating func add(_ bytes: [UInt8], _ place: Int) -> UnsafeRawBufferPointer {
    while made.count <= place { made.append(nil) }
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    copy.copyBytes(from: bytes)
    made[place] = UnsafeRawBufferPointer(copy)
    return UnsafeRawBufferPointer(copy)
  }
}

extension Device {
  /// `didReceiveMessage` of what it sends, up to the payload.
  var messageHead: UnsafeRawBufferPointer {
    heads.head(0) { lineHead("didReceiveMessage") }
  }

  /// `didReceiveUserInfo` of what it sends, up to the payload.
  var userInfoHead: UnsafeRawBufferPointer {
    heads.head(1) { lineHead("didReceiveUserInfo") }
  }

  private func lineHead(_ type: StaticString) -> [UInt8] {
    var head: [UInt8] = []
    head.append("{\"type\":\"")
    head.append(type)
    head.append("\",\"from\":")
    head += quotedName
    head.append(",\"payload\":")
    return head
  }

  /// What is said of one of its transfers, up to the transfer's number.
  func head(_ kind: TransferHead, _ transfer: TransferKey) -> UnsafeRawBufferPointer {
    let line = Int(transfer.incarnation) * 2 + (transfer.isNumbered ? 1 : 0)
    return heads.head(2 + line * TransferHead.allCases.count + kind.rawValue) {
      var head = Array(kind.text.utf8) + quotedName.dropLast()
      head.append(0x3A)
      head.append(decimal: transfer.incarnation)
      head.append(transfer.isNumbered ? 0x2E : 0x23)
      return head
    }
  }
}

/// What precedes a transfer's name in a line.
enum TransferHead: Int, CaseIterable {
  case name, acceptedUserInfo, finishedUserInfo

  var text: String {
    switch self {
    case .name: ""
    case .acceptedUserInfo: #"{"type":"accepted","of":"transferUserInfo","transfer":"#
    case .finishedUserInfo: #"{"type":"didFinishUserInfoTransfer","transfer":"#
    }
  }
}
