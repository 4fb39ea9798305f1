import Glibc
import Journal
import Relay
import Storage

/// The thread on which a shard's log is followed, until the shard is this server's.
///
/// A standby is handed from thread to thread, and never with two at a time.
final class ShardThread: @unchecked Sendable {
  /// What there is to know of the shard.
  struct View {
    var state = Standby.State.following
    /// The last entry that the copy has.
    var entry: UInt64 = 0
    /// Who owns it, and how that one is reached.
    var holder: (owner: UInt64, contact: String)?
    var end: End?
  }

  /// How the thread has ended.
  enum End {
    case owner(Store, Relay)
    case failed(StoreError)
    case stopped
  }

  private struct Exchange {
    var view = View()
    /// How often `maker` was replaced.
    var makers = 0
    var maker: RelayMaker
    var reluctance: Int64 = 0
    var isOver = false
  }

  private let exchange: Monitor<Exchange>
  /// nil once it was called: whatever it holds may keep the copy's folder locked.
  private var open: (() throws(StoreError) -> Standby)?
  private let onNews: @Sendable () -> Void

  /// - Parameters:
  ///   - open: is called on the thread.
  ///   - maker: makes the relay, once the shard is this server's.
  ///   - onNews: is called on the thread when `view` has something new, and by the store afterwards.
  init(
    _ open: @escaping () throws(StoreError) -> Standby, _ maker: RelayMaker,
    onNews: @escaping @Sendable () -> Void
  ) {
    exchange = Monitor(Exchange(maker: maker))
    self.open = open
    self.onNews = onNews
    let identifier = startThread(
      { argument in
        Unmanaged<ShardThread>.fromOpaque(argument!).takeRetainedValue().run()
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    pthread_detach(identifier)
  }

  var view: View { exchange.with { $0.view } }

  /// How long it leaves a shard that is free to others, in microseconds.
  func set(reluctance: Int64) { exchange.with { $0.reluctance = reluctance } }

  /// The relay is made otherwise, unless `view` has it by now.
  func set(maker: RelayMaker) {
    exchange.with { exchange in
      exchange.maker = maker
      exchange.makers += 1
    }
  }

  /// Has it end, unless the shard becomes this server's first.
  func stop() {
    exchange.with { $0.isOver = true }
    exchange.signal()
  }

  /// Nanoseconds between two looks what is due.
  private static let pause: UInt64 = 20_000_000

  private func run() {
    do throws(StoreError) {
      if let (store, contents) = try follow() {
        try serve(store, contents)
      } else {
        exchange.with { $0.view.end = .stopped }
      }
    } catch {
      exchange.with { $0.view.end = .failed(error) }
    }
    onNews()
  }

  /// The standby goes with the return, and with it the lock of its folder: the next one may be opened then.
  private func follow() throws(StoreError) -> (Store, Contents)? {
    let standby = try open!()
    open = nil
    return try follow(standby)
  }

  /// - Returns: nil where it was stopped.
  private func follow(_ standby: Standby) throws(StoreError) -> (Store, Contents)? {
    while true {
      let (isOver, reluctance) = exchange.with { ($0.isOver, $0.reluctance) }
      guard !isOver else {
        standby.close()
        return nil
      }
      standby.reluctance = reluctance
      let state = try standby.step()
      let holder = standby.holder
      let isNew = exchange.with { exchange in
        let before = exchange.view
        exchange.view = View(state: state, entry: standby.sequence, holder: holder)
        return state != before.state || holder?.owner != before.holder?.owner
      }
      if state == .owner {
        return try standby.serve(onWake: onNews)
      }
      if isNew { onNews() }
      if state != .behind {
        _ = exchange.wait(until: monotonicNanoseconds() + Self.pause) { $0.isOver ? true : nil }
      }
    }
  }

  private func serve(_ store: Store, _ contents: Contents) throws(StoreError) {
    var isCurrent = false
    while !isCurrent {
      let (maker, makers) = exchange.with { ($0.maker, $0.makers) }
      let relay: Relay
      do throws(StoreError) {
        relay = try maker.make(contents)
      } catch {
        store.close()
        throw error
      }
      isCurrent = exchange.with { exchange in
        guard exchange.makers == makers else { return false }
        exchange.view.end = .owner(store, relay)
        return true
      }
    }
  }
}
