import Device
import Merge

extension ServerRun {
  /// What a device holds grows, under one name and from one name to the next.
  func checkVector(_ node: ServerNode) {
    guard let device = node.sync else { return }
    let vector = device.vector
    let replica = device.current.id
    if let before = vectors[node.name] {
      if before.replica == replica, before.vector == vector { return }
      var held = before.vector
      if before.replica != replica {
        closeForms(node)
        // Its own may be issued anew.
        held[before.replica] = 0
      }
      if !vector.contains(held) {
        report(
          "I9", before.replica == replica ? "shrank" : "went-back",
          "A device has lost operations that it had.",
          "The \(node.name) held \(held), and now holds \(vector).")
      }
    }
    vectors[node.name] = (replica, vector)
    if recorder.isRecorded { recorder.shows(node.name, device.view) }
  }
}
