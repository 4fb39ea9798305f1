"""The servers side by side: how each is started, and how the client speaks to it."""

import dataclasses
import getpass
import os
import subprocess
import typing

MESSAGE, TRANSFER = "message", "transfer"


@dataclasses.dataclass(frozen=True)
class Server:
    name: str
    title: str
    lane: str
    protocol: str  # the client's name of it
    # (paths of our own programs, an empty folder, a port) to a command
    command: typing.Callable[[dict, str, int], list]
    # Of a transfer: is it on the disk when the sender is told?
    synced: str = ""


def watchline(paths, folder, port):
    return [paths["server"], "--listen", "127.0.0.1:%d" % port, "--data", folder + "/data",
            "--log-level", "error"]


def relay(*options):
    def command(paths, folder, port):
        filled = [option.replace("FOLDER", folder) for option in options]
        return [paths["relay"], "--port", str(port)] + filled

    return command


def redis(*options):
    def command(_, folder, port):
        # No snapshots and no rewriting in the background, which would be measured with the rest.
        return ["redis-server", "--bind", "127.0.0.1", "--port", str(port), "--dir", folder,
                "--save", "", "--auto-aof-rewrite-percentage", "0", "--maxclients", "12000",
                "--tcp-backlog", "1024", "--daemonize", "no", *options]

    return command


def nats(_, folder, port):
    return ["nats-server", "-a", "127.0.0.1", "-p", str(port)]


def jetstream(_, folder, port):
    path = folder + "/nats.conf"
    with open(path, "w") as file:
        file.write('listen: "127.0.0.1:%d"\njetstream { store_dir: "%s", max_file: 64G }\n'
                   % (port, folder))
    return ["nats-server", "-c", path]


def mosquitto(*lines):
    def command(_, folder, port):
        path = folder + "/mosquitto.conf"
        with open(path, "w") as file:
            file.write("\n".join([
                "listener %d 127.0.0.1" % port, "allow_anonymous true", "user " + getpass.getuser(),
                "max_inflight_messages 0", "max_queued_messages 0", "set_tcp_nodelay true",
                "log_type error"] + [line.replace("FOLDER", folder) for line in lines]) + "\n")
        return ["mosquitto", "-c", path]

    return command


def always(mode):
    return redis("--appendonly", "yes", "--appendfsync", mode)


SERVERS = [
    Server("watchline", "watchline", MESSAGE, "watchline-message", watchline),
    Server("nats", "nats-server", MESSAGE, "nats", nats),
    Server("redis-pubsub", "redis pub/sub", MESSAGE, "redis-pubsub", redis()),
    Server("mosquitto-0", "mosquitto QoS 0", MESSAGE, "mqtt-0", mosquitto()),
    Server("floor", "floor: a write per read chunk", MESSAGE, "relay-message", relay()),
    Server("floor-each", "floor: a write per line", MESSAGE, "relay-message", relay("--each")),

    Server("watchline", "watchline", TRANSFER, "watchline-transfer", watchline, "yes"),
    Server("redis-always", "redis streams, appendfsync always", TRANSFER, "redis-streams",
           always("always"), "yes"),
    Server("redis-everysec", "redis streams, appendfsync everysec", TRANSFER, "redis-streams",
           always("everysec"), "no: within about 1 s"),
    Server("jetstream", "JetStream, one stream", TRANSFER, "jetstream", jetstream,
           "no: none seen in a run"),
    Server("jetstream-each", "JetStream, a stream a pair", TRANSFER, "jetstream-each", jetstream,
           "no: none seen in a run"),
    Server("mosquitto-1", "mosquitto QoS 1, persistence", TRANSFER, "mqtt-1",
           mosquitto("persistence true", "persistence_location FOLDER/"),
           "no: every 30 min and at its end"),
    Server("floor", "floor: group commit", TRANSFER, "relay-transfer",
           relay("--append", "FOLDER/journal"), "yes"),
    Server("floor-finish", "floor: the finish committed and told too", TRANSFER, "relay-finish",
           relay("--append", "FOLDER/journal", "--finish"), "yes, and the finish"),
]


def of_lane(lane):
    return [server for server in SERVERS if server.lane == lane]


def named(lane, *names):
    return [server for server in of_lane(lane) if server.name in names]


def versions(paths):
    """What is compared, by the programs' own words."""
    found = {}
    for name, command in [("watchline", [paths["server"], "--version"]),
                          ("nats-server", ["nats-server", "--version"]),
                          ("redis-server", ["redis-server", "--version"]),
                          ("mosquitto", ["mosquitto", "-h"])]:
        try:
            output = subprocess.run(command, capture_output=True, text=True, check=False).stdout
            found[name] = output.splitlines()[0] if output else "unknown"
        except OSError:
            found[name] = "not installed"
    return found


def search_path():
    """Debian has servers where not every user looks for programs."""
    os.environ["PATH"] += ":/usr/sbin:/usr/local/sbin"
