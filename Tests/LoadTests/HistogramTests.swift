import Load
import Testing

@Suite struct HistogramTests {
  @Test func empty() { #expect(Histogram().percentile(0.5) == nil) }
}
