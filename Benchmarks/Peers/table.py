"""What has been measured, as tables to read and as one JSON object."""

import statistics

MISSING = "–"
# Figures that describe a run, and are not compared.
CONDITIONS = ("seconds", "sent", "lost", "duplicated", "reordered", "foreign", "connections",
              "unanswered", "clientCPUPercent", "serverCPUPercent")
# From here on the client may be what was measured.
CLIENT_BOUND = 90


def median(runs):
    """The median of each figure of several runs; None where there are none."""
    if not runs:
        return None
    first, result = runs[0], {}
    for name, value in first.items():
        values = [run[name] for run in runs]
        result[name] = median(values) if isinstance(value, dict) else statistics.median(values)
    return result


def ratios(figures, own):
    """Each figure as a multiple of watchline's."""
    result = {}
    for name, value in (figures or {}).items():
        base = (own or {}).get(name)
        if name in CONDITIONS:
            continue
        if isinstance(value, dict):
            result[name] = ratios(value, base)
        elif isinstance(base, (int, float)) and base > 0:
            result[name] = round(value / base, 4)
    return result


def own_of(row, rows):
    """Watchline's row beside this one."""
    for other in rows:
        if (other.workload, other.shape, other.name) == (row.workload, row.shape, "watchline"):
            return other
    return None


def digits(value):
    if value >= 100 or value == 0:
        return "%.0f" % value
    return "%.3g" % value


def count(value):
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if value >= size:
            return "%.3g %s" % (value / size, unit)
    return digits(value)


def times(ratio):
    return "" if ratio is None else " (%s×)" % digits(ratio)


def described(figures, ratio, columns):
    """Cells `value (ratio×)` of named figures; a name may have a dot."""
    cells = []
    for name, form in columns:
        value, base = figures, ratio
        for part in name.split("."):
            value, base = value.get(part), (base or {}).get(part)
            if value is None:
                break
        cells.append(MISSING if value is None else form(value) + times(base))
    return cells


def mebi(value):
    return "%.0f MiB" % (value / (1 << 20))


def kibi(value):
    return "%.2f KiB" % (value / 1024)


RATE = [("messagesPerSecond", count), ("serverCPUSecondsPerMillion", digits)]
LATENCY = [("latencyMilliseconds." + name, digits) for name in ("p50", "p99", "p999", "max")] + [
    ("serverCPUSecondsPerMillion", digits)]
SYNC = RATE + [("wireBytesPerMessage", digits), ("diskBytesPerMessage", digits)]
WAIT = [("latencyMilliseconds." + name, digits) for name in ("p50", "p99")]
IDLE = ([("bytesPerConnection", kibi), ("connections", digits)],
        ["server memory a connection", "connections"])
