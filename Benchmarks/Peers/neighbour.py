"""What a neighbour's large request costs somebody else: neighbour.py PORT KIND SCALE

Prepares one pair with much, has another pair ask for a sign of life 100 times a second, and meanwhile does to the
first what KIND says. Prints the latencies as JSON. SCALE is 1 for the whole size, 100 for a hundredth.
"""

import json
import os
import socket
import sys
import threading
import time

RATE = 100
REPLICA = "6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F.1"


class Client:
    def __init__(self, port, *lines):
        self.link = socket.create_connection(("127.0.0.1", port))
        self.link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.link.makefile("rb", 1 << 20)
        for line in lines:
            self.send(line)

    def send(self, *lines):
        self.link.sendall(b"".join(line.encode() + b"\n" for line in lines))

    def read(self, text, times=1):
        """Reads until so many lines had the text."""
        while times > 0:
            line = self.file.readline()
            if not line or b'"type":"error"' in line:
                sys.exit("neighbour: %r" % line[:300])
            times -= text.encode() in line

    def repeat(self, line, times, text):
        """Sends a line so often, as fast as the server takes it, and reads as many answers."""
        piece = (line + "\n").encode() * 500
        sender = threading.Thread(target=lambda: [self.link.sendall(piece) for _ in range(times // 500)])
        sender.start()
        self.read(text, times // 500 * 500)
        sender.join()


def transfers(port, count):
    phone = Client(port, "activate pair=much role=phone")
    watch = Client(port, "activate pair=much role=watch")
    phone.read("activationDidComplete")
    watch.read("activationDidComplete")
    watch.link.close()
    phone.repeat('transferUserInfo payload={"a":1}', count, '"accepted"')
    return phone


def records(port, count):
    phone = Client(port, "activate pair=much role=phone", "sync.open schema=todoTimers")
    phone.read("sync.opened")
    phone.repeat('sync.edit kind=timer set={"name":"Tea","durationInSeconds":60}', count, "sync.edited")
    return phone


def acknowledge(port, scale):
    count = 300_000 // scale // 500 * 500
    phone = transfers(port, count)
    watch = Client(port, "activate pair=much role=watch")
    watch.read("didReceiveUserInfo", count)
    return lambda: (watch.send("acknowledge seq=%d" % count), phone.read("didFinish", count))


def text(port, scale):
    phone = Client(port, "activate pair=much role=phone", "sync.open schema=todoTimers")
    phone.read("sync.opened")
    record = "58F40000-0000-4000-8000-0000000058F4"
    phone.send('sync.edit kind=timer record=%s set={"name":"Tea","durationInSeconds":60}' % record)
    phone.read("sync.edited")

    def replace():
        for letter in "abcde":
            notes = letter * (900_000 // scale)
            phone.send('sync.edit kind=timer record=%s set={"notes":"%s"}' % (record, notes))
            phone.read("sync.edited")

    return replace


def view(port, scale):
    phone = records(port, 100_000 // scale)
    return lambda: (phone.send("sync.view kind=timer"), phone.read('"last":true'))


def digest(port, scale):
    phone = records(port, 100_000 // scale)
    return lambda: (phone.send("sync.digest"), phone.read("sync.digests"))


def snapshot(port, scale):
    # With fewer the log still has all of them, and there is no snapshot.
    records(port, max(5_000, 100_000 // scale))
    watch = Client(port, "activate pair=much role=watch")
    line = '{"type":"sync.open","schema":"todoTimers","replica":"%s","vector":{}}' % REPLICA
    return lambda: (watch.send(line), watch.read('"last":true'))


def purge(port, scale):
    phone = records(port, 100_000 // scale)
    edit = 'sync.edit kind=timer set={"name":"Mate","durationInSeconds":60}'
    return lambda: phone.repeat(edit, 30_000 // scale // 500 * 500 or 500, "sync.edited")


def drain(port, scale):
    count = 1_000_000 // scale // 500 * 500
    transfers(port, count)

    def come():
        watch = Client(port, "activate pair=much role=watch acknowledge=automatic")
        watch.read("didReceiveUserInfo", count)

    return come


def bridge(port, scale):
    records(port, 10_000 // scale)

    def come():
        watch = Client(port, "activate pair=much role=watch bridge=todoTimers")
        watch.read('didReceiveUserInfo')
        for _ in range(4):
            watch.send('transferUserInfo payload={"type":"syncRequest"}')
            watch.read('didReceiveUserInfo')

    return come


def ask(port, end):
    """Asks at set times until `end` can be read; a late answer makes those after it late, too (open loop)."""
    client = Client(port, "activate pair=other role=phone")
    client.read("activationDidComplete")
    start, latencies = time.monotonic(), []
    os.set_blocking(end, False)
    while True:
        due = start + len(latencies) / RATE
        time.sleep(max(0, due - time.monotonic()))
        client.send("ping")
        client.read("pong")
        latencies.append((time.monotonic() - due) * 1000)
        try:
            os.read(end, 1)
            break
        except BlockingIOError:
            continue
    latencies.sort()
    at = lambda share: latencies[min(len(latencies) - 1, int(share * len(latencies)))]
    print(json.dumps({"sent": len(latencies), "latencyMilliseconds": {
        "p50": at(0.5), "p99": at(0.99), "p999": at(0.999), "max": latencies[-1]}}), flush=True)


KINDS = {
    "acknowledge": (acknowledge, "300,000 items acknowledged by one line"),
    "text": (text, "a text of 900,000 characters replaced, five times"),
    "view": (view, "a view of 100,000 records"),
    "digest": (digest, "a digest of 100,000 records"),
    "snapshot": (snapshot, "a snapshot of 100,000 records"),
    "purge": (purge, "30,000 edits of 100,000 records, with a purge"),
    "bridge": (bridge, "all of 10,000 records sent to a device with whole records, five times"),
    "drain": (drain, "a million transfers drained"),
}


def main(port, kind, scale):
    work = KINDS[kind][0](port, scale)
    end, told = os.pipe()
    child = os.fork()
    if child == 0:
        ask(port, end)
        os._exit(0)
    os.nice(19)
    time.sleep(0.2)
    work()
    os.write(told, b".")
    if os.waitpid(child, 0)[1] != 0:
        sys.exit("neighbour: whoever asked has got no answer")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
