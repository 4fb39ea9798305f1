import Wire

/// Has the server erase the pairs of a run.
final class ForgetRun: LoadRun {
  private var forgottenCount = 0

  override func perform() throws(LoadFailure) {
    try activate(.phone)
    try run(
      progress: { forgottenCount }, waiting: "accepted",
      or: { forgottenCount == options.pairs })
  }

  override func activated(_ link: Link) throws(LoadFailure) {
    try loop.send(link, "{\"type\":\"forgetPair\",\"erase\":true,\"id\":1}\n")
  }

  override func event(_ link: Link, _ type: String, _ line: Members) throws(LoadFailure) -> Bool {
    if type == "accepted" {
      forgottenCount += 1
      loop.close(link)
    }
    // What had been queued for it may come first.
    return true
  }
}
