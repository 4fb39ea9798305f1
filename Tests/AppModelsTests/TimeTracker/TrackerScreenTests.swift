import AppModels
import Merge
import Testing

@Suite struct TrackerScreenTests {
  @Test(arguments: [Idiom.phone, .pad, .watch])
  func dashboards(_ idiom: Idiom) throws {
    let device = TrackerDevice(idiom)
    device.golden("\(idiom)-empty")
    try device.fill()
    device.golden("\(idiom)-root")
    try device.type("restart 1")
    device.pass(725)
    try device.type("tap")
    device.golden("\(idiom)-running")
    try device.type("menu")
    device.golden("\(idiom)-menu")
    try device.type("open 1")
    device.golden("\(idiom)-client")
    try device.type("open 2")
    device.golden("\(idiom)-project")
    try device.type("open 1")
    device.golden("\(idiom)-task")
    try device.type("stop", "home")
    device.golden("\(idiom)-stopped")
  }

  @Test(arguments: [Idiom.phone, .watch])
  func forms(_ idiom: Idiom) throws {
    let device = TrackerDevice(idiom)
    try device.type("add")
    device.golden("\(idiom)-form-client")
    try device.type("rate 150", "save")
    device.golden("\(idiom)-form-client-error")
    try device.type("name Acme", "increment 15", "save", "open 1", "add")
    try device.type("name Website", "task Draft")
    device.golden("\(idiom)-form-project")
    try device.type("save", "open 1", "add", "name Review", "from 9:05", "to 10:30")
    device.golden("\(idiom)-form-task")
    try device.type("save", "home", "menu", "settings", "autopause on")
    device.golden("\(idiom)-form-settings")
    try device.type("cancel", "home", "open 2", "edit")
    device.golden("\(idiom)-form-edit")
    try device.type("cancel", "delete")
    device.golden("\(idiom)-delete")
  }

  @Test(arguments: [Idiom.phone, .watch])
  func premium(_ idiom: Idiom) throws {
    let device = TrackerDevice(idiom)
    try device.fill()
    try device.type("menu", "premium")
    device.golden("\(idiom)-premium-free")
    try device.type("back", "reports")
    device.golden("\(idiom)-reports-free")
    try device.type("advanced")
    device.golden("\(idiom)-paywall-reports")
    try device.type("home", "menu", "history")
    device.golden("\(idiom)-history-free")
    try device.type("home", "menu", "open 1", "invoice")
    device.golden("\(idiom)-paywall-invoice")
    try device.type("grant yearly")
    try device.type("invoice")
    device.golden("\(idiom)-invoice")
    for template in InvoiceTemplate.allCases.dropFirst() {
      try device.type("home", "menu", "settings", "business Acme Time", "footer Due in 30 days.")
      try device.type("template \(template.rawValue)")
      if template == .summary { device.golden("\(idiom)-form-brand") }
      try device.type("save", "open 1", "invoice")
      device.golden("\(idiom)-invoice-\(template.rawValue)")
    }
    try device.type("bill", "home", "menu", "reports", "advanced")
    device.golden("\(idiom)-advanced")
    try device.type("back", "back", "premium")
    device.golden("\(idiom)-premium")
    try device.type("back", "history")
    device.golden("\(idiom)-history")
    try device.type("back", "themes", "theme ocean")
    device.golden("\(idiom)-themes")
    try device.type("back", "export")
    device.golden("\(idiom)-export")
    try device.type("back", "bulk")
    device.golden("\(idiom)-bulk-empty")
    try device.type("client globex", "entry 9:00-9:45 Mail", "entry 10:00-11:30")
    device.golden("\(idiom)-bulk")
  }

  @Test(arguments: Idiom.allCases)
  func namesThatAreHardToShow(_ idiom: Idiom) throws {
    let device = TrackerDevice(idiom)
    let name = "👩‍👩‍👧 東京\n\u{1B}[31m\u{202E} " + String(repeating: "long ", count: 12)
    let client = try device.client(name, ["notes": .string("a\tb\r\nc\u{7}")])
    let project = try device.project(name, of: client)
    try device.task(name, of: client, project: project, minutes: 60_000)
    device.golden("\(idiom)-hard-root")
    try device.type("restart 1", "open 3")
    device.golden("\(idiom)-hard-client")
    for line in ["open 1", "open 1", "edit"] {
      try device.type(line)
      for line in device.lines { #expect(line.columns == idiom.columns + 2) }
    }
  }
}
