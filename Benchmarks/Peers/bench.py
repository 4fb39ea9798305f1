"""Measures watchline beside other servers: see Documentation/Benchmarks.md. Called by ci/bench."""

import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

import faults
import measurements
import processes
import servers
import table

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHAPES = "1x256,50x256,1000x16,1000x1"


class Parser(argparse.ArgumentParser):
    def error(self, message):
        """One sentence; the usage is what --help is for."""
        self.exit(2, "%s: %s\n" % (self.prog, message))


def shape_list(text):
    shapes = []
    for part in text.split(","):
        match = re.fullmatch(r"([1-9]\d{0,4})x([1-9]\d{0,4})", part)
        if not match or int(match[2]) > 32768:
            raise argparse.ArgumentTypeError("'%s' is not PAIRSxWINDOW, such as 50x256" % part)
        shapes.append((int(match[1]), int(match[2])))
    return shapes


def positive(kind):
    def convert(text):
        try:
            value = kind(text)
        except ValueError:
            value = 0
        if not 0 < value < 1e9:
            raise argparse.ArgumentTypeError(
                "'%s' is not a%s number above 0" % (text, " whole" if kind is int else ""))
        return value

    return convert


def pattern(text):
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError("'%s': %s" % (text, error)) from None


def read_options():
    parser = Parser(prog="ci/bench", description=__doc__.split(":")[0] + ".")
    parser.add_argument("--runs", metavar="N", type=positive(int), default=3,
                        help="runs of each; the median counts (3)")
    parser.add_argument("--seconds", metavar="S", type=positive(float), default=4,
                        help="that a run measures (4)")
    parser.add_argument("--warm-up", metavar="S", type=positive(float), default=1,
                        help="seconds before them (1)")
    parser.add_argument("--shapes", metavar="PxW,…", type=shape_list, default=shape_list(SHAPES),
                        help="pairs x messages of each in flight (%s)" % SHAPES)
    parser.add_argument("--rate", metavar="N", type=positive(int), default=5000,
                        help="messages a second where latency is measured (5000)")
    parser.add_argument("--backlog", metavar="N", type=positive(int), default=500_000,
                        help="transfers to fill and drain (500000)")
    parser.add_argument("--connections", metavar="N", type=positive(int), default=10_000,
                        help="idle connections (10000)")
    parser.add_argument("--schedules", metavar="N", type=positive(int), default=2_000,
                        help="of the merge campaign (2000)")
    parser.add_argument("--only", type=pattern, metavar="PATTERN",
                        help="rows whose name it is found in, such as 'transfer/50x256' or 'redis'")
    parser.add_argument("--list", action="store_true", help="print the rows' names and leave")
    parser.add_argument("--server", type=pathlib.Path, metavar="FILE",
                        help="another watchline-server than .build/release/watchline-server")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE",
                        help="where to write all figures (.build/bench/bench.json)")
    parser.add_argument("--check", action="store_true",
                        help="see that everything works, the client's own checks too, by very "
                        "short runs; their figures mean nothing")
    options = parser.parse_args()
    if options.check:
        options.runs, options.seconds, options.warm_up = 1, 0.2, 0.05
        options.shapes, options.backlog = [(1, 64), (20, 8)], 5000
        options.connections, options.schedules = 200, 20
    name = "check.json" if options.check else "bench.json"
    options.json = options.json or ROOT / ".build/bench" / name
    return parser, options


def cpu_name():
    with open("/proc/cpuinfo") as file:
        names = re.findall(r"model name\s*: (.*)", file.read())
    return names[0] if names else platform.processor()


def revision():
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""


def measure(rows, runs):
    """Takes turns: every server once, then every server again, so that a slow minute hits all."""
    groups = list(dict.fromkeys((row.workload, row.shape) for row in rows))
    total, done = len(rows) * runs, 0
    for group in groups:
        for _ in range(runs):
            for row in rows:
                if (row.workload, row.shape) != group:
                    continue
                done += 1
                print("[%d/%d] %s" % (done, total, row.path), end="", file=sys.stderr, flush=True)
                try:
                    figures = row.measure()
                    row.runs.append(figures)
                    print(": " + ", ".join(summary(figures)), file=sys.stderr)
                except processes.Failure as failure:
                    row.failures.append(str(failure))
                    print(": FAILED: %s" % failure, file=sys.stderr)


