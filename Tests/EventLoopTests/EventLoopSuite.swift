import Testing

/// One test at a time: they count turns, descriptors and signals of the process.
@Suite(.serialized)
enum EventLoopSuite {}
