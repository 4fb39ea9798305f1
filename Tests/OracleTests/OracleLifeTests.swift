import Merge
import Oracle
import Testing

/// Deletes, what brings records back, containers and references.
@Suite struct OracleLifeTests {
  private var scene = Scene()
  private let first: Operation

  init() {
    first = scene.write(
      .phone, at: 0, create(timer), move(timer), create(todo, home: timer),
      move(todo, into: timer, home: timer))
  }

  @Test mutating func aDeleteBeatsWhatItSaw() {
    scene.write(.watch, at: 1, write(timer, "name", "a"))
    scene.write(.phone, at: 2, delete(timer))
    #expect(!scene.isVisible(timer))
    #expect(!scene.isVisible(todo))
  }

  @Test mutating func aDeleteBeatsWhatIsOlder() {
    scene.write(.watch, at: 1, write(timer, "name", "a"))
    scene.write(.phone, at: 2, seeing: .only([first]), delete(timer))
    #expect(!scene.isVisible(timer))
    #expect(scene.feed == [])
  }

  @Test mutating func aLaterUnseenEditBringsItBack() {
    let lost = scene.write(.phone, at: 1, delete(timer))
    let edit = scene.write(.watch, at: 2, seeing: .only([first]), write(timer, "name", "a"))
    #expect(scene.isVisible(timer))
    #expect(scene.isVisible(todo))
    let entry = OracleFeedEntry(
      target: timer, field: nil, dot: lost.dot, actionIndex: 0, stamp: lost.stamp,
      wall: lost.wall, value: .null, lostTo: edit.dot)
    #expect(scene.oracle.feed() == [entry])
  }

  @Test mutating func anEditOfAChildBringsItBack() {
    let lost = scene.write(.phone, at: 1, delete(timer))
    scene.write(
      .watch, at: 2, seeing: .only([first]), write(todo, "isCompleted", .bool(true), home: timer))
    #expect(scene.isVisible(timer))
    #expect(scene.feed == [lost.dot])
    // Deleting the child later takes nothing back.
    scene.write(.watch, at: 3, delete(todo, home: timer))
    #expect(scene.isVisible(timer))
    #expect(!scene.isVisible(todo))
  }

  @Test mutating func aReorderBringsNothingBack() {
    scene.write(.phone, at: 1, delete(timer), delete(todo, home: timer))
    scene.write(
      .watch, at: 2, seeing: .only([first]), move(timer), move(todo, into: timer, home: timer))
    #expect(!scene.isVisible(timer))
    #expect(!scene.isVisible(todo))
    #expect(scene.feed == [])
  }

  @Test mutating func whatDoesNotReviveBringsNothingBack() {
    scene.write(.phone, at: 1, delete(timer))
    scene.write(
      .watch, at: 2, seeing: .only([first]),
      Action(timer, .write(field: "createdAt", value: "0")))
    #expect(!scene.isVisible(timer))
  }

  @Test mutating func aMoveIntoItBringsAContainerBack() {
    let second = scene.write(.phone, at: 1, create(timer2), move(timer2))
    let lost = scene.write(.phone, at: 2, delete(timer2))
    scene.write(.watch, at: 3, seeing: .only([second]), move(todo, into: timer2, home: timer))
    #expect(scene.isVisible(timer2))
    #expect(scene.feed == [lost.dot])
    #expect(scene.shown(todo, "timer") == "timer2")
  }

  @Test mutating func aRestoreBringsTheChildrenBack() {
    scene.write(.phone, at: 1, delete(timer))
    scene.write(.phone, at: 2, Action(timer, .restore))
    #expect(scene.shown("timer") == ["timer1"])
    #expect(scene.shown("todo") == ["todo1"])
    #expect(scene.feed == [])
  }

  @Test mutating func createdAgainIsCreated() {
    scene.write(.phone, at: 1, delete(timer))
    scene.write(.watch, at: 2, create(timer))
    #expect(scene.isVisible(timer))
  }

  @Test mutating func nothingIsVisibleWithoutACreate() {
    scene.write(.phone, at: 1, write(timer2, "name", "a"), move(timer2))
    #expect(!scene.isVisible(timer2))
  }

  @Test mutating func whatNeverGotAPlaceInAContainerIsHidden() {
    scene.write(.phone, at: 1, create(Target("todo", "todo2"), home: timer))
    #expect(!scene.isVisible(Target("todo", "todo2")))
  }

  @Test mutating func aTaskGoesWhereItsProjectGoes() {
    let made = scene.write(
      .phone, at: 1, create(client), create(client2), create(project, home: client),
      own(project, by: client, home: client), create(task, home: client),
      own(task, by: client, through: project, home: client))
    #expect(scene.shown(task, "client") == "client1")
    scene.write(.watch, at: 2, own(project, by: client2, home: client))
    #expect(scene.shown(task, "client") == "client2")
    #expect(scene.shown(task, "project") == "project1")
    // The owner of the hidden project no longer counts, and the reference shows as null.
    scene.write(.watch, at: 3, delete(project, home: client2))
    #expect(scene.shown(task, "client") == "client1")
    #expect(scene.shown(task, "project") == .null)
    // Work on the task, written in its client, brings that back and not the project.
    scene.write(.phone, at: 4, delete(client))
    #expect(!scene.isVisible(task))
    scene.write(
      .tablet, at: 5, seeing: .only([made]), write(task, "name", "t", home: client))
    #expect(scene.isVisible(task))
    #expect(!scene.isVisible(project))
  }

  @Test mutating func referencesToTheHiddenAreNull() {
    let settings = Target("settings", "settings")
    scene.write(.phone, at: 1, create(settings), write(settings, "favourite", "timer1"))
    #expect(scene.shown(settings, "favourite") == "timer1")
    scene.write(.phone, at: 2, delete(timer))
    #expect(scene.shown(settings, "favourite") == .null)
    #expect(scene.oracle.value(settings, "favourite") == "timer1")
  }

  @Test mutating func theTimeOfTheLastTouchIsShown() {
    scene.write(.phone, at: 500, write(timer, "name", "a"))
    scene.write(.phone, at: 900, move(timer), write(todo, "text", "b", home: timer))
    #expect(scene.shown(timer, "updatedAt") == "811692800.5")
  }
}
