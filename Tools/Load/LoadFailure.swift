/// Why a run cannot go on, in one sentence.
package struct LoadFailure: Error, Equatable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
