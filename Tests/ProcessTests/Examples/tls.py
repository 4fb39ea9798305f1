"""A device that speaks TLS, by Python's ssl: python3 tls.py WHAT HOST PORT CERTIFICATE

Ends with status 0 where all is as it has to be.
"""

import contextlib
import hashlib
import json
import socket
import ssl
import sys
import threading
import time

PATIENCE = 30


class Device:
    def __init__(self, host, port, certificate, protocols=("watchline/1",)):
        context = ssl.create_default_context(cafile=certificate)
        if protocols:
            context.set_alpn_protocols(list(protocols))
        self.raw = socket.create_connection((host, port), timeout=PATIENCE)
        self.tls = context.wrap_socket(self.raw, server_hostname="localhost")
        self.tls.settimeout(PATIENCE)
        self.rest = b""

    def send(self, line):
        self.tls.sendall(line.encode() + b"\n")

    def line(self):
        """The next line; None at the end."""
        while b"\n" not in self.rest:
            more = self.tls.recv(65536)
            if not more:
                return None
            self.rest += more
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def expect(self, kind):
        while True:
            line = self.line()
            assert line is not None, f"the end, and no {kind}"
            assert line["type"] != "error", line
            if line["type"] == kind:
                return line

    def activate(self, role, more=""):
        assert self.expect("hello")["tls"] is True
        self.send(f"activate pair=p role={role} {more}")
        return self.expect("activationDidComplete")


def session(connect):
    device = connect()
    assert device.tls.version() == "TLSv1.3", device.tls.version()
    assert device.tls.selected_alpn_protocol() == "watchline/1"
    device.activate("phone")
    device.send("ping id=1")
    device.expect("pong")
    device.send("quit")
    # The server says that nothing more comes: without that, recv would raise an SSLEOFError.
    assert device.line() is None
    # Who names no protocol is served as well.
    connect(protocols=()).activate("phone")


def refused(connect):
    for change in ("version", "protocol"):
        try:
            if change == "protocol":
                connect(protocols=("h2",))
            else:
                context = ssl.create_default_context(cafile=connect.certificate)
                context.maximum_version = ssl.TLSVersion.TLSv1_2
                with socket.create_connection(connect.address, timeout=PATIENCE) as raw:
                    context.wrap_socket(raw, server_hostname="localhost").recv(1)
        except ssl.SSLError as error:
            assert "alert" in str(error).lower(), error
            continue
        raise AssertionError(change)
    # What is no TLS at all.
    with socket.create_connection(connect.address, timeout=PATIENCE) as raw:
        raw.sendall(b"activate pair=p role=phone\n")
        answer = b"".join(iter(lambda: raw.recv(4096), b""))
        assert b"hello" not in answer, answer


def bulk(connect, count=150, size=50_000):
    """More than a kernel's buffers hold, both ways, in records of all lengths."""
    phone, watch = connect(), connect()
    phone.activate("phone")
    watch.activate("watch", "acknowledge=automatic")
    texts = [hashlib.sha256(str(n).encode()).hexdigest() * (size * (n % 7) // 6 // 64 + 1) for n in range(count)]

    def send():
        for number, text in enumerate(texts):
            phone.send(json.dumps({"type": "transferUserInfo", "payload": {"t": text}, "id": number}))

    sender = threading.Thread(target=send)
    sender.start()
    finished = 0
    for number, text in enumerate(texts):
        line = watch.expect("didReceiveUserInfo")
        assert line["payload"]["t"] == text, number
    sender.join()
    # The acknowledge comes of what the watch's kernel has confirmed, of bytes that are records here.
    while finished < count:
        phone.expect("didFinishUserInfoTransfer")
        finished += 1


def torn(connect):
    """A line without its LF is one where TLS has ended, and none where somebody has cut the connection."""
    watch = connect()
    watch.activate("watch")
    for ends in (False, True):
        phone = connect()
        phone.activate("phone")
        phone.tls.sendall(b'transferUserInfo payload={"ends":%s}' % str(ends).lower().encode())
        if ends:
            # Python has said that it ends by the time at which it does not like the answer.
            with contextlib.suppress(ssl.SSLError):
                phone.tls.unwrap()
        phone.tls.close()
    assert watch.expect("didReceiveUserInfo")["payload"] == {"ends": True}


def silent(connect):
    """Who never shakes hands is let go."""
    with socket.create_connection(connect.address, timeout=PATIENCE) as raw:
        assert raw.recv(1) == b""


def half_open(connect):
    """Handshakes that stop anywhere are let go, however slowly their bytes come, and others are served meanwhile."""
    started = time.monotonic()
    context = ssl.create_default_context(cafile=connect.certificate)
    coming, going = ssl.MemoryBIO(), ssl.MemoryBIO()
    side = context.wrap_bio(coming, going, server_hostname="localhost")
    with contextlib.suppress(ssl.SSLWantReadError):
        side.do_handshake()
    hello = going.read()
    # In the record's header, between it and the message, in the message, and where the server has answered.
    links = []
    for cut in (1, 4, 5, 6, len(hello) // 2, len(hello) - 1, len(hello)):
        raw = socket.create_connection(connect.address, timeout=PATIENCE)
        raw.sendall(hello[:cut])
        links.append(raw)
    drips = socket.create_connection(connect.address, timeout=PATIENCE)
    links.append(drips)

    def drip():
        with contextlib.suppress(OSError):
            for byte in hello:
                drips.sendall(bytes([byte]))
                time.sleep(0.1)

    threading.Thread(target=drip, daemon=True).start()
    connect().activate("phone")
    for raw in links:
        with contextlib.suppress(ConnectionResetError):
            while raw.recv(4096):
                pass
    assert time.monotonic() - started < 10, "a second is what they have"


class Connect:
    def __init__(self, host, port, certificate):
        self.address, self.certificate = (host, int(port)), certificate

    def __call__(self, **more):
        return Device(*self.address, self.certificate, **more)


{"session": session, "refused": refused, "bulk": bulk, "torn": torn, "silent": silent,
 "half_open": half_open}[sys.argv[1]](
    Connect(*sys.argv[2:])
)
