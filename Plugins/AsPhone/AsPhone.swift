import PackagePlugin

/// Compiles what a target's `sources.txt` lists as on a phone.
@main
struct AsPhone: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    try Sources.commands("phone", context, target)
  }
}