def summary(figures):
    if "latencyMilliseconds" in figures:
        yield "p99 %s ms" % table.digits(figures["latencyMilliseconds"]["p99"])
    for name in ("messagesPerSecond", "serverCPUSecondsPerMillion", "fillPerSecond", "drainPerSecond",
                 "bytesPerConnection", "syncsPerSecond", "unservedSeconds", "schedulesPerSecond", "longestMs"):
        if name in figures:
            yield "%s %s" % (table.count(figures[name]), name)


def write_json(options, processors, rows, paths):
    settings = {name: str(value) if isinstance(value, pathlib.Path) else value
                for name, value in vars(options).items() if name not in ("only", "list", "json")}
    settings["only"] = options.only.pattern if options.only else None
    settings["payload"] = 200
    result = {
        "bench": 1, "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "revision": revision(), "options": settings, "versions": servers.versions(paths),
        "machine": {"processor": cpu_name(), "processors": os.cpu_count(),
                    "kernel": platform.release(), "serverOn": processors[0],
                    "clientOn": processors[1]},
        "rows": table.as_json(rows)}
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")


def remove_leftovers(folder):
    """Folders of runs whose program was killed."""
    for path in folder.glob("run-*-*"):
        if not os.path.exists("/proc/" + path.name.split("-")[1]):
            shutil.rmtree(path, ignore_errors=True)


def main():
    parser, options = read_options()
    processors = sorted(os.sched_getaffinity(0))
    if len(processors) < 2:
        parser.error("two processors are needed, one for the server and one for the client")
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if options.connections + 2200 > most:
        parser.error("%d connections need more descriptors than the %d that are allowed (ulimit -Hn)"
                     % (options.connections, most))
    servers.search_path()
    built = ROOT / ".build"
    paths = {name: str(built / "bench" / name) for name in ("client", "relay", "disk")}
    paths["server"] = str((options.server or built / "release/watchline-server").resolve())
    paths["watchline"] = str(built / "release/watchline")
    paths["wait"] = str(built / "release/wait-benchmark")
    for program in paths.values():
        if not os.access(program, os.X_OK):
            parser.error("%s is not there; ci/bench builds what it needs" % program)
    remove_leftovers(built / "bench")
    # On the disk that is measured, and not in memory as /tmp may be.
    folder = tempfile.mkdtemp(prefix="run-%d-" % os.getpid(), dir=built / "bench")
    bench = measurements.Bench(paths, folder, processors[:2], options)
    rows = [row for row in measurements.plan(bench)
            if not options.only or options.only.search(row.path)]
    try:
        if not rows:
            parser.error("no row has '%s' in its name; see --list" % options.only.pattern)
        if options.list:
            print("\n".join(row.path for row in rows))
            return 0
        if any(row.workload in ("cluster", "cluster-latency", "take-over") for row in rows):
            paths["nats"] = processes.installed(ROOT, "nats")
        if any(row.workload == "sync" and row.name != "watchline" for row in rows):
            paths["yrs"] = processes.installed(ROOT, "yrs")
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        try:
            if options.check:
                faults.check(paths["client"], processors[1])
            measure(rows, options.runs)
        except KeyboardInterrupt:
            print("\ninterrupted; what there is:", file=sys.stderr)
        except processes.Failure as failure:
            print("ci/bench: %s" % failure, file=sys.stderr)
            return 1
        processes.stop_all()
        table.print_tables(rows, options)
        write_json(options, processors, rows, paths)
    finally:
        processes.stop_all()
        shutil.rmtree(folder, ignore_errors=True)
    print("\n(N×): so many times watchline's figure. All figures: %s" % options.json)
    failed = [row for row in rows if row.failures]
    for row in failed:
        print("%s: %s" % (row.path, row.failures[0]), file=sys.stderr)
    return 1 if failed or not all(row.runs for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
