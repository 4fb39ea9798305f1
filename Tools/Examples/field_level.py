"""Last write wins, field by field. What nobody overwrote is kept; what lost to a write of the same
field, or to a delete, is gone: it passes --loss fields and fails --loss deletes.

With the argument `messages` devices send each change on its own rather than all that they hold.
"""
import sys

from merge_under_test import Unsupported, run


class Device:
    def __init__(self, name, role, schema):
        self.rank = [1 if role == "phone" else 0, name]
        self.clock = 0
        self.fields = {}  # by "kind/record/field": [stamp, value]; the field "" is the record's life

    def write(self, key, stamp, value):
        """Takes a write in, unless it is an older one. Says whether it did."""
        if key in self.fields and self.fields[key][0] >= stamp:
            return False
        self.fields[key] = [stamp, value]
        return True

    def edit(self, now, kind, record, change):
        fields = change.get("create") or change.get("set")
        if fields is None and "delete" not in change:
            raise Unsupported()
        # Later than everything that was seen, so that whoever has seen a write overwrites it.
        self.clock = max(now, self.clock + 1)
        stamp = [self.clock, *self.rank]
        changes = {f"{kind}/{record}/": "delete" not in change}
        changes.update({f"{kind}/{record}/{name}": value for name, value in (fields or {}).items()})
        for key, value in changes.items():
            self.write(key, stamp, value)
        return self.sends({key: [stamp, value] for key, value in changes.items()})

    def sends(self, changes):
        return [{"lane": "userInfo", "body": changes}] if "messages" in sys.argv and changes else None

    def snapshot(self):
        return self.fields

    def receive(self, body, sender):
        news = {}
        for key, (stamp, value) in body.items():
            self.clock = max(self.clock, stamp[0])
            if self.write(key, stamp, value):
                news[key] = [stamp, value]
        return self.sends(news)  # the phone passes on what one watch tells it to the other

    def state(self):
        shown = {}
        for key, (_, value) in sorted(self.fields.items()):
            kind, record, field = key.split("/")
            if self.fields[f"{kind}/{record}/"][1]:
                records = shown.setdefault(kind, {}).setdefault(record, {"id": record})
                if field:
                    records[field] = value
        return {kind: list(records.values()) for kind, records in shown.items()}


if __name__ == "__main__":
    run(Device, can=["delete"], sync="messages" if "messages" in sys.argv else "state")
