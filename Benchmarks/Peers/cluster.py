"""Servers that share pairs, and the nodes that keep their logs: what a run starts, and what is measured there."""

import contextlib
import json
import shutil
import socket
import tempfile
import time

import processes

# What is beside one another: how many nodes, servers and shards; 0 nodes is a server alone.
SITES = {"alone": (0, 1, 1), "one-node": (1, 1, 1), "three-nodes": (3, 1, 1), "six-shards": (1, 3, 6)}
TITLES = {"alone": "watchline alone", "one-node": "a shared log on one node",
          "three-nodes": "a shared log on three nodes", "six-shards": "three servers, six shards, one node",
          "fenced": "NATS itself: one fenced publish after the other"}


class Site:
    """Nodes that sync each message, and servers, with the processors of the benchmark between them."""

    def __init__(self, bench, nodes, servers, shards):
        self.bench, self.shards = bench, shards
        self.folder = tempfile.mkdtemp(prefix="cluster-", dir=bench.folder)
        self.nodes, self.servers = [], []
        self.node_ports = [processes.free_port() for _ in range(nodes)]
        monitors = [processes.free_port() for _ in range(nodes)]
        routes = [processes.free_port() for _ in range(nodes)]
        for number in range(nodes):
            self.nodes.append(self.node(number, monitors[number], routes))
        self.options = []
        if nodes:
            self.options = [
                "--cluster", ",".join("nats://127.0.0.1:%d" % port for port in self.node_ports),
                "--nats-monitor", ",".join("127.0.0.1:%d" % port for port in monitors),
                "--replicas", str(nodes), "--shards", str(shards)]
        self.ports = [processes.free_port() for _ in range(servers)]
        for number in range(servers):
            self.servers.append(self.server(number))
        if nodes and servers:
            self.wait("every shard has an owner", self.is_spread)

    def node(self, number, monitor, routes):
        path = "%s/node%d.conf" % (self.folder, number)
        lines = ['listen: "127.0.0.1:%d"' % self.node_ports[number], "server_name: n%d" % number,
                 'http: "127.0.0.1:%d"' % monitor,
                 'jetstream { store_dir: "%s/node%d", sync_interval: always }' % (self.folder, number)]
        if len(routes) > 1:
            lines.append('cluster { name: c, listen: "127.0.0.1:%d", routes: [%s] }' % (
                routes[number], ", ".join("nats://127.0.0.1:%d" % port for port in routes)))
        with open(path, "w") as file:
            file.write("\n".join(lines))
        return self.start([self.bench.paths["nats"], "-c", path], "node%d" % number,
                          self.bench.client_processor)

    def server(self, number):
        """Starts a server; the nodes have no leader at first, and one that finds none ends."""
        for _ in range(60):
            command = [self.bench.paths["server"], "--listen", "127.0.0.1:%d" % self.ports[number], "--data",
                       "%s/server%d" % (self.folder, number)] + self.options
            process = self.start(command, "server%d" % number, self.bench.server_processor)
            with contextlib.suppress(processes.Failure):
                processes.wait_for_port(process, self.ports[number], self.log(number))
                return process
            time.sleep(0.5)
        raise processes.Failure("a server does not start: %s" % self.text(number)[-300:])

    def start(self, command, name, processor):
        with open("%s/%s.log" % (self.folder, name), "ab") as output:
            return processes.start(command, processor, output, self.folder)

    def log(self, number):
        return "%s/server%d.log" % (self.folder, number)

    def text(self, number):
        with open(self.log(number), errors="replace") as file:
            return file.read()

    def owner(self, shard=0):
        """The number of the server that owns a shard, as its log has it; None for nobody."""
        for number, server in enumerate(self.servers):
            events = [line for line in self.text(number).splitlines()
                      if ("event=shard" in line or "event=fenced" in line) and
                      "shard=%d" % shard in line.split()]
            if server.poll() is None and events and "event=shardOwned" in events[-1]:
                return number
        return None

    def is_spread(self):
        owners = [self.owner(shard) for shard in range(self.shards)]
        counts = [owners.count(number) for number in range(len(self.servers))]
        return None not in owners and max(counts) < min(counts) + 2

    def wait(self, what, holds):
        for _ in range(1200):
            if holds():
                return
            time.sleep(0.05)
        raise processes.Failure("never: %s" % what)

    def close(self):
        for process in self.servers + self.nodes:
            processes.stop(process)
        shutil.rmtree(self.folder, ignore_errors=True)


@contextlib.contextmanager
def site(bench, name):
    found = Site(bench, *SITES[name])
    try:
        yield found
    finally:
        found.close()


