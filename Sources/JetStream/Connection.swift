import CNATS
import Glibc
import Storage

/// A connection to a node, which finds another node by itself when that one goes.
final class Connection {
  let handle: OpaquePointer
  let context: OpaquePointer

  init(_ settings: JetStreamSettings) throws(StoreError) {
    // The library has threads of its own.
    var (handle, status) = withoutSignals { Self.connect(settings.servers) }
    guard status == NATS_OK, let handle else {
      throw StoreError(
        .cannotOpen, code: Int32(bitPattern: status.rawValue), function: "natsConnection_Connect",
        path: withoutSecrets(settings.servers),
        "no NATS server can be reached there (\(Self.text(status))); start one with JetStream (nats-server --jetstream), "
          + "or correct --cluster")
    }
    var context: OpaquePointer?
    status = natsConnection_JetStream(&context, handle, nil)
    guard status == NATS_OK, let context else {
      natsConnection_Destroy(handle)
      throw StoreError(
        .other, code: Int32(bitPattern: status.rawValue), function: "natsConnection_JetStream",
        path: withoutSecrets(settings.servers), Self.text(status))
    }
    (self.handle, self.context) = (handle, context)
  }

  deinit {
    jsCtx_Destroy(context)
    natsConnection_Destroy(handle)
  }

  private static func connect(_ servers: String) -> (OpaquePointer?, natsStatus) {
    var handle: OpaquePointer?
    var options: OpaquePointer?
    var status = natsOptions_Create(&options)
    defer { natsOptions_Destroy(options) }
    var urls: [UnsafePointer<CChar>?] = servers.split(separator: ",").map { server in
      UnsafePointer(strdup(String(server)))
    }
    defer { for url in urls { free(UnsafeMutablePointer(mutating: url)) } }
    let steps: [() -> natsStatus] = [
      { natsOptions_SetServers(options, &urls, Int32(urls.count)) },
      { natsOptions_SetName(options, "watchline-server") },
      { natsOptions_SetTimeout(options, 2_000) },
      // A node that says nothing is left after some two seconds.
      { natsOptions_SetPingInterval(options, 1_000) },
      { natsOptions_SetMaxPingsOut(options, 2) },
      { natsOptions_SetMaxReconnect(options, -1) },
      { natsOptions_SetReconnectWait(options, 100) },
      // 0 would be 8 MiB: what is not sent now is sent again by the one who knows whether it is still wanted.
      { natsOptions_SetReconnectBufSize(options, 1) },
      { natsOptions_SetFailRequestsOnDisconnect(options, true) },
      { natsOptions_SetSendAsap(options, true) },
      { natsConnection_Connect(&handle, options) },
    ]
    for step in steps where status == NATS_OK { status = step() }
    return (handle, status)
  }

  var maxPayload: Int { Int(natsConnection_GetMaxPayload(handle)) }

  // MARK: Streams

  /// Makes the stream where there is none, and looks whether it is as it has to be.
  func openStream(_ settings: JetStreamSettings) throws(StoreError) {
    var (info, code) = try find(settings, patience: 5_000)
    if info == nil, code == JSStreamNotFoundErr { (info, code) = create(settings) }
    guard let info else {
      throw error(.cannotOpen, "js_AddStream", settings, Self.advice(code, settings))
    }
    defer { jsStreamInfo_Destroy(info) }
    let config = info.pointee.Config.pointee
    let description = config.Description.map { String(cString: $0) } ?? ""
    guard description == settings.description else {
      throw error(
        .notOurs, "js_GetStreamInfo", settings,
        "is not the log of this shard: its description is \(description.debugDescription), and "
          + "\(settings.description.debugDescription) is expected; somebody else made it, or the cluster has another number "
          + "of shards")
    }
    for (isFit, what) in [
      (config.Storage == js_FileStorage, "keeps its messages in memory"),
      (config.Retention == js_LimitsPolicy, "forgets messages that somebody has read"),
      (config.Discard == js_DiscardNew, "makes room by forgetting old messages"),
      (config.MaxAge == 0, "forgets messages by age"),
      (config.AllowDirect, "does not allow direct reads"),
      (!config.NoAck, "acknowledges nothing"),
      (config.Replicas >= Int64(settings.replicas), "has \(config.Replicas) replicas"),
    ] where !isFit {
      throw error(
        .notOurs, "js_GetStreamInfo", settings,
        "cannot be a log: it \(what), and was made otherwise; set that right, or give it to nobody else"
      )
    }
  }

  private func find(
    _ settings: JetStreamSettings, patience: Int64
  ) throws(StoreError) -> (UnsafeMutablePointer<jsStreamInfo>?, jsErrCode) {
    var info: UnsafeMutablePointer<jsStreamInfo>?
    var code = jsErrCode(0)
    var options = Self.options(patience)
    let status = js_GetStreamInfo(&info, context, settings.stream, &options, &code)
    // The stream that is not there.
    if status == NATS_NOT_FOUND { return (nil, JSStreamNotFoundErr) }
    guard status == NATS_OK || code.rawValue != 0 else {
      throw error(
        .cannotOpen, "js_GetStreamInfo", settings,
        "does not answer (\(Self.text(status))): no node runs JetStream (nats-server --jetstream), or they have no leader; "
          + "look into their logs")
    }
    return (info, code)
  }

