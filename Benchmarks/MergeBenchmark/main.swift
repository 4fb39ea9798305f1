import Foundation
import Merge
import TextTraces
for name in ["automerge-paper", "sveltecomponent", "friendsforever"] {
  let trace = try Trace(name)
  for _ in 0..<3 {
  let clock = ContinuousClock()
  var authors: [Author] = []
  let t = try clock.measure { authors = try trace.replay() }
  print(name, t, authors.map { $0.fugue.text == trace.endContent }, authors.map(\.fugue.byteCount))
  }
}
