// swift-tools-version: 6.0
import PackageDescription

// A project of somebody else's, as ci/client builds it: from the package's git address, which it puts beside.
let package = Package(
  name: "clients",
  dependencies: [.package(url: "file://WATCHLINE/watchline.git", branch: "client")],
  targets: [
    .target(
      name: "SyncPhone",
      dependencies: [
        .product(name: "WatchConnectivityPhone", package: "watchline"),
        .product(name: "WatchlineOSLog", package: "watchline"),
      ],
      exclude: ["sources.txt"], plugins: [.plugin(name: "AsPhone", package: "watchline")]),
    .target(
      name: "SyncWatch",
      dependencies: [
        .product(name: "WatchConnectivityWatch", package: "watchline"),
        .product(name: "WatchlineOSLog", package: "watchline"),
      ],
      exclude: ["sources.txt"], plugins: [.plugin(name: "AsWatch", package: "watchline")]),
    // What Documentation/Testing.md begins with: ci/client takes it from there.
    .target(
      name: "Sync", dependencies: [.product(name: "WatchConnectivity", package: "watchline")]),
    .executableTarget(
      name: "Fuzzed",
      dependencies: [
        .product(name: "WatchConnectivity", package: "watchline"),
        .product(name: "WatchlineTesting", package: "watchline"),
      ]),
    .target(name: "Combine"),
    .target(
      name: "Models",
      dependencies: ["Combine", .product(name: "WatchConnectivity", package: "watchline")],
      swiftSettings: [.unsafeFlags(["-Xfrontend", "-import-module", "-Xfrontend", "Combine"])]),
    .target(
      name: "Styles", dependencies: [.product(name: "WatchConnectivity", package: "watchline")]),
    // The snippets of the module's reference documentation: ci/client takes them from there.
    .testTarget(
      name: "SnippetTests",
      dependencies: [
        .product(name: "WatchConnectivity", package: "watchline"),
        .product(name: "WatchlineTesting", package: "watchline"),
      ]),
    .testTarget(
      name: "SyncTests",
      dependencies: [
        "SyncPhone", "SyncWatch", "Styles", "Sync", "Models",
        .product(name: "WatchlineTesting", package: "watchline"),
      ]),
  ])
