/// What is to be done once a batch is on the disk, and who waits for that.
///
/// A batch has it from the moment in which it is opened until it is committed.
struct AfterCommit {
  var answers = Answers()
  /// Pairs whose devices may have to hear of another state.
  var news: [Pair] = []
  /// Delivered transfers whose senders were there to be told.
  var finished: [FinishedTransfer] = []
  /// Files of which more is synced with the batch, up to an offset.
  var progress: [(pair: Pair, file: FileTransfer, offset: Int)] = []
  /// Those that activate once it is known that the store is still this server's.
  var arrivals: [Connection] = []
  var activations: [(device: Device, session: UInt64)] = []
  /// Receivers with something new to hand out.
  var pumped: [Device] = []
  /// Input that stops counting as uncommitted.
  var inputs: [(connection: Connection, bytes: Int)] = []
  /// Pairs that leave the memory.
  var evicted: [Pair] = []

  /// Nothing is to be done, and nobody waits.
  var isEmpty: Bool {
    answers.entries.isEmpty && news.isEmpty && finished.isEmpty && progress.isEmpty
      && arrivals.isEmpty && activations.isEmpty && pumped.isEmpty && inputs.isEmpty
      && evicted.isEmpty
  }

  /// Makes room for as much as there was last time: batches of a busy server are alike, and arrays that
  /// grow are copied at each step.
  mutating func reserve(like last: AfterCommit) {
    answers.reserve(like: last.answers)
    finished.reserveCapacity(min(last.finished.count, 1 << 14))
  }
}

/// A delivered transfer of which its sender is to be told.
struct FinishedTransfer {
  var transfer: TransferKey
  /// Its pair is not evicted before the batch is committed.
  var sender: Unmanaged<Device>
  var session: UInt64
  var isFile: Bool
  var re: String
}
