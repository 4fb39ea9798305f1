import Testing

/// Tests of the built program. One at a time, for the machine's sake: each starts processes.
@Suite(.serialized, .timeLimit(.minutes(2)))
enum ProgramSuite {}
