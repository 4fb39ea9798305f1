// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

/// Each of these runs on one thread, and debug builds, with all tests, still look for overlapping
/// accesses: in release that would be a tenth of a message's cost.
let lean =
  settings + [.unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))]

/// Optimised in debug builds as well, where these spend their time in campaigns and tests. Whoever depends on the package
/// builds it for an app's tests, once and from nothing: there it would cost three times the whole build.
let isDependency = Context.packageDirectory.contains("/checkouts/")
let optimised: [SwiftSetting] =
  isDependency ? [] : [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// Its tests replay hundreds of thousands of edits.
let hot = settings + optimised

/// Both: what decides, in which campaigns and tests spend their time.
let hotAndLean = lean + optimised

/// Apple's module is older than Swift's checks of concurrency, and whoever says `@preconcurrency import` of it is told of
/// fewer: so it is of a module of Swift 5 alone.
let likeApples = settings + [.swiftLanguageMode(.v5)]

/// A library target: one folder, the shared settings.
func library(
  _ name: String, _ dependencies: [Target.Dependency] = [], path: String? = nil,
  resources: [Resource]? = nil, settings: [SwiftSetting] = settings
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: path, resources: resources,
    swiftSettings: settings)
}

/// The test suite of a target.
func tests(
  _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [],
  resources: [Resource]? = nil
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, exclude: exclude, resources: resources,
    swiftSettings: settings)
}

