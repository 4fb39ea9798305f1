"""Replays a trace of `watchline generate` over a user's devices. Copy this file.

A device is any object with the four functions of `merge_under_test.py`: edit(now, kind, record,
change), snapshot(), receive(body, sender) and state(). Where a trace carries payloads (schema
`none`), receive() gets those, and snapshot() is not called for them. Devices that know whole records
only are made by a function of their own where there is one, else as all others.

    devices = replay("fixture/trace.ndjson", Device)      # or replay(…, Device, WholeRecordDevice)
    problems = check("fixture/expected.json", devices)
"""
import json


def replay(path, make_device, make_whole=None):
    """Runs a trace; returns the devices by name."""
    with open(path, encoding="utf-8") as file:
        header, *events = [json.loads(line) for line in file]
    devices = {}
    for entry in header["devices"]:
        make = make_whole if make_whole and entry.get("records") == "whole" else make_device
        devices[entry["device"]] = make(entry["device"], entry["role"], header["schema"])
    sent, skew = {}, dict.fromkeys(devices, 0)
    for event in events:
        device = devices[event["device"]]
        now = event.get("now", header["start"] + event["at"] + skew[event["device"]])
        if event["do"] == "edit":
            verbs = ("create", "set", "delete", "restore", "move", "splice")
            change = {verb: event[verb] for verb in verbs if verb in event}
            device.edit(now, event["kind"], event["record"], change)
        elif event["do"] == "send":
            body = event["payload"] if "payload" in event else device.snapshot()
            # As it is now: what the device does later is not part of it.
            sent[event["event"]] = (event["device"], json.dumps(body))
        elif event["do"] == "deliver":
            sender, body = sent[event["of"]]
            device.receive(json.loads(body), sender)
        elif event["do"] == "clock":
            skew[event["device"]] = event["count"]
        elif event["do"] == "restart" and hasattr(device, "restart"):
            device.restart()
    return devices


def check(path, devices):
    """What a merge got wrong, a line each; none where it ended as some correct merge may."""
    with open(path, encoding="utf-8") as file:
        expected = json.load(file)
    problems = []
    states = {name: device.state() for name, device in devices.items()}
    first, *others = states.values()
    if any(state != first for state in others):
        problems.append(f"the devices differ: {states}")
    for wanted in expected.get("acceptable", []):
        name = f"{wanted['kind']} {wanted['record']}"
        shown = [r for r in first.get(wanted["kind"], []) if r["id"] == wanted["record"]]
        if not shown and wanted["exists"] == "must":
            problems.append(f"{name} is missing")
        if shown and wanted["exists"] == "must not":
            problems.append(f"{name} should be gone")
        for field, values in wanted["fields"].items() if shown else []:
            if shown[0].get(field) not in values:
                problems.append(f"{name}, {field}: {shown[0].get(field)!r} is none of {values}")
    return problems
