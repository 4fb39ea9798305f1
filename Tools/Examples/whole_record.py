"""Last write wins, record by record: the newer copy of a record replaces the older one whole, and
in a tie the phone's does. It loses edits: watchline fuzz --against command:'python3 whole_record.py'
"""
from merge_under_test import Unsupported, run


class Device:
    def __init__(self, name, role, schema):
        self.rank = (1 if role == "phone" else 0, name)
        self.records = {}  # by "kind/record": fields, updatedAt, isDeleted

    def edit(self, now, kind, record, change):
        key = f"{kind}/{record}"
        fields = change.get("create") or change.get("set")
        if fields is None and "delete" not in change:
            raise Unsupported()
        old = self.records.get(key, {"fields": {}, "updatedAt": [0]})
        # A change is newer than what it was made upon, whatever the clock says.
        date = max(now, old["updatedAt"][0] + 1)
        self.records[key] = {
            "fields": {**old["fields"], **(fields or {})},
            "updatedAt": [date, *self.rank],
            "isDeleted": "delete" in change,
        }

    def snapshot(self):
        return self.records

    def receive(self, body, sender):
        for key, record in body.items():
            own = self.records.get(key)
            if own is None or record["updatedAt"] > own["updatedAt"]:
                self.records[key] = record

    def state(self):
        shown = {}
        for key, record in sorted(self.records.items()):
            if not record["isDeleted"]:
                kind, name = key.split("/")
                shown.setdefault(kind, []).append({"id": name, **record["fields"]})
        return shown


if __name__ == "__main__":
    run(Device, can=["delete"])
