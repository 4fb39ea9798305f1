internal import Glibc
internal import Load
internal import Usage

/// `watchline load`: what a server does in a second, and at what cost.
enum LoadCommand: Subcommand {
  static let syntax = LoadCommandOptions.syntax

  static func run(_ arguments: Arguments) throws(UsageError) -> Int32 {
    let options = try LoadCommandOptions(arguments)
    if case .compare(let old, let new) = options.target {
      return try compare(old, new, options)
    }
    Interrupt.listen()
    let status = LoadSeries(options).run()
    if let number = Interrupt.signal { Interrupt.pass(number) }
    return status
  }

  private static func compare(
    _ old: String, _ new: String, _ options: LoadCommandOptions
  ) throws(UsageError) -> Int32 {
    do throws(LoadFailure) {
      let (before, after) = (try saved(old), try saved(new))
      let comparison = try before.compared(with: after)
      if options.isJSON {
        print(comparison.json)
      } else {
        print(comparison.text(old, new))
        let single = [before, after].filter { $0.runCount == 1 }.map(\.name)
        if !single.isEmpty {
          print(
            "\nOf \(single.joined(separator: " and ")) the range is that of the seconds of one run; "
              + "several runs tell more.")
        }
      }
      return options.draw(LoadPage(before, after, comparison)) ? 0 : 1
    } catch {
      throw UsageError(error.description)
    }
  }

  private static func saved(_ path: String) throws(LoadFailure) -> SavedRuns {
    let bytes: [UInt8]?
    do throws(FileFailure) {
      bytes = try File.read(path)
    } catch {
      throw LoadFailure(error.message)
    }
    guard let bytes else { throw LoadFailure("there is no file \(path)") }
    return try SavedRuns(path, bytes)
  }
}
