package import Bridge
package import Merge

/// The schemas of the apps that Watchline knows by name; the files are `Schemas/*.json`.
package enum ShippedSchemas {
  /// Sorted by name.
  package static let all: [Schema] = [
    read("pomodoro", PackageResources.pomodoro_json),
    read("timeTracker", PackageResources.timeTracker_json),
    read("todoTimers", PackageResources.todoTimers_json),
  ]

  /// How devices say the whole records of those that have any.
  package static let codecs: [any WholeRecordCodec] = [TodoTimersCodec()]

  package static func named(_ name: Name) -> Schema? { all.first { $0.name == name } }

  private static func read(_ name: String, _ file: [UInt8]) -> Schema {
    do throws(SchemaError) {
      return try Schema(json: file)
    } catch {
      preconditionFailure("\(name).json: \(error)")
    }
  }
}