def load(bench, ports, workload, *arguments):
    """One run of `watchline load` against all of the servers."""
    command = [bench.paths["watchline"], "load", "--connect", ",".join("127.0.0.1:%d" % port for port in ports),
               "--workload", workload, "--seconds", bench.options.seconds, "--warm-up", bench.options.warm_up,
               "--json", *arguments]
    result = json.loads(processes.run(list(map(str, command)), bench.client_processor, 300))
    for name in ("lost", "duplicated", "reordered"):
        if result.get(name):
            raise processes.Failure("%d %s" % (result[name], name))
    figures = result.get("figures", result)
    return {name: figures[name] for name in ("messagesPerSecond", "serverCPUSecondsPerMillion",
                                             "latencyMilliseconds")}


def transfers(bench, name, shape):
    with site(bench, name) as found:
        figures = load(bench, found.ports, "transfer", "--pairs", shape[0], "--window", shape[1], "--payload", 200)
        del figures["latencyMilliseconds"]
        return figures


def messages(bench, is_edge):
    """The latency of live messages: at the server that owns the shard, or by another one."""
    found = Site(bench, 1, 2, 1)
    try:
        owner = found.owner()
        port = found.ports[1 - owner if is_edge else owner]
        return load(bench, [port], "message", "--pairs", 20, "--rate", 1000)
    finally:
        found.close()


class Nats:
    """The little of NATS' protocol that a fenced publish needs (docs.nats.io/reference/reference-protocols)."""

    def __init__(self, port):
        self.link = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.link.makefile("rb")
        self.file.readline()
        self.link.sendall(b'CONNECT {"verbose":false,"headers":true}\r\nSUB inbox 1\r\n')

    def ask(self, subject, body, headers=b""):
        head = b"NATS/1.0\r\n" + headers + b"\r\n"
        self.link.sendall(b"HPUB %s inbox %d %d\r\n%s%s\r\n" % (
            subject.encode(), len(head), len(head) + len(body), head, body))
        while True:
            line = self.file.readline()
            if line.startswith(b"MSG"):
                return json.loads(self.file.read(int(line.split()[-1]) + 2))
            if not line or line.startswith(b"-ERR"):
                raise processes.Failure("nats-server: %r" % line)


def fenced(bench):
    """Publishes of 200 bytes, each behind the last one (Nats-Expected-Last-Sequence), as a writer with a fence has to."""
    found = Site(bench, 1, 0, 1)
    try:
        processes.wait_for_port(found.nodes[0], found.node_ports[0], found.folder + "/node0.log")
        nats = Nats(found.node_ports[0])
        made = nats.ask("$JS.API.STREAM.CREATE.F", b'{"name":"F","subjects":["f"],"storage":"file","num_replicas":1}')
        if "error" in made:
            raise processes.Failure("no stream: %s" % made["error"])
        body, count = b"x" * 200, 0
        end = time.monotonic() + bench.options.seconds
        start = time.monotonic()
        while time.monotonic() < end:
            answer = nats.ask("f", body, b"Nats-Expected-Last-Sequence: %d\r\n" % count)
            if answer.get("seq") != count + 1:
                raise processes.Failure("not taken: %s" % answer)
            count += 1
        return {"messagesPerSecond": count / (time.monotonic() - start)}
    finally:
        found.close()


def take_over(bench, is_warm, megabytes=64):
    """How long a shard of so much is not served: from its owner's death to the first activation at the other server, beyond
    the 3 s after which it is missed; or, without a copy, from the start of a server that reads all from the log, where
    the one before has ended in order."""
    found = Site(bench, 1, 2, 1)
    try:
        first = found.owner()
        other = 1 - first
        fill(found.ports[first], megabytes if not bench.options.check else 1)
        if is_warm:
            found.servers[first].kill()
            start = time.monotonic() + 3
        else:
            processes.stop(found.servers[other])
            shutil.rmtree("%s/server%d" % (found.folder, other))
            processes.stop(found.servers[first])
            start = time.monotonic()
            found.servers[other] = found.server(other)
        return {"unservedSeconds": max(0.0, activation(found.ports[other]) - start)}
    finally:
        found.close()


def fill(port, megabytes):
    """Has so much wait for a watch that is away."""
    with socket.create_connection(("127.0.0.1", port)) as link:
        file = link.makefile("rb")
        link.sendall(b"activate pair=full role=watch\ndeactivate\nactivate pair=full role=phone\n")
        line = b'{"type":"transferUserInfo","payload":{"a":"' + b"x" * 50_000 + b'"}}\n'
        for _ in range(megabytes * 20):
            link.sendall(line)
            while b'"accepted"' not in (answer := file.readline()):
                if b'"error"' in answer or not answer:
                    raise processes.Failure("%r" % answer[:200])


def activation(port):
    """When a device has activated."""
    while True:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=30) as link:
            file = link.makefile("rb")
            link.sendall(b"activate pair=full role=phone\n")
            for line in file:
                if b'"activationDidComplete"' in line:
                    return time.monotonic()
        time.sleep(0.01)