  private func create(
    _ settings: JetStreamSettings
  ) -> (UnsafeMutablePointer<jsStreamInfo>?, jsErrCode) {
    var config = jsStreamConfig()
    jsStreamConfig_Init(&config)
    config.Retention = js_LimitsPolicy
    config.Discard = js_DiscardNew
    config.Storage = js_FileStorage
    config.Replicas = Int64(settings.replicas)
    config.DenyDelete = true
    config.AllowDirect = true
    var info: UnsafeMutablePointer<jsStreamInfo>?
    var code = jsErrCode(0)
    settings.stream.withCString { name in
      settings.description.withCString { description in
        settings.subject.withCString { subject in
          var subjects: [UnsafePointer<CChar>?] = [subject]
          subjects.withUnsafeMutableBufferPointer { subjects in
            config.Name = name
            config.Description = description
            config.Subjects = subjects.baseAddress
            config.SubjectsLen = 1
            var options = Self.options(10_000)
            _ = js_AddStream(&info, context, &config, &options, &code)
          }
        }
      }
    }
    return (info, code)
  }

  private static func advice(_ code: jsErrCode, _ settings: JetStreamSettings) -> String {
    let what = "cannot be made (JetStream error \(code.rawValue))"
    switch code {
    case JSClusterNoPeersErr, JSStreamReplicasNotSupportedErr, JSInsufficientResourcesErr:
      return
        "\(what): it wants \(settings.replicas) nodes in one cluster; start as many, or give --replicas 1 where one "
        + "machine is enough"
    case JSNotEnabledErr, JSNotEnabledForAccountErr:
      return "\(what): JetStream is off; start the nodes with --jetstream"
    default: return "\(what): look into the nodes' logs"
    }
  }

  /// The sequences of its first message and its last one, and what it takes. Where it has none, the first comes
  /// behind the last.
  func state(
    of stream: String, patience: Int64
  ) throws(SharedLogSilence) -> (first: UInt64, last: UInt64, bytes: UInt64) {
    var info: UnsafeMutablePointer<jsStreamInfo>?
    var code = jsErrCode(0)
    var options = Self.options(patience / 1_000)
    let status = js_GetStreamInfo(&info, context, stream, &options, &code)
    guard status == NATS_OK, let info else { throw silence(status, code) }
    defer { jsStreamInfo_Destroy(info) }
    let state = info.pointee.State
    let first = state.Msgs == 0 ? state.LastSeq + 1 : state.FirstSeq
    return (first, state.LastSeq, state.Bytes)
  }

  /// Forgets messages up to a sequence. Where that fails they stay.
  func purge(_ stream: String, through sequence: UInt64) {
    // "Up to 1" is all of them to a node.
    guard sequence > 0 else { return }
    var options = Self.options(1_000)
    options.Stream.Purge.Sequence = sequence + 1
    _ = js_PurgeStream(context, stream, &options, nil)
  }

  // MARK: What is told

  private static func options(_ patience: Int64) -> jsOptions {
    var options = jsOptions()
    jsOptions_Init(&options)
    options.Wait = max(1, patience)
    return options
  }

  private static func text(_ status: natsStatus) -> String {
    String(cString: natsStatus_GetText(status)).lowercased()
  }

  private func error(
    _ kind: StoreError.Kind, _ function: String, _ settings: JetStreamSettings, _ message: String
  ) -> StoreError {
    StoreError(kind, function: function, path: settings.name, message)
  }

  /// Why there is no answer.
  func silence(_ status: natsStatus, _ code: jsErrCode = jsErrCode(0)) -> SharedLogSilence {
    if natsConnection_Status(handle) != NATS_CONN_STATUS_CONNECTED {
      return SharedLogSilence("no NATS server can be reached")
    }
    let nobody = SharedLogSilence("nobody keeps the stream: it is gone, or its nodes are")
    switch code {
    case jsErrCode(0) where status == NATS_NO_RESPONDERS: return nobody
    // What the library makes of a question that nobody listens to.
    case JSNotEnabledErr, JSStreamNotFoundErr: return nobody
    case JSInsufficientResourcesErr, JSStorageResourcesExceededErr, JSStreamStoreFailedErr:
      return SharedLogSilence(
        "a node's disk is full, or what JetStream may use of it (JetStream error \(code.rawValue))")
    case jsErrCode(0) where status == NATS_TIMEOUT:
      return SharedLogSilence("no answer in time: the nodes have no leader, or are busy")
    case jsErrCode(0): return SharedLogSilence(Self.text(status))
    default:
      return SharedLogSilence("JetStream error \(code.rawValue), look into the nodes' logs")
    }
  }
}
