/// The space-time diagram: a list of rows, each with the time, its piece of the drawing, and what
/// happened. A row's piece stretches with its text.
extension Page {
  var diagram: HTML {
    let folded = Diagram(report.finding, recording, isFolded: true)
    guard folded.rows.contains(where: \.isFolded) else { return list(folded, "") }
    let full = Diagram(report.finding, recording, isFolded: false)
    return """
      <input type=checkbox id=unfold class=toggle>\
      <label for=unfold>Show all \(recording.steps.count) steps</label>
      \(list(folded, "folded"))
      \(list(full, "full"))
      """
  }

  private func list(_ diagram: Diagram, _ name: String) -> HTML {
    let names: [HTML] = recording.places.map { place in
      "<span class=\"\(.raw(HTML.laneClass(place, recording)))\" title=\"\(place)\"><bdi>\(place)</bdi></span>"
    }
    var rows: [HTML] = []
    for (index, row) in diagram.rows.enumerated() {
      rows.append(row.isFolded ? fold(diagram, index) : self.row(diagram, index))
    }
    return """
      <div class="diagram \(.raw(name))" style="--n:\(recording.places.count)" tabindex=0 role=region aria-label="Space-time diagram">
      <div class="row head" aria-hidden=true><span class=t>time</span><span class=lanes>\(names)</span><span></span></div>
      <ol>
      \(rows)</ol>
      </div>
      """
  }

  private func row(_ diagram: Diagram, _ index: Int) -> HTML {
    let number = diagram.rows[index].steps.lowerBound
    let step = recording.steps[number]
    let isLost = step.kind == .send && !diagram.arrives[number]
    let classes = [
      "row", step.kind.rawValue, diagram.isOnPath[number] ? "path" : "", isLost ? "lost" : "",
    ].filter { !$0.isEmpty }.joined(separator: " ")
    let lane = recording.index(of: step.place) ?? 0
    var arrow: HTML?
    if let from = step.from, recording.steps.indices.contains(from),
      let sender = recording.index(of: recording.steps[from].place), sender != lane
    {
      arrow =
        "<i class=\"head \(.raw(sender < lane ? "right" : "left"))\" style=\"--i:\(lane)\"></i>"
    }
    let lane0 = HTML.laneClass(step.place, recording)
    return """
      <li class="\(.raw(classes))" data-from=\(number) data-to=\(number)>\
      <time class=t>\(clock.text(step.at))</time>\
      <span class=lanes aria-hidden=true>\(drawing(diagram, index))\(arrow)\
      <i class="dot \(.raw(lane0))" style="--i:\(lane)"></i></span>\
      <span class=what>\(HTML.place(step.place, recording)) \(unseen(step.kind))<bdi>\(step.text)</bdi>\
      \(isLost ? " <em>never arrived</em>" : nil as HTML?)</span></li>

      """
  }

  /// What the form of a dot says, for who does not see it.
  private func unseen(_ kind: Recording.Kind) -> HTML {
    "<span class=unseen>(\(kind.rawValue)) </span>"
  }

  private func fold(_ diagram: Diagram, _ index: Int) -> HTML {
    let steps = diagram.rows[index].steps
    let first = clock.text(recording.steps[steps.lowerBound].at)
    let last = clock.text(recording.steps[steps.upperBound - 1].at)
    let until: HTML = first == last ? "" : ", until \(last)"
    return """
      <li class="row fold" data-from=\(steps.lowerBound) data-to=\(steps.upperBound - 1)>\
      <time class=t>\(first)</time>\
      <span class=lanes aria-hidden=true>\(drawing(diagram, index))</span>\
      <span class=what>\(steps.count) more steps\(until)</span></li>

      """
  }

  /// The lines that cross a row, in units of which a row and a column have 100.
  private func drawing(_ diagram: Diagram, _ index: Int) -> HTML {
    let places = recording.places.count
    var lines: [HTML] = []
    for lane in 0..<places {
      let x = lane * 100 + 50
      let name = HTML.laneClass(recording.places[lane], recording)
      lines.append("<line class=\"life \(.raw(name))\" x1=\(x) y1=0 x2=\(x) y2=100 />")
    }
    for line in diagram.lines where line.crosses(index) {
      let name = line.isOnPath ? "losing" : "message"
      let (x1, y1) = (line.fromLane * 100 + 50, (line.fromRow - index) * 100 + 50)
      let (x2, y2) = (line.toLane * 100 + 50, (line.toRow - index) * 100 + 50)
      lines.append("<line class=\(.raw(name)) x1=\(x1) y1=\(y1) x2=\(x2) y2=\(y2) />")
    }
    return
      "<svg viewBox=\"0 0 \(places * 100) 100\" preserveAspectRatio=none>\(lines)</svg>"
  }
}
