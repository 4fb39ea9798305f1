internal import Glibc

/// What a run was made on.
package struct Machine: Equatable, Sendable {
  /// The processors' model.
  package var cpu: String
  package var cpus: Int
  package var memoryBytes: Int
  package var kernel: String

  package init(cpu: String, cpus: Int, memoryBytes: Int, kernel: String) {
    self.cpu = cpu
    self.cpus = cpus
    self.memoryBytes = memoryBytes
    self.kernel = kernel
  }

  /// This one.
  package static var current: Machine {
    let model = ProcFile.text("/proc/cpuinfo")?.split(separator: "\n")
      .first { $0.hasPrefix("model name") }?.split(separator: ":").last
    let kernel = ProcFile.text("/proc/sys/kernel/osrelease")?.split(separator: "\n").first
    return Machine(
      cpu: model.map { String($0.drop { $0 == " " }) } ?? "unknown",
      cpus: Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))),
      memoryBytes: Int(sysconf(Int32(_SC_PHYS_PAGES))) * Int(sysconf(Int32(_SC_PAGESIZE))),
      kernel: kernel.map { String($0) } ?? "unknown")
  }
}