COLUMNS = {
    "message-latency": (LATENCY, ["p50 ms", "p99 ms", "p99.9 ms", "max ms", "CPU s/M"]),
    "transfer-latency": (LATENCY, ["p50 ms", "p99 ms", "p99.9 ms", "max ms", "CPU s/M"]),
    "backlog": ([("fillPerSecond", count), ("fillCPUSecondsPerMillion", digits),
                 ("drainPerSecond", count), ("drainCPUSecondsPerMillion", digits),
                 ("serverResidentBytes", mebi)],
                ["fill/s", "CPU s/M", "drain/s", "CPU s/M", "memory when full"]),
    "idle": IDLE, "idle-tls": IDLE,
    "disk": ([("syncsPerSecond", count), ("p50Milliseconds", digits), ("p99Milliseconds", digits)],
             ["a second", "p50 ms", "p99 ms"]),
    "neighbour": ([("latencyMilliseconds." + name, digits) for name in ("p50", "p99", "max")],
                  ["p50 ms", "p99 ms", "max ms"]),
    "cluster-latency": ([("latencyMilliseconds." + name, digits) for name in ("p50", "p99")], ["p50 ms", "p99 ms"]),
    "take-over": ([("unservedSeconds", digits)], ["s"]),
    "wait": ([("longestMs", digits), ("turns", count), ("totalMs", digits)],
             ["longest turn, ms", "turns", "in all, ms"]),
    "merge": ([("schedulesPerSecond", count), ("simulatedDeviceDaysPerSecond", count)],
              ["schedules/s", "simulated device days/s"]),
}
TITLES = {
    "message": "Live message: messages/s · server CPU seconds per million",
    "message-tls": "The same with TLS 1.3: messages/s · server CPU seconds per million",
    "transfer": "Guaranteed transfer: messages/s · server CPU seconds per million",
    "message-latency": "Live message, %(rate)s a second over 50 pairs (open loop)",
    "transfer-latency": "Guaranteed transfer, %(rate)s a second over 50 pairs (open loop), to delivery",
    "backlog": "Backlog: %(backlog)s transfers over 50 pairs while the receivers are away",
    "idle": "Idle connections, ready to receive",
    "idle-tls": "Idle connections with TLS 1.3, ready to receive",
    "bystander": "A ping while somebody else floods: ms p50 · p99",
    "bystander-transfer": "A transfer, until it is on the disk, while somebody else floods: ms p50 · p99",
    "neighbour": "A ping while one request of another pair is carried out",
    "sync": "Edits through a server: edits/s · server CPU seconds per million · bytes an edit on the wire · on the disk",
    "cluster": "Guaranteed transfer at servers that share pairs: messages/s · servers' CPU seconds per million",
    "cluster-latency": "Live message, 1000 a second over 20 pairs, by a peer link",
    "take-over": "How long a shard with 64 MiB is not served",
    "wait": "How long others wait for one request (watchline, store in memory, processor time)",
    "disk": "The disk alone",
    "merge": "The merge campaign, on one processor",
}


def print_line(cells):
    print("| " + " | ".join(cells) + " |")


def print_tables(rows, options):
    for workload, title in TITLES.items():
        chosen = [row for row in rows if row.workload == workload and (row.runs or row.failures)]
        if not chosen:
            continue
        print("\n**%s**\n" % (title % vars(options)))
        shapes = list(dict.fromkeys(row.shape for row in chosen))
        has_sync = any(row.synced for row in chosen) and not workload.startswith("idle")
        columns, heads = COLUMNS.get(workload, (RATE, shapes))
        if workload.startswith("bystander"):
            columns = WAIT
        if workload == "sync":
            columns = SYNC
        if not shapes[0]:
            shapes = [""]
        print_line(["server"] + (["synced before acknowledged?"] if has_sync else []) + heads)
        print_line(["---"] * (1 + has_sync + len(heads)))
        for title in dict.fromkeys(row.title for row in chosen):
            mine = {row.shape: row for row in chosen if row.title == title}
            cells = [title] + ([next(iter(mine.values())).synced] if has_sync else [])
            for shape in shapes:
                row = mine.get(shape)
                found = cells_of(row, rows, columns) if row else None
                if shape:
                    cells.append(" · ".join(found) if found else MISSING)
                else:
                    cells += found or ["failed"] + [MISSING] * (len(heads) - 1)
            print_line(cells)
    if any(is_client_bound(median(row.runs)) for row in rows):
        print("\n\\* The client used %d %% of its processor or more: it may be what was measured."
              % CLIENT_BOUND)


def cells_of(row, rows, columns):
    figures = median(row.runs)
    if not figures:
        return None
    own = own_of(row, rows)
    ratio = ratios(figures, median(own.runs)) if own and own is not row else None
    cells = described(figures, ratio, columns)
    if figures.get("unanswered"):
        cells = ["> " + cell for cell in cells]
    if is_client_bound(figures):
        cells[0] += " \\*"
    return cells


def is_client_bound(figures):
    return bool(figures) and figures.get("clientCPUPercent", 0) >= CLIENT_BOUND


def as_json(rows):
    result = []
    for row in rows:
        figures, own = median(row.runs), own_of(row, rows)
        result.append({
            "workload": row.workload, "shape": row.shape, "server": row.name, "title": row.title,
            "syncedBeforeAcknowledged": row.synced, "median": figures,
            "clientBound": is_client_bound(figures),
            "timesWatchline": ratios(figures, median(own.runs)) if own else {},
            "runs": row.runs, "failures": row.failures})
    return result
