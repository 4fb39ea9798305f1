"""What is measured: each makes one run and returns its figures."""

import contextlib
import json
import os
import shutil
import socket
import sys
import tempfile

import cluster
import neighbour
import processes
import servers
import sync

WRONG = ("lost", "duplicated", "reordered", "foreign")


class Bench:
    """Paths, processors and the sizes of runs."""

    def __init__(self, paths, folder, processors, options):
        self.paths = paths
        self.folder = folder
        self.server_processor, self.client_processor = processors
        self.options = options

    @contextlib.contextmanager
    def serving(self, server):
        """A server in an empty folder of its own: gives its process and port."""
        folder = tempfile.mkdtemp(prefix=server.name + "-", dir=self.folder)
        process = None
        try:
            port, log = processes.free_port(), folder + "/log"
            with open(log, "wb") as output:
                process = processes.start(server.command(self.paths, folder, port),
                                          self.server_processor, output, folder)
            processes.wait_for_port(process, port, log)
            yield process, port
        finally:
            if process:
                processes.stop(process)
            shutil.rmtree(folder, ignore_errors=True)

    def client(self, server, *arguments):
        """Runs the client against a fresh server; fails where what came is not what was sent."""
        with self.serving(server) as (process, port):
            command = [self.paths["client"], server.protocol, "--port", str(port),
                       "--server-process", str(process.pid), *map(str, arguments)]
            if server.is_secure:
                command.append("--tls")
            output = processes.run(command, self.client_processor, 1500)
        figures = json.loads(output)
        wrong = ["%d %s" % (figures[name], name) for name in WRONG if figures.get(name)]
        if wrong:
            raise processes.Failure("of %d sent %s" % (figures["sent"], ", ".join(wrong)))
        if figures.get("messagesPerSecond") == 0:
            raise processes.Failure("nothing came")
        return figures

    def _time(self):
        return ["--seconds", self.options.seconds, "--warm-up", self.options.warm_up]

    def closed_loop(self, server, shape):
        pairs, window = shape
        return self.client(server, "--pairs", pairs, "--window", window, *self._time())

    def open_loop(self, server):
        return self.client(server, "--pairs", 50, "--rate", self.options.rate, *self._time())

    def backlog(self, server):
        return self.client(server, "--pairs", 50, "--window", 256, "--backlog", self.options.backlog)

    def idle(self, server):
        return self.client(server, "--pairs", self.options.connections // 2, "--idle", "--seconds",
                           min(2, self.options.seconds))

    def bystander(self, server, flood, transfers=False):
        """How long somebody waits for an answer while somebody else floods."""
        program = [sys.executable, os.path.join(os.path.dirname(__file__), "flood.py")]
        question, answer = servers.QUESTIONS[server.name]
        if transfers:
            question, answer = servers.TRANSFER_QUESTION
        with self.serving(server) as (_, port):
            if transfers:
                # The watch has been there once, so that the pair is formed.
                with socket.create_connection(("127.0.0.1", port)) as watch:
                    watch.sendall(b"activate pair=bystander role=watch\nquit\n")
                    while watch.recv(65536):
                        pass
            flooder = None
            if flood.connections:
                flooder = processes.start(
                    program + ["flood", str(port), str(flood.connections), str(int(flood.reads)),
                               flood.lines[server.name]] + [flood.first] * bool(flood.first),
                    self.client_processor, None)
            try:
                output = processes.run(
                    program + ["ask", str(port), str(self.options.seconds), "20" if transfers else "200",
                               question, answer]
                    + [servers.FIRST.get(server.name, "")],
                    self.client_processor, 300)
            finally:
                if flooder:
                    processes.stop(flooder)
        figures = json.loads(output)
        # Of a peer it is a figure, of ours a fault.
        if figures["unanswered"] and server.name == "watchline":
            raise processes.Failure("a bystander waited in vain")
        return figures

    def neighbour(self, server, kind):
        """How long somebody waits for an answer while one request of somebody else is carried out."""
        program = [sys.executable, os.path.join(os.path.dirname(__file__), "neighbour.py")]
        with self.serving(server) as (_, port):
            scale = "100" if self.options.check else "1"
            output = processes.run(program + [str(port), kind, scale], self.client_processor, 600)
        return json.loads(output)

    def disk(self, size):
        folder = tempfile.mkdtemp(prefix="disk-", dir=self.folder)
        try:
            command = [self.paths["disk"], folder + "/file", str(size), str(self.options.seconds)]
            return json.loads(processes.run(command, self.server_processor, 600))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def waits(self):
        """What there is to wait for: the names of wait-benchmark's loads."""
        output = processes.run([self.paths["wait"], "--list"], self.server_processor, 60)
        names = output.decode().splitlines()
        return names[:1] if self.options.check else names

    def wait(self, name):
        """The longest turn of the server's thread while one request is carried out."""
        command = [self.paths["wait"], "--json", name]
        return json.loads(processes.run(command, self.server_processor, 600))

    def campaign(self):
        """The speed of the merge campaign on one processor."""
        folder = tempfile.mkdtemp(prefix="campaign-", dir=self.folder)
        try:
            command = [self.paths["watchline"], "fuzz", "--seeds", "1..%d" % self.options.schedules,
                       "--jobs", "1", "--json", "--out", folder + "/findings"]
            result = json.loads(processes.run(command, self.server_processor, 3600))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        names = ("schedules", "seconds", "schedulesPerSecond", "simulatedDeviceDaysPerSecond")
        return {name: result[name] for name in names}


