import PackagePlugin

/// Compiles what a target's `sources.txt` lists as on a watch.
@main
struct AsWatch: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    try Sources.commands("watch", context, target)
  }
}
