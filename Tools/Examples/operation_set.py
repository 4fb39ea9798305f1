"""A set of operations that only grows; what is shown is worked out from the set, and so is what lost.
Nothing is ever gone: it passes --loss everything.
"""
from merge_under_test import Unsupported, run


class Device:
    def __init__(self, name, role, schema):
        self.name = name
        self.rank = 1 if role == "phone" else 0
        self.operations = {}  # by "device/number"

    def edit(self, now, kind, record, change):
        fields = change.get("create") or change.get("set")
        if fields is None and "delete" not in change:
            raise Unsupported()
        seen = {}
        for operation in self.operations.values():
            device, number = operation["name"]
            seen[device] = max(seen.get(device, 0), number)
        latest = max((operation["stamp"][0] for operation in self.operations.values()), default=0)
        number = seen.get(self.name, 0) + 1
        self.operations[f"{self.name}/{number}"] = {
            "name": [self.name, number],
            "stamp": [max(now, latest + 1), self.rank, self.name],
            "seen": seen,
            "target": [kind, record],
            "fields": fields,  # null for a delete
        }

    def snapshot(self):
        return self.operations

    def receive(self, body, sender):
        self.operations.update(body)

    def fold(self):
        """By kind and record: the newest write of each field, and all operations."""
        records = {}
        for operation in sorted(self.operations.values(), key=lambda entry: entry["stamp"]):
            record = records.setdefault(tuple(operation["target"]), {"all": [], "fields": {}})
            record["all"].append(operation)
            record["fields"].update(operation["fields"] or {})
        return records

    def state(self):
        shown = {}
        for (kind, name), record in sorted(self.fold().items()):
            # A delete hides what is older; a later edit by one who had not seen it brings all back.
            if record["all"][-1]["fields"] is not None:
                shown.setdefault(kind, []).append({"id": name, **record["fields"]})
        return shown

    def kept(self):
        kept = []
        for (kind, name), record in sorted(self.fold().items()):
            isHidden = record["all"][-1]["fields"] is None
            for operation in record["all"]:
                for field, value in (operation["fields"] or {}).items():
                    isOverwritten = any(
                        field in (later["fields"] or {}) and follows(later, operation)
                        for later in record["all"]
                    )
                    if not isOverwritten and (isHidden or record["fields"][field] != value):
                        kept.append(
                            {"kind": kind, "record": name, "field": field, "value": value}
                        )
        return kept


def follows(later, operation):
    device, number = operation["name"]
    return later["seen"].get(device, 0) >= number


if __name__ == "__main__":
    run(Device, can=["delete", "kept", "restart"])
