"""Edits through a server, both devices of a pair writing: watchline's hub, and Yrs behind its websocket server."""

import json
import os

import processes
import servers

HERE = os.path.dirname(os.path.abspath(__file__))
# Of our own load tool, by name; those of the client for Yrs are the same.
FIGURES = ("messagesPerSecond", "serverCPUSecondsPerMillion", "wireBytesPerMessage", "diskBytesPerMessage",
           "serverResidentBytes", "clientCPUPercent", "lost")


def yrs(paths, folder, port):
    return [paths["yrs"], os.path.join(HERE, "yrs_server.py"), str(port), folder]


def watchline(bench, shape):
    server = servers.Server("watchline", "", "sync", "", servers.watchline)
    return measured(bench, server, shape, lambda paths: [paths["watchline"], "load", "--workload", "sync", "--json"],
                    "--connect=127.0.0.1:%d", "--server-pid")


def documents(bench, shape, batch):
    server = servers.Server("yrs", "", "sync", "", yrs)
    return measured(bench, server, shape,
                    lambda paths: [paths["yrs"], os.path.join(HERE, "yrs_client.py"), "--batch", str(batch)],
                    "--port=%d", "--server-process")


def measured(bench, server, shape, client, port_option, process_option):
    with bench.serving(server) as (process, port):
        options = bench.options
        command = client(bench.paths) + [
            port_option % port, process_option, str(process.pid), "--pairs", str(shape[0]), "--window", str(shape[1]),
            "--seconds", str(options.seconds), "--warm-up", str(options.warm_up)]
        figures = json.loads(processes.run(command, bench.client_processor, 300))
        if process.poll() is not None:
            raise processes.Failure("the server has ended")
    if figures["lost"] or not figures["messagesPerSecond"]:
        raise processes.Failure("%d lost, %d a second" % (figures["lost"], figures["messagesPerSecond"]))
    return {name: figures[name] for name in FIGURES}


TITLES = {
    "watchline": "watchline, records through the hub",
    "yrs": "pycrdt (Yrs) and its websocket server, an update an edit",
    "yrs-64": "the same, 64 edits merged into an update",
}


def plan(bench, add):
    for shape in ((2, 8),) if bench.options.check else ((50, 64), (1, 64)):
        text = "%dx%d" % shape
        add("sync", text, "watchline", TITLES["watchline"], lambda shape=shape: watchline(bench, shape))
        for name, batch in (("yrs", 1), ("yrs-64", 64)):
            add("sync", text, name, TITLES[name], lambda shape=shape, batch=batch: documents(bench, shape, batch))
