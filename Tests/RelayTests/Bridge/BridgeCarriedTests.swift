import AppModels
import Merge
import RelaySupport
import SyncSupport
import Testing
import Wire

/// Fields that payloads of whole records do not have (clause 13.3).
@Suite("Bridge: what is not carried")
struct BridgeCarriedTests: PhoneBridgeSuite {
  let hub: HubWorld
  let phone: WholeRecordPeer

  @Test func whatIsNotCarriedStays() throws {
    try make(tea)
    _ = phone.takeHistory()
    let set = #"sync.edit kind=timer record="\#(id)" set={"category":"Kitchen","repeats":true}"#
    #expect(try hub.ask(set, on: "watch").type == "sync.edited")
    phone.settle()
    pass()
    #expect(phone.takeHistory().isEmpty, "nothing is sent of it")
    phone.say(try phone.model.update(id, now: phone.now) { $0.name = "Green tea" })
    pass()
    let record = try #require(try hub.records("timer", on: "watch").first)
    #expect(record["name"] as? String == "Green tea")
    #expect(record["category"] as? String == "Kitchen" && record["repeats"] as? Bool == true)
    // A delete has seen it, although it was not sent.
    phone.say(phone.model.delete(id))
    pass()
    #expect(try hub.records("timer", on: "watch").isEmpty && phone.model.timers.isEmpty)
  }
}
