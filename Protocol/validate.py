#!/usr/bin/env python3
"""Validates lines of the protocol against its JSON Schemas.

    validate.py SCHEMA_DIR < lines

Each line of the input is {"direction": "toServer" | "toDevice", "line": {...}}; other members are
ignored, and so are blank lines. A request that is meant to be refused carries "valid": false and is
not looked at. Exits 0 where all lines are valid, 1 with what is wrong with the first ten that are
not, 2 for bad usage. Needs python3-jsonschema 4.
"""

import json
import pathlib
import sys

import jsonschema

SHOWN = 10


def load(folder):
    """The validators by direction and type. Each schema is itself checked."""
    validators = {"toServer": {}, "toDevice": {}}
    for path in sorted(folder.glob("*.schema.json")):
        schema = json.loads(path.read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        prefix, _, _ = path.name.partition("-")
        direction = {"request": "toServer", "event": "toDevice"}.get(prefix)
        if direction:
            name = schema["properties"]["type"]["const"]
            validators[direction][name] = jsonschema.Draft202012Validator(schema)
    return validators


def faults(validators, text):
    """What is wrong with one line of input, as sentences."""
    try:
        entry = json.loads(text)
    except ValueError as error:
        return [f"not JSON: {error}"]
    direction, line = entry.get("direction"), entry.get("line")
    if direction not in validators:
        return [f"direction is toServer or toDevice, not {direction!r}"]
    if entry.get("valid") is False:
        return []
    if not isinstance(line, dict):
        return ["line is not an object"]
    validator = validators[direction].get(line.get("type"))
    if validator is None:
        return [f"no message {line.get('type')!r} is described in direction {direction}"]
    errors = sorted(validator.iter_errors(line), key=lambda error: list(map(str, error.path)))
    return [f"{describe(error)}" for error in errors]


def describe(error):
    # The deepest of several alternatives says most.
    error = jsonschema.exceptions.best_match([error])
    path = ".".join(map(str, error.absolute_path)) or "the line"
    return f"{path}: {error.message[:300]}"


def main():
    if len(sys.argv) != 2:
        print("usage: validate.py SCHEMA_DIR < lines", file=sys.stderr)
        return 2
    folder = pathlib.Path(sys.argv[1])
    validators = load(folder)
    if not all(validators.values()):
        print(f"validate.py: {folder} has no schemas", file=sys.stderr)
        return 2
    wrong = count = 0
    for number, text in enumerate(sys.stdin, 1):
        if not text.strip():
            continue
        count += 1
        found = faults(validators, text)
        if not found:
            continue
        wrong += 1
        if wrong <= SHOWN:
            print(f"line {number}: {text.strip()[:300]}", file=sys.stderr)
            for fault in found:
                print(f"    {fault}", file=sys.stderr)
    if wrong:
        print(f"validate.py: {wrong} of {count} lines do not fit their schema", file=sys.stderr)
        return 1
    print(f"validate.py: {count} lines fit their schemas")
    return 0


if __name__ == "__main__":
    sys.exit(main())