let package = Package(
  name: "watchline",
  products: [
    .library(name: "WatchConnectivity", targets: ["WatchConnectivity"]),
    .library(name: "WatchConnectivityPhone", targets: ["WatchConnectivityPhone"]),
    .library(name: "WatchConnectivityWatch", targets: ["WatchConnectivityWatch"]),
    .library(name: "WatchlineTesting", targets: ["WatchlineTesting"]),
    .library(name: "WatchlineOSLog", targets: ["WatchlineOSLog"]),
    .plugin(name: "AsPhone", targets: ["AsPhone"]),
    .plugin(name: "AsWatch", targets: ["AsWatch"]),
  ],
  targets: [
    // C libraries: a module map and a shim each.
    .systemLibrary(name: "CUV", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CNATS", pkgConfig: "libnats", providers: [.apt(["libnats-dev"])]),
    .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    // Optimised in debug builds as well: each line, row and payload goes through these.
    .target(name: "CBytes", cSettings: [.unsafeFlags(["-O2"])]),
    .target(name: "CXXHash", cSettings: [.unsafeFlags(["-O2"])]),
    .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl")]),
    .target(
      name: "CTLS", linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
    .target(name: "CLinux", path: "Tools/CLinux"),
    .target(name: "CSimdjson", linkerSettings: [.linkedLibrary("simdjson")]),
    .target(
      name: "CWebSockets",
      linkerSettings: [.linkedLibrary("websockets")]),

    // Pure: no I/O, no clock, no randomness.
    library("Wire", ["CBytes"], settings: hotAndLean),
    library("Journal"),
    library("Merge", ["Wire"], settings: hotAndLean),
    library("Bridge", ["Merge", "Wire"], settings: hotAndLean),
    library(
      "AppModels", ["Bridge", "Merge", "Wire"], resources: [.embedInCode("Schemas")],
      settings: hotAndLean),
    library("Device", ["AppModels", "Merge", "Wire"], settings: hotAndLean),
    // One server's part in a shard that several share, by their common log.
    library("Cluster", ["Journal"]),
    library("Usage", ["Wire"]),
    library("Relay", ["Wire", "Journal"], settings: hotAndLean),
    // What a relay keeps of records, merged.
    library("Hub", ["Relay", "Bridge", "Merge", "Journal", "Wire"], settings: hotAndLean),
    // The relay without sockets or disk.
    library("InMemory", ["Relay", "Journal"], settings: hotAndLean),

    // Apps' sessions on this machine: the devices, and the module that apps import.
    library("WatchlineDevices", ["InMemory", "Relay", "Seeded", "Wire"]),
    library("WatchConnectivity", ["WatchlineDevices", "Wire"], settings: likeApples),
    // The same sources, through a link each, as a phone and as a watch see them.
    library(
      "WatchConnectivityPhone", ["WatchlineDevices", "Wire"],
      settings: likeApples + [.define("WATCHLINE_PHONE")]),
    library(
      "WatchConnectivityWatch", ["WatchlineDevices", "Wire"],
      settings: likeApples + [.define("WATCHLINE_WATCH")]),
    library("WatchlineTesting", ["WatchlineDevices", "Wire"]),
    library("WatchlineOSLog"),

    // App code as on a phone and as on a watch.
    library("PlatformConditions", path: "Tools/PlatformConditions"),
    .executableTarget(
      name: "watchline-as", dependencies: ["PlatformConditions"], path: "Tools/AsPlatform",
      swiftSettings: settings),
    .plugin(name: "AsPhone", capability: .buildTool(), dependencies: ["watchline-as"]),
    .plugin(name: "AsWatch", capability: .buildTool(), dependencies: ["watchline-as"]),

    // Adapters.
    library("EventLoop", ["CUV"], settings: lean),
    library("Storage", ["CSQLite", "CXXHash", "Cluster", "Journal"]),
    library("JetStream", ["CNATS", "Storage", "Wire"]),
    library("PostgreSQL", ["CPostgreSQL", "Storage"]),
    library("TLS", ["CTLS"]),
    library("Pages", ["CWebSockets"]),

    // Programs.
    library(
      "Server",
      [
        "Relay", "Hub", "Merge", "AppModels", "Wire", "Journal", "EventLoop", "Storage",
        "Cluster", "JetStream", "PostgreSQL", "CCurl", "TLS", "Pages", "Usage",
      ], settings: lean),
    .executableTarget(
      name: "watchline-server", dependencies: ["Server", "Usage"],
      swiftSettings: settings),
    .executableTarget(
      name: "watchline",
      dependencies: [
        "ChildProcesses", "MutantFiles", "Simulation", "Studio", "WireFuzz", "Proxy", "Load",
        "Device", "AppModels", "Hub", "Relay", "Merge", "Wire", "EventLoop", "TLS", "Storage",
        "Usage",
      ], path: "Tools/watchline",
      swiftSettings: settings),
    .executableTarget(
      name: "protocol-schemas", dependencies: ["Wire"], path: "Tools/ProtocolSchemas",
      swiftSettings: settings),
    .executableTarget(
      name: "store-benchmark", dependencies: ["Storage", "Journal"],
      path: "Benchmarks/StoreBenchmark", swiftSettings: settings),

    .executableTarget(
      name: "relay-benchmark",
      dependencies: ["AppModels", "EventLoop", "Hub", "Relay", "Journal"],
      path: "Benchmarks/RelayBenchmark", swiftSettings: settings),

    .executableTarget(
      name: "growth-benchmark", dependencies: ["RelaySupport"],
      path: "Benchmarks/GrowthBenchmark", swiftSettings: settings),

    .executableTarget(
      name: "wait-benchmark", dependencies: ["Relay", "RelaySupport"],
      path: "Benchmarks/WaitBenchmark", swiftSettings: settings),

    .executableTarget(
      name: "module-benchmark", dependencies: ["WatchConnectivity", "WatchlineTesting"],
      path: "Benchmarks/ModuleBenchmark", swiftSettings: settings),

    .executableTarget(
      name: "scanner-benchmark", dependencies: ["Wire", "CSimdjson"],
      path: "Benchmarks/ScannerBenchmark", swiftSettings: settings),

    .executableTarget(
      name: "start-benchmark", dependencies: ["ChildProcesses", "CUV", "watchline-server"],
      path: "Benchmarks/StartBenchmark", swiftSettings: settings),

    .executableTarget(
      name: "merge-benchmark", dependencies: ["Merge", "AppModels", "Wire", "TextTraces"],
      path: "Benchmarks/MergeBenchmark", exclude: ["replay_loro.py", "merge_loro.py"],
      swiftSettings: settings),

    // Numbers that follow from a seed.
    library("Seeded", path: "Tools/Seeded", settings: hotAndLean),

    // The reference implementation of the merge.
    library("Oracle", ["Merge", "Seeded"], path: "Tools/Oracle", settings: hotAndLean),

    // The relay in memory, with the schemas that are shipped.
    library(
      "RelaySupport", ["InMemory", "Hub", "Relay", "AppModels", "Merge"],
      path: "Tools/RelaySupport",
      settings: hotAndLean),
    // A device's side of the lanes, and what judges what comes of it.
    library("LaneModel", ["Wire"], path: "Tools/LaneModel", settings: hotAndLean),
    library(
      "Simulation",
      [
        "LaneModel", "Oracle", "Seeded", "RelaySupport", "InMemory", "Cluster", "Device", "Hub",
        "Relay", "Bridge", "AppModels", "Merge", "Journal", "Wire",
      ],
      path: "Tools/Simulation", settings: hotAndLean),

    // Lines of every kind for the relay, drawn from the descriptions of the requests.
    library(
      "WireFuzz",
      ["RelaySupport", "Seeded", "Hub", "Relay", "Bridge", "AppModels", "Merge", "Wire"],
      path: "Tools/WireFuzz", settings: hotAndLean),

    // A world of a phone and watches, on a page in a browser.
    library(
      "Studio", ["Pages", "Simulation", "AppModels", "Wire"], path: "Tools/Studio",
      resources: [
        .embedInCode("Page/index.html"), .embedInCode("Page/icon.svg"),
        .embedInCode("Page/studio.css"),
        .embedInCode("Page/main.js"), .embedInCode("Page/dom.js"),
        .embedInCode("Page/devices.js"), .embedInCode("Page/wire.js"),
        .embedInCode("Page/panels.js"),
      ]),

    // Processes that programs and tests start.
    library("ChildProcesses", path: "Tools/ChildProcesses"),

    // Faults between real sockets.
    library("Proxy", ["Seeded", "Wire"], path: "Tools/Proxy"),

    // Load on a server, and what it costs.
    library("Load", ["CLinux", "TLS", "Wire"], path: "Tools/Load", settings: hot),

    // Faults on purpose, and what plants them.
    library("MutantFiles", path: "Tools/Mutants/Planting"),

    // What tests share.
    library("SpoiltLines", ["Wire"], path: "Tests/SpoiltLines"),
    library("SyncSupport", ["Device", "Merge", "Wire"], path: "Tests/SyncSupport"),
    library("ScannerComparison", ["Wire", "CSimdjson"], path: "Tests/ScannerComparison"),
    library("TextTraces", ["Merge"], path: "Tests/TextTraces", settings: hot),
    library("TranscriptSupport", path: "Tests/TranscriptSupport", settings: hot),
    library("LoopbackSupport", ["ChildProcesses"], path: "Tests/LoopbackSupport"),

    tests("WireTests", ["Seeded", "Wire", "CBytes", "ScannerComparison", "protocol-schemas"]),
    tests(
      "MergeTests", ["Merge", "Bridge", "Wire", "AppModels", "TextTraces", "Oracle", "Seeded"]),
    tests(
      "AppModelsTests", ["Seeded", "AppModels", "Bridge", "Merge", "Wire"], exclude: ["Goldens"]),
    tests("OracleTests", ["Simulation", "Oracle", "Seeded", "Merge"]),
    tests("MutantTests", ["MutantFiles"]),
    tests("ClusterTests", ["Cluster", "Journal"]),
    tests(
      "WatchConnectivityTests",
      [
        "WatchConnectivity", "WatchlineTesting", "WatchlineDevices", "PlatformConditions",
        "SpoiltLines", "Seeded", "Wire",
      ]),
    tests(
      "SimulationTests",
      [
        "Simulation", "LaneModel", "Oracle", "AppModels", "Merge", "Wire", "WatchConnectivity",
        "WatchlineTesting",
      ],
      exclude: ["Traces"]),
    tests(
      "RelayTests",
      [
        "RelaySupport", "SpoiltLines", "SyncSupport", "Seeded", "Device", "Hub", "Relay", "Bridge",
        "Merge", "AppModels", "Wire", "Journal",
      ]),
    tests("TranscriptTests", ["TranscriptSupport", "RelaySupport", "Relay", "Merge", "Wire"]),
    tests("WireFuzzTests", ["WireFuzz", "Simulation", "Merge", "TranscriptSupport", "Wire"]),
    tests(
      "ProxyTests",
      ["ChildProcesses", "LoopbackSupport", "Proxy", "Seeded", "watchline", "watchline-server"]),
    tests("LoadTests", ["LoopbackSupport", "Load", "Seeded", "watchline"]),
    tests("EventLoopTests", ["EventLoop", "CUV"]),
    .target(
      name: "CFaultVFS", path: "Tests/CFaultVFS", linkerSettings: [.linkedLibrary("sqlite3")]),
    tests(
      "StorageTests",
      [
        "Storage", "JetStream", "PostgreSQL", "Cluster", "Hub", "Relay", "AppModels", "Seeded",
        "Journal",
        "LoopbackSupport", "CSQLite", "CFaultVFS",
      ], exclude: ["Data"]),
    tests("UsageTests", ["Usage"]),
    tests(
      "ConnectTests", ["ChildProcesses", "LoopbackSupport", "Usage", "watchline", "Wire", "CUV"]),
    // An app by `import WatchConnectivity`, for the tests that kill it.
    .executableTarget(
      name: "module-app", dependencies: ["WatchConnectivity"], path: "Tests/ModuleApp",
      swiftSettings: settings),
    // An app whose merge `watchline fuzz` tries through the module.
    .executableTarget(
      name: "module-merge", dependencies: ["WatchConnectivity", "WatchlineTesting"],
      path: "Tests/ModuleMerge", swiftSettings: settings),
    // Runs the programs; it depends on them so that they are built.
    tests(
      "ProcessTests",
      [
        "watchline-server", "watchline", "module-app", "module-merge", "ChildProcesses",
        "SyncSupport",
        "LoopbackSupport",
        "LaneModel", "Seeded", "Device", "Merge", "AppModels", "Wire", "TranscriptSupport",
      ], exclude: ["Examples/faulty.py", "Examples/shuffled.py", "Examples/tls.py"]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)

// A program without a main of its own, which libFuzzer has: `ci/fuzz-wire` builds it.
if Context.environment["WATCHLINE_FUZZER"] != nil {
  package.targets.append(
    .executableTarget(
      name: "wire-bytes",
      dependencies: ["WireFuzz", "RelaySupport", "ScannerComparison", "Wire"],
      path: "Tools/WireBytes",
      swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]))
}

// `ci/sanitize` builds what it runs: some targets, and what they depend on.
if let names = Context.environment["WATCHLINE_TARGETS"] {
  package.products = []
  var wanted = Set(names.split(separator: " ").map(String.init))
  var rest = Array(wanted)
  while let name = rest.popLast() {
    for dependency in package.targets.first(where: { $0.name == name })?.dependencies ?? [] {
      guard case .byNameItem(let name, _) = dependency else { continue }
      if wanted.insert(name).inserted { rest.append(name) }
    }
  }
  package.targets.removeAll { !wanted.contains($0.name) }
}
