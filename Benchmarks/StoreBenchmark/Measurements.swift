import Glibc
import Journal
import Storage

private let itemBytes = 200
private let headerBytes = 46

/// A batch as the server makes it: a segment of `items` payloads and a row for each receiver.
func batch(_ number: UInt64, items: Int, devices: Int) -> Batch {
  var batch = Batch(number: number)
  batch.rows.reserveCapacity(devices)
  for index in 0..<devices {
    let device = UInt32((number * 1009 + UInt64(index) * 7919) % 10_000)
    batch.rows.append(
      Row(.init(.device, pair: device, item: 0), [UInt8](repeating: UInt8(number & 255), count: 60))
    )
  }
  batch.segment = Segment(
    header: [UInt8](repeating: 1, count: items * headerBytes),
    body: [UInt8](repeating: 2, count: items * itemBytes),
    ends: (1...items).map { UInt32($0 * itemBytes) })
  return batch
}

struct Measurements {
  let parent: String
  let options: StoreOptions

  /// Items a second, a row of a device for each item, `inFlight` batches waiting at a time.
  func commits(items: Int, inFlight: UInt64) throws {
    let bench = try BenchmarkStore(in: parent, options: options)
    defer { bench.remove() }
    let batches: UInt64 = items >= 1000 ? 600 : 3_000
    var next: UInt64 = 1
    let time = measure {
      while bench.committed < batches {
        while next <= batches, next <= bench.committed + inFlight {
          bench.store.submit(batch(next, items: items, devices: items))
          next += 1
        }
        bench.step()
      }
    }
    report("insert, \(items) a batch, \(inFlight) in flight", count: Int(batches) * items, time)
  }

  /// Segments removed a second: a hundred payloads each, ten a batch.
  func removal() throws {
    let bench = try BenchmarkStore(in: parent, options: options)
    defer { bench.remove() }
    let segments: UInt64 = 4_000
    for number in 1...segments { bench.store.submit(batch(number, items: 100, devices: 1)) }
    while bench.committed < segments { bench.step() }
    let time = measure {
      for number in 1...segments / 10 {
        let last = number * 10
        var removal = Batch(number: segments + number)
        removal.removedSegments = Array(last - 9...last)
        bench.store.submit(removal)
      }
      while bench.committed < segments + segments / 10 { bench.step() }
    }
    report("remove a segment of 100, ten a batch", count: Int(segments), time)
  }

  /// Payloads read a second, 256 a request, alone and beside commits, and what that costs the commits.
  func reads() throws {
    let bench = try BenchmarkStore(in: parent, options: options)
    defer { bench.remove() }
    let segments: UInt64 = 2_000
    for number in 1...segments { bench.store.submit(batch(number, items: 100, devices: 1)) }
    while bench.committed < segments { bench.step() }

    func requests(_ count: Int, scattered: Bool) {
      for request in 0..<count {
        let references = (0..<256).map { index in
          let item = scattered ? (request &* 7919 &+ index &* 104_729) : request * 256 + index
          return Reference(
            segment: UInt64(item / 100 % Int(segments)) + 1, offset: UInt32(item % 100 * itemBytes),
            length: UInt32(itemBytes))
        }
        bench.store.read(request, references)
      }
    }
    for scattered in [false, true] {
      let goal = bench.answers + 700
      let time = measure {
        requests(700, scattered: scattered)
        while bench.answers < goal { bench.step() }
      }
      report("read, \(scattered ? "scattered" : "in order")", count: 700 * 256, time)
    }

    // One request at a time, as a drain does it, beside one batch at a time.
    for (reading, committing) in [(true, false), (false, true), (true, true)] {
      var next = bench.committed + 1
      let firstBatch = next
      let firstAnswer = bench.answers
      var asked = bench.answers
      var clock = timespec()
      clock_gettime(CLOCK_MONOTONIC, &clock)
      let end = clock.tv_sec + 3
      let time = measure {
        while clock.tv_sec < end {
          if reading, asked == bench.answers {
            requests(1, scattered: false)
            asked += 1
          }
          if committing, bench.committed + 1 == next {
            bench.store.submit(batch(next, items: 100, devices: 100))
            next += 1
          }
          bench.step()
          clock_gettime(CLOCK_MONOTONIC, &clock)
        }
        while bench.committed + 1 < next || bench.answers < asked { bench.step() }
      }
      if reading {
        report(
          "read, one request at a time\(committing ? ", beside commits" : "")",
          count: (bench.answers - firstAnswer) * 256, time)
      }
      if committing {
        report(
          "insert, 100 a batch, 1 in flight\(reading ? ", beside reads" : "")",
          count: Int(next - firstBatch) * 100, time)
      }
    }
  }

  /// Time to open a store of a million items in 10,000 segments, closed cleanly and not.
  func opening() throws {
    let bench = try BenchmarkStore(in: parent, options: options)
    defer { bench.remove() }
    let segments: UInt64 = 10_000
    for number in 1...segments { bench.store.submit(batch(number, items: 100, devices: 10)) }
    while bench.committed < segments { bench.step() }
    bench.store.close()
    let bytes = bench.fileBytes
    for (label, checked) in [("closed cleanly", 0), ("with quick_check", Int.max)] {
      var checking = options
      checking.checkedBytes = checked
      let time = try measure { try bench.reopen(options: checking) }
      report("open a million items (\(bytes >> 20) MiB), \(label)", count: 1, time)
      print("|   that is, ms | \(Int(time.wall * 1e3)) | |")
      guard bench.contents.segments.count == segments else { fatalError("segments are missing") }
      bench.store.close()
    }
    try bench.reopen(options: options)
  }
}
