"""Puts a merge written in Python under test. Copy this file; it needs nothing else.

Write a class for a device with four methods, and call run() with it:

    class Device:
        def __init__(self, name, role, schema): ...
        def edit(self, now, kind, record, change): ...   # a person edits
        def snapshot(self): return anything_json_has     # what it hands to another device
        def receive(self, body, sender): ...             # what another device handed over
        def state(self): return {kind: [{"id": ..., field: value}]}

    run(Device, can=["delete"])

    watchline fuzz --against command:'python3 my_merge.py'

`change` is a dictionary with one of create, set, delete, move and splice
(Protocol/MERGE-UNDER-TEST.md, section 3). `now` is the device's clock in
milliseconds since 1970: use no other clock, and no randomness but `random_hex`.
edit() may raise Refused where the app would refuse the edit, and Unsupported
where the merge knows no such edits.

Optional: kept() returns the values that lost and can be taken back, as a list of
{"kind", "record", "field", "value"}; put "kept" into `can`. restart() keeps only
what was durable; put "restart" into `can`.

With sync="messages" there is no snapshot(): edit(), receive(), restart(),
reachability(other, reachable) and undelivered(to, body) return what is to be
sent, as a list of {"lane": ..., "body": ..., "to": ...}; without "to" it goes to
all others.
"""
import json
import sys

random_hex = "0"


class Refused(Exception):
    pass


class Unsupported(Exception):
    pass


def run(make_device, can=(), sync="state"):
    """Answers requests until the input ends."""
    devices = {}
    for line in sys.stdin.buffer:
        request = json.loads(line)
        answer = _answer(request, devices, make_device, list(can), sync)
        answer["re"] = request["id"]
        sys.stdout.write(json.dumps(answer, separators=(",", ":")) + "\n")
        sys.stdout.flush()


def _answer(request, devices, make_device, can, sync):
    global random_hex
    kind = request["type"]
    if kind == "start":
        random_hex = request["random"]
        devices.clear()
        for entry in request["devices"]:
            name = entry["device"]
            if request.get("only", name) == name:
                devices[name] = make_device(name, entry["role"], request["schema"])
        return {"type": "started", "sync": sync, "can": can}
    device = devices[request["device"]]
    if kind == "edit":
        names = ("create", "set", "delete", "move", "splice")
        change = {name: request[name] for name in names if name in request}
        try:
            return _done(device.edit(request["now"], request["kind"], request["record"], change))
        except Refused as why:
            return {"type": "refused", "message": str(why)}
        except Unsupported:
            return {"type": "unsupported"}
    if kind == "snapshot":
        return {"type": "snapshot", "body": device.snapshot()}
    if kind == "receive":
        return _done(device.receive(request["body"], request["from"]))
    if kind == "state":
        answer = {"type": "state", "records": device.state()}
        if "kept" in can:
            answer["kept"] = device.kept()
        return answer
    if kind == "restart":
        return _done(device.restart() if hasattr(device, "restart") else None)
    if kind == "reachability" and hasattr(device, "reachability"):
        return _done(device.reachability(request["to"], request["reachable"]))
    if kind == "undelivered" and hasattr(device, "undelivered"):
        return _done(device.undelivered(request["to"], request["body"]))
    return {"type": "done"}


def _done(sends):
    return {"type": "done", "send": sends} if sends else {"type": "done"}
