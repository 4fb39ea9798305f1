import Testing

/// The real binary, over loopback, under signals, kill -9, a full disk and clients that misbehave.
///
/// One test at a time: each has the machine's two cores to share with its server only. Waits are
/// bounds, never measurements; a test ends only those processes that it has started.
@Suite(.serialized, .timeLimit(.minutes(60))) struct ProcessTests {}
