import Foundation

/// A number from the environment, such as how many rounds a test has.
func setting(_ name: String) -> UInt64? {
  ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
}

/// From which the moments of kills and stops follow: 1, or `WATCHLINE_KILL_SEED`.
func killSeed() -> UInt64 { setting("WATCHLINE_KILL_SEED") ?? 1 }
