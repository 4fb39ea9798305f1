import Foundation

/// What stands before a real server and lies: it drops a delivery, or accepts a transfer and forgets
/// it.
final class LyingServer {
  enum Lie: String { case drops, forgets }

  private let program: Program
  let port: Int

  init(_ lie: Lie, before server: ServerProcess, in scratch: Scratch) throws {
    let program = try Program(
      ["python3", "-c", Self.text, "\(server.port)", lie.rawValue], in: scratch)
    self.program = program
    try eventually("the lying server listens; errors: \(program.errors)") {
      program.output.hasSuffix("\n")
    }
    port = Int(program.output.dropLast()) ?? 0
  }

  private static let text = """
    import json, socket, sys, threading

    port, lie = int(sys.argv[1]), sys.argv[2]

    def carry(source, sink, back, change):
        rest = b""
        try:
            while True:
                data = source.recv(65536)
                if not data:
                    break
                *lines, rest = (rest + data).split(b"\\n")
                for line in lines:
                    if change(line, back):
                        sink.sendall(line + b"\\n")
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def up(line, back):
        if lie != "forgets" or b'"transferUserInfo"' not in line or b'"op":1}' not in line:
            return True
        request = json.loads(line)
        answer = {"type": "accepted", "re": request["id"], "of": request["type"], "transfer": "phone:0#99"}
        back.sendall(json.dumps(answer, separators=(",", ":")).encode() + b"\\n")
        return False

    def down(line, back):
        return lie != "drops" or b'"didReceiveUserInfo"' not in line or b'"op":1}' not in line

    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(64)
    print(listener.getsockname()[1], flush=True)
    while True:
        client, _ = listener.accept()
        try:
            server = socket.create_connection(("127.0.0.1", port))
        except OSError:
            client.close()
            continue
        for ends in ((client, server, client, up), (server, client, server, down)):
            threading.Thread(target=carry, args=ends, daemon=True).start()
    """
}
