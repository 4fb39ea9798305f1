import Foundation
import Testing

@testable import Storage

/// A store that no server has open, looked at.
@Suite struct StoreReaderTests {
  /// All that was accepted and is not acknowledged is told, of pairs in memory and of evicted ones, and nothing else.
  @Test(arguments: [true, false]) func tellsAllThatWaits(killed: Bool) throws {
    let sample = try Sample(seed: 5, killed: killed)
    let directory = TemporaryDirectory(inMemory: true)
    directory.replace(with: sample.files)
    let reader = try StoreReader(directory.path)
    let (lines, faults) = try Look.tell(reader, payloads: true)
    #expect(faults == [])
    let objects = try lines.map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any], "\($0)")
    }
    #expect(objects[0]["store"] as? String == "store-1" && objects[0]["pairs"] as? Int == 3)
    for pair in sample.pairs {
      let own = zip(lines, objects).filter { $0.1["pair"] as? String == pair.name }
      let waiting = own.filter { $0.1["lane"] as? String == "userInfo" }
      #expect(
        waiting.map { $0.1["seq"] as? Int }
          == ((pair.acknowledged + 1)...pair.payloads.count).map { $0 })
      for (line, object) in waiting {
        #expect(line.hasSuffix("\"payload\":\(pair.payloads[(object["seq"] as! Int) - 1])}"))
      }
      let contexts = own.filter { $0.1["contextFrom"] != nil }
      #expect(contexts.count == 1 && contexts[0].0.hasSuffix("\"payload\":\(pair.context)}"))
      #expect(own.filter { $0.1["file"] as? String == "hello.txt" }.count == 1)
      #expect(own.contains { $0.0.contains("\"view\"") && $0.0.contains(pair.record) })
      #expect(own.filter { $0.1["role"] != nil }.count == 2)
    }
  }

  /// Nothing of what people wrote is told where that was not asked for.
  @Test func tellsNoPayloadsUnasked() throws {
    let sample = try Sample(seed: 5, killed: true)
    let directory = TemporaryDirectory(inMemory: true)
    directory.replace(with: sample.files)
    let text = try Look.tell(try StoreReader(directory.path), payloads: false).lines.joined()
    for pair in sample.pairs {
      #expect(!text.contains(pair.record) && !text.contains(pair.context))
      #expect(!pair.payloads.contains { text.contains($0) })
    }
  }

  /// Of many faults each is told, up to a bound.
  @Test func tellsEachFault() throws {
    let sample = try Sample(seed: 3, killed: false)
    let directory = TemporaryDirectory(inMemory: true)
    directory.replace(with: sample.files)
    var bytes = Data(readFile(directory.database))
    for pair in [sample.pairs[0], sample.pairs[2]] {
      let place = try #require(bytes.range(of: Data(pair.payloads.last!.utf8))?.lowerBound)
      bytes[place + 4] ^= 1
    }
    writeFile(directory.database, Array(bytes))
    let reader = try StoreReader(directory.path)
    let faults = reader.faults()
    #expect(faults.count == 2, "\(faults)")
    #expect(reader.faults(most: 1).count == 1)
    #expect(reader.tally.rows > 10 && reader.tally.segments > 1)
  }

  @Test func refusesWhatItCannotLookAt() throws {
    let directory = TemporaryDirectory(inMemory: true)
    func kind() -> StoreError.Kind? {
      do {
        _ = try StoreReader(directory.path)
        return nil
      } catch {
        return error.kind
      }
    }
    #expect(kind() == .cannotOpen)
    #expect(directory.names == [])
    let world = try StoreWorld(directory)
    #expect(kind() == .locked)
    world.stop()
    let reader = try StoreReader(directory.path)
    #expect(throws: StoreError.self) { try StoreWorld(directory) }
    _ = reader.tally
  }
}
