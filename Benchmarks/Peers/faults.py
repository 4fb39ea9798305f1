"""A relay that does wrong, to see that the client notices."""

import json
import socket
import threading

import processes

EACH = 100  # every so many lines something happens


def lost(lines):
    return [line for number, line in enumerate(lines, 1) if number % EACH]


def duplicated(lines):
    return [copy for number, line in enumerate(lines, 1) for copy in [line] * (1 + (number % EACH == 0))]


def reordered(lines):
    lines = list(lines)
    for number in range(EACH, len(lines), EACH):
        lines[number - 1], lines[number] = lines[number], lines[number - 1]
    return lines


def foreign(lines):
    # Said to be another pair's.
    return [line.replace(b'"p":"000000"', b'"p":"000001"') if number % EACH == 0 else line
            for number, line in enumerate(lines, 1)]


def serve(listener, fault):
    """Takes one phone and one watch; hands over what the phone sends, wrongly, in blocks of lines."""
    sockets = {}
    for _ in range(2):
        connection, _ = listener.accept()
        sockets[connection.makefile("rb").readline()[:1]] = connection
        connection.sendall(b"OK\n")
    phone, rest = sockets[b"P"].makefile("rb"), []
    while line := phone.readline():
        rest.append(line)
        if len(rest) == 2 * EACH:
            sockets[b"W"].sendall(b"".join(fault(rest)))
            rest = []


def check(client, processor):
    """Fails where the client does not count exactly the fault that there is."""
    faults = [lost, duplicated, reordered, foreign]
    for fault in faults:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            threading.Thread(target=serve, args=(listener, fault), daemon=True).start()
            command = [client, "relay-message", "--port", str(listener.getsockname()[1]),
                       "--rate", "4000", "--seconds", "0.25", "--warm-up", "0.05",
                       "--drain", "0.3"]
            figures = json.loads(processes.run(command, processor, 60))
        # What was not a whole block at the end is lost as well, and what is foreign has not come.
        expected = {fault.__name__, "lost"} if fault is not lost else {"lost"}
        seen = {other.__name__ for other in faults if figures[other.__name__] > 0}
        if not {fault.__name__} <= seen <= expected:
            raise processes.Failure("the client took messages that were %s for %s"
                                    % (fault.__name__, ", ".join(sorted(seen)) or "good ones"))
