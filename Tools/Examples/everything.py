"""A merge that can do everything: a set of operations that only grows, kept by every device.

It speaks the protocol of MERGE-UNDER-TEST.md itself, with no adapter. What is shown is worked out from
the operations in the order of their stamps: a field has its last value, a record stands where it was put
last, and a delete takes away what its writer had seen. Texts are kept whole. Nothing is ever gone: it
passes --loss everything.

    watchline fuzz --against command:'python3 everything.py' --loss everything
"""
import json
import sys

CAN = ["delete", "move", "text", "restart", "kept"]
# Where what a record stands in is named: it is hidden with that. A schema of somebody's own says it itself.
HOMES = {"todo": ("timer", "timer"), "project": ("client", "client"), "task": ("client", "client")}


class Device:
    def __init__(self, name, role):
        self.name = name
        self.rank = 1 if role == "phone" else 0
        self.operations = {}  # by "device/number"
        self.vector = {}  # by device: the number of its last operation
        self.clock = 0
        self.folded = None

    def edit(self, request):
        change = {name: request[name] for name in ("create", "set", "delete", "move", "splice")
                  if name in request}
        fields = change.get("create") or change.get("set") or {}
        if "splice" in change:
            fields = {change["splice"]["field"]: change["splice"]["result"]}
        self.clock = max(request["now"], self.clock + 1)
        number = self.vector.get(self.name, 0) + 1
        self.take({
            "device": self.name, "number": number,
            # Above everything that its writer had seen.
            "stamp": [self.clock, self.rank, self.name],
            "seen": dict(self.vector),
            "target": [request["kind"], request["record"]],
            "fields": fields,
            "change": next(iter(change)),
            "after": change["move"]["after"] if "move" in change else None,
        })

    def take(self, operation):
        key = "%s/%d" % (operation["device"], operation["number"])
        if key in self.operations:
            return
        self.operations[key] = operation
        self.vector[operation["device"]] = max(
            self.vector.get(operation["device"], 0), operation["number"])
        self.clock = max(self.clock, operation["stamp"][0])
        self.folded = None

    def receive(self, body):
        # In the order in which each device wrote them, so that the vector has no holes.
        for operation in sorted(body, key=lambda each: each["number"]):
            self.take(operation)

    def fold(self):
        """Each record's operations and fields by kind and id, and all records in their order."""
        if self.folded is None:
            records, order = {}, []
            for operation in sorted(self.operations.values(), key=lambda each: each["stamp"]):
                target = tuple(operation["target"])
                record = records.setdefault(target, {"all": [], "fields": {}})
                record["all"].append(operation)
                record["fields"].update(operation["fields"])
                if operation["change"] == "create":
                    self.put(order, target, len(order))
                elif operation["change"] == "move":
                    after = (target[0], operation["after"])
                    self.put(order, target, 0, after if operation["after"] else None)
            self.folded = records, order
        return self.folded

    @staticmethod
    def put(order, target, place, after=None):
        if target in order:
            place -= order.index(target) < place
            order.remove(target)
        if after in order:
            place = order.index(after) + 1
        order.insert(place, target)

    @staticmethod
    def is_there(record):
        """Whether something is left that no delete had seen."""
        deletes = [each for each in record["all"] if each["change"] == "delete"]
        return any(
            each["change"] in ("create", "set", "splice")
            and not any(has_seen(delete, each) for delete in deletes)
            for each in record["all"])

    def is_shown(self, target, records):
        if target not in records or not self.is_there(records[target]):
            return False
        kind, field = HOMES.get(target[0], (None, None))
        home = records[target]["fields"].get(field)
        return home is None or self.is_shown((kind, home), records)

    def state(self):
        records, order = self.fold()
        shown, kept = {}, []
        for target in order:
            if self.is_shown(target, records):
                shown.setdefault(target[0], []).append(
                    {"id": target[1], **records[target]["fields"]})
        for target, record in records.items():
            isShown = self.is_shown(target, records)
            for operation in record["all"]:
                for field, value in operation["fields"].items():
                    isShowing = isShown and record["fields"][field] == value
                    if not isShowing and not any(
                            field in later["fields"] and has_seen(later, operation)
                            for later in record["all"]):
                        kept.append({"kind": target[0], "record": target[1],
                                     "field": field, "value": value})
        return {"type": "state", "records": shown, "kept": kept}


def has_seen(later, operation):
    return later["seen"].get(operation["device"], 0) >= operation["number"]


def answer(request, devices):
    kind = request["type"]
    if kind == "start":
        devices.clear()
        if "definition" in request:
            HOMES.clear()
            HOMES.update((each["kind"], (each["container"]["kind"], each["container"]["field"]))
                         for each in request["definition"]["kinds"] if "container" in each)
        for entry in request["devices"]:
            devices[entry["device"]] = Device(entry["device"], entry["role"])
        return {"type": "started", "sync": "state", "can": CAN}
    device = devices[request["device"]]
    if kind == "snapshot":
        return {"type": "snapshot", "body": list(device.operations.values())}
    if kind == "state":
        return device.state()
    if kind == "edit":
        device.edit(request)
    elif kind == "receive":
        device.receive(request["body"])
    # All that a device has is taken to be durable: a restart changes nothing.
    return {"type": "done"}


def main(make_device=None):
    devices = {}
    if make_device:
        globals()["Device"] = make_device
    for line in sys.stdin.buffer:
        request = json.loads(line)
        print(json.dumps({**answer(request, devices), "re": request["id"]}), flush=True)


if __name__ == "__main__":
    main()
