/// A campaign as JUnit XML, which CI systems show: a test case for each distinct finding, or one
/// that passes.
package struct JUnit: Sendable {
  /// What was run, such as `watchline fuzz`.
  package var name: String
  /// What was run in how many schedules, such as `seeds 1..20000`.
  package var scope: String
  /// How long it took, in milliseconds.
  package var milliseconds: Int64
  package var reports: [Case]

  /// One distinct finding.
  package struct Case: Sendable {
    package var slug: String
    package var seed: UInt64
    package var headline: String
    /// What the terminal is told.
    package var text: String
    /// The last lines of what is under test on its standard error.
    package var errors: [String]

    package init(
      slug: String, seed: UInt64, headline: String, text: String, errors: [String] = []
    ) {
      self.slug = slug
      self.seed = seed
      self.headline = headline
      self.text = text
      self.errors = errors
    }

    package init(_ report: FindingReport) {
      self.init(
        slug: report.finding.slug, seed: report.trace.seed, headline: report.finding.headline,
        text: report.text(isColoured: false), errors: report.errors)
    }
  }

  package init(name: String, scope: String, milliseconds: Int64, reports: [Case]) {
    self.name = name
    self.scope = scope
    self.milliseconds = milliseconds
    self.reports = reports
  }

  package var xml: String {
    let seconds = "\(milliseconds / 1000).\(String(1000 + milliseconds % 1000).dropFirst())"
    let failures = reports.count
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites tests="\(max(1, failures))" failures="\(failures)" errors="0" time="\(seconds)">
      <testsuite name="\(escaped(name))" tests="\(max(1, failures))" failures="\(failures)" errors="0" \
      skipped="0" time="\(seconds)">

      """
    if reports.isEmpty {
      text +=
        "<testcase classname=\"\(escaped(name))\" name=\"\(escaped(scope))\" time=\"\(seconds)\"/>\n"
    }
    for report in reports {
      text += """
        <testcase classname="\(escaped(name))" name="\(escaped(report.slug)), seed \(report.seed)" time="0">
        <failure type="\(escaped(report.slug))" message="\(escaped(report.headline))">\
        \(escaped(report.text))</failure>

        """
      if !report.errors.isEmpty {
        text += "<system-err>\(escaped(report.errors.joined(separator: "\n")))</system-err>\n"
      }
      text += "</testcase>\n"
    }
    return text + "</testsuite>\n</testsuites>\n"
  }

  /// Text for an element or an attribute. XML 1.0 has no way to spell most control characters and
  /// two others, section 2.2, which are told by their numbers.
  private func escaped(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result.append(contentsOf: "&amp;".unicodeScalars)
      case "<": result.append(contentsOf: "&lt;".unicodeScalars)
      case ">": result.append(contentsOf: "&gt;".unicodeScalars)
      case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
      case "\n": result.append(scalar)
      default:
        if Visible.isHidden(scalar) {
          result.append(contentsOf: Visible.spelled(scalar).unicodeScalars)
        } else {
          result.append(scalar)
        }
      }
    }
    return String(result)
  }
}
