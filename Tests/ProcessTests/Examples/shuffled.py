"""A correct merge that writes its answers in another way each time: members in any order, and numbers in
any spelling. JSON says that this is no difference, so the fuzzer must find none.

    shuffled.py FOLDER MODULE    the example merge MODULE of the folder FOLDER, such as field_level
"""
import decimal
import importlib
import json
import random
import runpy
import sys

folder, module = sys.argv[1], sys.argv[2]
del sys.argv[1:3]
sys.path.insert(0, folder)
adapter = importlib.import_module("merge_under_test")
chance = random.Random()


def number(value):
    if isinstance(value, int):
        digits, zeros = str(value), 0
        while digits.endswith("0") and len(digits.lstrip("-")) > 1:
            digits, zeros = digits[:-1], zeros + 1
        return chance.choice([str(value), "%d.0" % value, "%d.000e0" % value,
                              "%se%d" % (digits, zeros), "%sE+%d" % (digits, zeros)])
    return chance.choice([repr(value), "%sE0" % decimal.Decimal(repr(value))]).replace("E-0", "E-")


def spelled(value):
    if isinstance(value, dict):
        members = list(value.items())
        chance.shuffle(members)
        return "{" + ", ".join(json.dumps(name) + ":" + spelled(member)
                               for name, member in members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(spelled, value)) + "]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number(value)
    return json.dumps(value, ensure_ascii=chance.random() < 0.5)


class Spelling:
    """Stands in for the module json in the adapter. Lines' own type and re stay as they are."""

    @staticmethod
    def loads(line):
        request = json.loads(line)
        if request["type"] == "start":
            # The same schedule has to give the same lines.
            chance.seed(request["random"])
        return request

    @staticmethod
    def dumps(answer, separators):
        if answer["type"] != "state":
            return json.dumps(answer, separators=separators)
        parts = ['"type":"state"', '"re":%d' % answer["re"]]
        parts += ['"%s":%s' % (name, spelled(answer[name])) for name in ("records", "kept")
                  if name in answer]
        chance.shuffle(parts)
        return "{" + ",".join(parts) + "}"


adapter.json = Spelling
runpy.run_path("%s/%s.py" % (folder, module), run_name="__main__")
