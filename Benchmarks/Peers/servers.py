"""The servers side by side: how each is started, and how the client speaks to it."""

import dataclasses
import getpass
import os
import subprocess
import typing

MESSAGE, TRANSFER, SECURE = "message", "transfer", "message-tls"


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
    is_secure: bool = False


def watchline(paths, folder, port):
    return [paths["server"], "--listen", "127.0.0.1:%d" % port, "--data", folder + "/data",
            "--log-level", "error"]


def certificate(folder):
    """A certificate and a key for one run, as files."""
    files = [folder + "/cert.pem", folder + "/key.pem"]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                    "-nodes", "-days", "2", "-subj", "/CN=localhost", "-out", files[0], "-keyout",
                    files[1]], check=True, capture_output=True)
    return files


def watchline_tls(paths, folder, port):
    cert, key = certificate(folder)
    return watchline(paths, folder, 0) + ["--tls-listen", "127.0.0.1:%d" % port, "--tls-cert", cert,
                                          "--tls-key", key]


def nats_tls(_, folder, port):
    cert, key = certificate(folder)
    return ["nats-server", "-a", "127.0.0.1", "-p", str(port), "--tls", "--tlscert", cert, "--tlskey",
            key]


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

    Server("watchline", "watchline, TLS 1.3", SECURE, "watchline-message", watchline_tls, is_secure=True),
    Server("nats", "nats-server, TLS 1.3", SECURE, "nats", nats_tls, is_secure=True),

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


@dataclasses.dataclass(frozen=True)
class Flood:
    """What one client does while another asks for a sign of life."""
    name: str
    connections: int
    reads: bool
    # By server: what is sent without end; \\r, \\n as in Python.
    lines: dict
    first: str = ""


# nats-server ends a connection at its first bad line, so that PING is the worst that lasts.
FLOODS = [
    Flood("nobody", 0, True, {"watchline": "", "redis-pubsub": "", "nats": ""}),
    Flood("bad-lines", 1, True, {"watchline": "?\\n", "redis-pubsub": "?\\r\\n"}),
    Flood("pings", 1, True, {"watchline": "ping\\n", "redis-pubsub": "PING\\r\\n", "nats": "PING\\r\\n"}),
    Flood("help", 1, True, {"watchline": "help\\n", "redis-pubsub": "COMMAND\\r\\n"}),
    Flood("many-bad-lines", 1000, True, {"watchline": "?\\n", "redis-pubsub": "?\\r\\n"}),
    Flood("slow-readers", 1000, False,
          {"watchline": "help\\n", "redis-pubsub": "COMMAND\\r\\n", "nats": "PING\\r\\n"}),
]

# Of transfers: those who flood have pairs of their own.
TRANSFER_FLOODS = FLOODS + [
    Flood("transfers", 1, True, {"watchline": '{\"type\":\"transferUserInfo\",\"payload\":{\"a\":1}}\\n'},
          "activate pair=flood-NUMBER role=watch device=w\\ndeactivate\\n"
          "activate pair=flood-NUMBER role=phone\\n"),
    Flood("many-large", 50, True,
          {"watchline": '{\"type\":\"transferUserInfo\",\"payload\":{\"a\":\"' + "x" * 30000 + '\"}}\\n'},
          "activate pair=flood-NUMBER role=watch device=w\\ndeactivate\\n"
          "activate pair=flood-NUMBER role=phone\\n"),
]

# By server: what a bystander asks, and how the answer ends.
QUESTIONS = {"watchline": ("ping\\n", '}\\n'), "redis-pubsub": ("PING\\r\\n", "+PONG\\r\\n"),
             "nats": ("PING\\r\\n", "PONG\\r\\n")}
# What it says before: watchline's hello and nats's INFO are over when this is answered.
FIRST = {"watchline": "activate pair=bystander role=phone\\n",
         "nats": 'CONNECT {\"verbose\":false}\\r\\n'}
# A transfer to a watch that is away: answered once it is on the disk.
TRANSFER_QUESTION = ('{\"type\":\"transferUserInfo\",\"payload\":{\"a\":1}}\\n', '"accepted"')


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
