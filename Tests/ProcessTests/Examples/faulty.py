"""A right merge with a fault in it, which the fuzzer has to find.

    faulty.py FOLDER FAULT    on top of the example everything.py of the folder FOLDER
"""
import sys

folder, fault = sys.argv[1:3]
sys.path.insert(0, folder)
import everything  # noqa: E402


class RaisesInEdit(everything.Device):
    """Cannot set what another device has made."""

    def edit(self, request):
        target = [request["kind"], request["record"]]
        makers = {each["device"] for each in self.operations.values()
                  if each["target"] == target and each["change"] == "create"}
        if "set" in request and self.name not in makers:
            raise ValueError("a record of another device")
        super().edit(request)


class IgnoresMoves(everything.Device):
    """Says done, and leaves everything where it is."""

    def edit(self, request):
        if "move" not in request:
            super().edit(request)


class MovesBefore(everything.Device):
    """Puts a record before the one that it was put behind."""

    @staticmethod
    def put(order, target, place, after=None):
        if target in order:
            place -= order.index(target) < place
            order.remove(target)
        order.insert(order.index(after) if after in order else place, target)


class SplitsGroups(everything.Device):
    """Of two interval ends that were written at once the first one stays, of starts the last one."""

    def fold(self):
        isNew = self.folded is None
        records, order = super().fold()
        for record in records.values() if isNew else ():
            writes = [each for each in record["all"] if "endTime" in each["fields"]]
            newest = [each for each in writes
                      if not any(everything.has_seen(later, each) for later in writes)]
            if newest:
                record["fields"]["endTime"] = newest[0]["fields"]["endTime"]
        return records, order


everything.main({
    "raises-in-edit": RaisesInEdit, "ignores-moves": IgnoresMoves, "moves-before": MovesBefore,
    "splits-groups": SplitsGroups,
}[fault])
