"""Somebody who floods a server, and somebody beside who asks for a sign of life: two programs.

flood.py flood PORT CONNECTIONS READS LINE [FIRST]
                                             sends LINE for ever, reads what comes or (READS 0) nothing;
                                             FIRST comes first, with the connection's number for NUMBER
flood.py ask PORT SECONDS RATE QUESTION ANSWER [FIRST]
                                             asks RATE times a second at set times, prints latencies as JSON;
                                             who waits for 20 s goes: that is the last latency
"""

import json
import os
import selectors
import socket
import sys
import time


def connect(port):
    link = socket.create_connection(("127.0.0.1", port))
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return link


def flood(port, connections, reads, line, first=b""):
    """Keeps every connection's kernel buffer full, as far as the server takes it."""
    os.nice(19)
    piece = line * max(1, (1 << 16) // len(line))
    selector, positions = selectors.DefaultSelector(), {}
    wanted = selectors.EVENT_WRITE | (selectors.EVENT_READ if reads else 0)

    def add():
        link = connect(port)
        if first:
            link.sendall(first.replace(b"NUMBER", b"%d" % len(positions)))
        link.setblocking(False)
        positions[link] = 0
        selector.register(link, wanted)

    for _ in range(connections):
        add()
    while True:
        for key, events in selector.select():
            link = key.fileobj
            try:
                if events & selectors.EVENT_READ and not link.recv(1 << 16):
                    raise ConnectionError
                if events & selectors.EVENT_WRITE:
                    # A torn line goes on where it was torn.
                    sent = link.send(piece[positions[link]:])
                    positions[link] = (positions[link] + sent) % len(piece)
            except BlockingIOError:
                continue
            except OSError:
                selector.unregister(link)
                del positions[link]
                link.close()
                add()


def ask(port, seconds, rate, question, answer, first=b""):
    """Latencies in milliseconds from the time at which a question was to be asked (open loop)."""
    link = connect(port)
    link.settimeout(20)
    received = b""

    def wait(text):
        nonlocal received
        while text not in received:
            piece = link.recv(1 << 16)
            if not piece:
                sys.exit("the connection ended")
            received += piece
        received = received[received.index(text) + len(text):]

    if first:
        link.sendall(first)
        time.sleep(0.5)
    start, latencies, unanswered = time.monotonic(), [], 0
    for number in range(int(seconds * rate)):
        due = start + number / rate
        time.sleep(max(0, due - time.monotonic()))
        try:
            link.sendall(question)
            wait(answer)
        except TimeoutError:
            unanswered = 1
        latencies.append((time.monotonic() - due) * 1000)
        if unanswered or time.monotonic() - start > 4 * seconds:
            break
    latencies.sort()
    at = lambda share: latencies[min(len(latencies) - 1, int(share * len(latencies)))]
    print(json.dumps({"sent": len(latencies), "unanswered": unanswered, "latencyMilliseconds": {
        "p50": at(0.5), "p99": at(0.99), "p999": at(0.999), "max": latencies[-1]}}))


def unescaped(text):
    return text.encode().decode("unicode_escape").encode("latin-1")


if __name__ == "__main__":
    if sys.argv[1] == "flood":
        flood(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "1", *map(unescaped, sys.argv[5:]))
    else:
        ask(int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4]), *map(unescaped, sys.argv[5:]))
