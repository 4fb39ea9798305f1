/// A promise of the lanes that was broken.
package struct Violation: Equatable, Sendable {
  /// The invariant's number: `I36`.
  package var invariant: String
  /// What sort of thing it is, as a word for files: `delivered-twice`.
  package var slug: String
  /// One sentence, in the words of the one who uses the app.
  package var headline: String
  /// What happened, a line each.
  package var story: [String]

  package init(invariant: String, slug: String, headline: String, story: [String]) {
    self.invariant = invariant
    self.slug = slug
    self.headline = headline
    self.story = story
  }
}
