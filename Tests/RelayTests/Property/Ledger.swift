import Wire

/// What the devices of a run have asked for and what became of it, and what must hold of that.
final class Ledger {
  enum Kind { case userInfo, complication, file }

  struct Operation {
    let id: Int
    let sender: String
    let kind: Kind
    /// The sender's `n`; nil for a transfer without.
    var number: Int?
    /// A file's bytes.
    var content: [UInt8] = []
    var hasWrongDigest = false

    var transfer: String?
    /// The request was answered by an error that says that nothing was changed.
    var isRefused = false
    var isAccepted = false
    var isCancelled = false
    var mayBeCancelled = false
    /// Codes with which a receiver may have refused it.
    var refusals: Set<Int> = []
    var deliveries = 0
    /// The code of `didFinish…`, 0 for success; nil while it has not come.
    var result: Int?
  }

  struct Violation: Error, CustomStringConvertible {
    var description: String
  }

  var operations: [Operation] = []
  /// Every line sent and read, and what else happened.
  var log: [String] = []

  func add(_ kind: Kind, from sender: String, number: Int?, content: [UInt8] = []) -> Int {
    let id = operations.count
    operations.append(
      Operation(id: id, sender: sender, kind: kind, number: number, content: content))
    return id
  }

  func delivered(_ id: Int, to receiver: String) throws {
    operations[id].deliveries += 1
    let operation = operations[id]
    if operation.deliveries > 1 { throw Violation(description: "\(operation) was delivered twice") }
    if operation.isCancelled {
      throw Violation(description: "\(operation) was cancelled and delivered")
    }
    if operation.isRefused {
      throw Violation(description: "\(operation) was refused and delivered")
    }
  }

  func cancelled(_ id: Int) throws {
    operations[id].isCancelled = true
    if operations[id].deliveries > 0 {
      throw Violation(description: "\(operations[id]) was delivered and then cancelled")
    }
  }

  /// `didFinish…` came, or an answer that says the same; every one says the same of a transfer.
  func finished(_ id: Int, code: Int) throws {
    let operation = operations[id]
    if let result = operation.result, result != code {
      throw Violation(description: "\(operation) finished again, with \(code)")
    }
    operations[id].result = code
    switch code {
    case 0:
      if operation.deliveries != 1 {
        throw Violation(description: "\(operation) has finished and was not delivered")
      }
    case 7014:
      if !operation.mayBeCancelled && !operation.hasWrongDigest {
        throw Violation(description: "\(operation) failed for no reason")
      }
    default:
      if !operation.refusals.contains(code) {
        throw Violation(description: "\(operation) failed with \(code) for no reason")
      }
    }
  }

  /// What must hold once all is drained.
  func check() throws {
    for operation in operations where operation.isAccepted {
      let mayFail = operation.mayBeCancelled || operation.hasWrongDigest
      if operation.deliveries == 0, !mayFail {
        throw Violation(description: "\(operation) was accepted and never delivered")
      }
      if operation.number != nil, operation.result == nil {
        throw Violation(description: "\(operation) has never finished")
      }
    }
  }
}
