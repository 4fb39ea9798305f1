internal import Glibc
internal import MutantFiles
internal import Usage

/// This program built once more from its sources, with all mutants planted.
struct PlantedProgram {
  let mutants: [Mutant]
  /// The project's folder.
  let source: String
  /// Where it is copied to and built; nothing else is there.
  let scratch: String
  var path: String { "\(scratch)/.build/release/watchline" }

  /// - Throws: where there are no sources, or a mutant does not fit them.
  init(source: String) throws(UsageError) {
    self.source = source
    scratch = "\(source)/.build/mutants"
    guard access("\(source)/Tools/Mutants", R_OK) == 0,
      access("\(source)/Package.swift", R_OK) == 0
    else {
      throw UsageError(
        "there are no sources of Watchline in \(source); mutants are planted in them: "
          + "go to the project's folder, or name it with --source")
    }
    guard Shell.run("sh -c 'command -v swift >/dev/null'") == .status(0) else {
      throw UsageError("there is no swift to build the mutants with")
    }
    var mutants: [Mutant] = []
    for name in Self.files(in: "\(source)/Tools/Mutants", under: ".", like: "*.mutant") {
      let text = try Self.text("\(source)/Tools/Mutants/\(name)")
      do throws(MutantFault) {
        mutants.append(try Mutant(text, name: name))
      } catch {
        throw UsageError("Tools/Mutants/\(error)")
      }
    }
    self.mutants = mutants.sorted { $0.id < $1.id }
  }

  /// Copies, plants and builds.
  ///
  /// - Throws: where the copy cannot be written, or does not build.
  func build() throws(UsageError) {
    var files: [String: String] = [:]
    for path in Self.files(in: source, under: "Sources Tools", like: "*") {
      files[path] = try? Self.text("\(source)/\(path)")
    }
    files["Package.swift"] = try? Self.text("\(source)/Package.swift")
    do throws(MutantFault) {
      files.merge(try Planting.plant(mutants, in: files)) { $1 }
    } catch {
      throw UsageError("a mutant does not fit the sources: \(error)")
    }
    Shell.run("mkdir -p \(Shell.quoted(scratch))")
    for path in Self.files(in: scratch, under: "Sources Tools", like: "*") where files[path] == nil
    {
      unlink("\(scratch)/\(path)")
    }
    for path in files.keys.sorted() { try write(files[path]!, to: path) }
    // The package names these, and builds nothing of them.
    let links = ["WatchConnectivityPhone", "WatchConnectivityWatch"].map { "Sources/\($0)" }
    for folder in ["Tests", "Benchmarks", "Plugins"] + links {
      symlink("\(source)/\(folder)", "\(scratch)/\(folder)")
    }
    let log = "\(scratch)/build.log"
    let place = Shell.quoted(scratch)
    let ending = Shell.run(
      "swift build -c release --product watchline --package-path \(place) "
        + "--scratch-path \(place)/.build >\(Shell.quoted(log)) 2>&1")
    guard ending == .status(0) else {
      // The compiler's words: who reads this far away has no log.
      let errors = try Self.text(log).split(separator: "\n").filter { $0.contains("error: ") }
      let report = ["the sources with the mutants do not build; see \(log)"] + errors.prefix(10)
      throw UsageError(report.joined(separator: "\n"))
    }
  }

  private func write(_ text: String, to path: String) throws(UsageError) {
    let place = "\(scratch)/\(path)"
    // What is as it was keeps its time, so that it is not built again.
    if (try? Self.text(place)) == text { return }
    if let slash = place.lastIndex(of: "/"), access(String(place[..<slash]), F_OK) != 0 {
      Shell.run("mkdir -p \(Shell.quoted(String(place[..<slash])))")
    }
    unlink(place)
    do throws(FileFailure) {
      try File.append(Array(text.utf8), to: place)
    } catch {
      throw UsageError(error.message)
    }
  }

  static func text(_ path: String) throws(UsageError) -> String {
    let bytes: [UInt8]?
    do throws(FileFailure) {
      bytes = try File.read(path)
    } catch {
      throw UsageError(error.message)
    }
    guard let bytes else { throw UsageError("\(path) is not there") }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Files of folders in a place, by path from there.
  private static func files(in place: String, under folders: String, like: String) -> [String] {
    var files: [String] = []
    let find = "find \(folders) -type f -name \(Shell.quoted(like)) 2>/dev/null"
    Shell.run("sh -c \(Shell.quoted("cd \(Shell.quoted(place)) && \(find)"))") {
      files.append($0.hasPrefix("./") ? String($0.dropFirst(2)) : $0)
    }
    return files
  }
}
