internal import Glibc

extension ServerProcess {
  /// The process of this machine that listens on a port; nil where there is none, or none of which
  /// this user may see the descriptors.
  package static func listening(on port: Int) -> ServerProcess? {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"]
    let sockets = Set(tables.flatMap { inodes(listeningOn: port, $0) }.map { "socket:[\($0)]" })
    guard !sockets.isEmpty else { return nil }
    for id in ProcFile.names("/proc").compactMap({ Int($0) }).sorted() {
      for name in ProcFile.names("/proc/\(id)/fd") {
        guard let target = ProcFile.target("/proc/\(id)/fd/\(name)") else { continue }
        if sockets.contains(target) { return ServerProcess(id: id) }
      }
    }
    return nil
  }

  /// The sockets of one of the kernel's tables: a line each, with the local address as
  /// `ADDRESS:PORT` in hexadecimal, the state (0A: listening) and in the tenth column the inode.
  static func inodes(listeningOn port: Int, _ path: String) -> [String] {
    guard let text = ProcFile.text(path) else { return [] }
    return text.split(separator: "\n").dropFirst().compactMap { line in
      let fields = line.split(separator: " ")
      guard fields.count > 9, fields[3] == "0A",
        let digits = fields[1].split(separator: ":").last, Int(digits, radix: 16) == port
      else { return nil }
      return String(fields[9])
    }
  }
}