class Row:
    """One line of a table: what it measures, and all its runs."""

    def __init__(self, workload, shape, name, title, synced, measure):
        self.workload, self.shape, self.name = workload, shape, name
        self.title, self.synced, self.measure = title, synced, measure
        self.runs, self.failures = [], []

    @property
    def path(self):
        return "/".join(part for part in (self.workload, self.shape, self.name) if part)


def plan(bench):
    """Every row, in the order in which they are measured; those side by side follow one another."""
    options, rows = bench.options, []

    def add(workload, shape, server, measure):
        rows.append(Row(workload, shape, server.name, server.title, server.synced, measure))

    for lane in (servers.MESSAGE, servers.SECURE, servers.TRANSFER):
        for pairs, window in options.shapes:
            for server in servers.of_lane(lane):
                add(lane, "%dx%d" % (pairs, window), server,
                    lambda server=server, shape=(pairs, window): bench.closed_loop(server, shape))
    for lane in (servers.MESSAGE, servers.TRANSFER):
        for server in servers.of_lane(lane):
            if server.name != "floor-each":
                add(lane + "-latency", "", server, lambda server=server: bench.open_loop(server))
    for server in servers.named(servers.TRANSFER, "watchline", "redis-everysec", "redis-always",
                                "jetstream", "jetstream-each"):
        add("backlog", "", server, lambda server=server: bench.backlog(server))
    for lane, names in ((servers.MESSAGE, ("watchline", "nats", "redis-pubsub", "floor")),
                        (servers.TRANSFER, ("redis-everysec", "jetstream", "mosquitto-1"))):
        for server in servers.named(lane, *names):
            add("idle", "", server, lambda server=server: bench.idle(server))
    for server in servers.of_lane(servers.SECURE):
        add("idle-tls", "", server, lambda server=server: bench.idle(server))
    for flood in servers.FLOODS:
        for server in servers.named(servers.MESSAGE, *flood.lines):
            add("bystander", flood.name, server,
                lambda server=server, flood=flood: bench.bystander(server, flood))
    for flood in servers.TRANSFER_FLOODS:
        for server in servers.named(servers.MESSAGE, "watchline"):
            add("bystander-transfer", flood.name, server,
                lambda server=server, flood=flood: bench.bystander(server, flood, True))
    for kind, (_, title) in neighbour.KINDS.items():
        server = next(iter(servers.named(servers.MESSAGE, "watchline")))
        rows.append(Row("neighbour", "", kind, title, "",
                        lambda server=server, kind=kind: bench.neighbour(server, kind)))
    sync.plan(bench, lambda workload, shape, name, title, measure: rows.append(
        Row(workload, shape, name, title, "", measure)))
    rows += cluster_rows(bench)
    for name in bench.waits():
        rows.append(Row("wait", "", name.replace(" ", "-"), name, "", lambda name=name: bench.wait(name)))
    for size in (4096, 65536, 1 << 20):
        rows.append(Row("disk", "", str(size), "append %d KiB and fdatasync" % (size >> 10), "",
                        lambda size=size: bench.disk(size)))
    rows.append(Row("merge", "", "watchline", "watchline fuzz --jobs 1", "", bench.campaign))
    return rows


def cluster_rows(bench):
    """Servers that share pairs, beside one that is alone."""
    rows = []

    def add(workload, shape, name, title, measure):
        rows.append(Row(workload, shape, name, title, "", measure))

    for pairs, window in ((20, 8),) if bench.options.check else ((50, 64), (50, 1)):
        for name in cluster.SITES:
            add("cluster", "%dx%d" % (pairs, window), "watchline" if name == "alone" else name,
                cluster.TITLES[name],
                lambda name=name, shape=(pairs, window): cluster.transfers(bench, name, shape))
        add("cluster", "%dx%d" % (pairs, window), "fenced", cluster.TITLES["fenced"],
            lambda: cluster.fenced(bench))
    for name, title in (("watchline", "at the shard's owner"), ("edge", "at another server")):
        add("cluster-latency", "", name, title, lambda name=name: cluster.messages(bench, name == "edge"))
    for name, title in (("watchline", "its owner is killed: beyond the 3 s of detection"),
                        ("cold", "a server that has no copy starts")):
        add("take-over", "", name, title, lambda name=name: cluster.take_over(bench, name != "cold"))
    return rows
