"""Replays traces with Loro (PyPI: loro), for merge-benchmark.

    replay_loro.py DATA-DIR ROUNDS TRACE

Prints the least seconds of some rounds, and the bytes by which the resident memory grew in the
first. Reading the file is not counted. With several authors each has a document of its own, and
gets what it lacks of a transaction's history, as bytes, before it.
"""

import gzip
import json
import os
import sys
import time

import loro


def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def sequential(trace):
    document = loro.LoroDoc()
    text = document.get_text("text")
    insert, delete = text.insert, text.delete
    for transaction in trace["txns"]:
        for position, deleted, inserted in transaction["patches"]:
            if deleted:
                delete(position, deleted)
            if inserted:
                insert(position, inserted)
    document.commit()
    return [document]


def exchanges(trace):
    """For every transaction, the ranges (author, start, end) of characters that its author lacks."""
    count = trace["numAgents"]
    written, histories, result = [0] * count, [], []
    has = [[0] * count for _ in range(count)]
    for transaction in trace["txns"]:
        author, history = transaction["agent"], [0] * count
        for parent in transaction["parents"]:
            history = [max(pair) for pair in zip(history, histories[parent])]
        missing = [
            (other, has[author][other], history[other])
            for other in range(count)
            if has[author][other] < history[other]
        ]
        has[author] = [max(pair) for pair in zip(has[author], history)]
        written[author] += sum(deleted + len(text) for _, deleted, text in transaction["patches"])
        history[author] = has[author][author] = written[author]
        histories.append(history)
        result.append(missing)
    return result


def concurrent(trace, missing):
    documents = [loro.LoroDoc() for _ in range(trace["numAgents"])]
    for number, document in enumerate(documents):
        document.peer_id = number
    texts = [document.get_text("text") for document in documents]
    for transaction, ranges in zip(trace["txns"], missing):
        author = transaction["agent"]
        for other, start, end in ranges:
            span = loro.IdSpan(other, loro.CounterSpan(start, end))
            update = documents[other].export(loro.ExportMode.UpdatesInRange([span]))
            documents[author].import_(update)
        for position, deleted, inserted in transaction["patches"]:
            if deleted:
                texts[author].delete(position, deleted)
            if inserted:
                texts[author].insert(position, inserted)
    for document in documents:
        for other in documents:
            if other is not document:
                document.import_(other.export(loro.ExportMode.Updates(document.oplog_vv)))
    return documents


def main():
    folder, rounds, name = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    with gzip.open(os.path.join(folder, "text", name + ".json.gz")) as file:
        trace = json.load(file)
    missing = exchanges(trace) if "numAgents" in trace else None
    best, growth, documents = float("inf"), None, None
    for _ in range(rounds):
        documents = None
        before, start = resident(), time.perf_counter()
        documents = concurrent(trace, missing) if missing else sequential(trace)
        best = min(best, time.perf_counter() - start)
        growth = growth or resident() - before
        texts = [document.get_text("text").to_string() for document in documents]
        # Siblings may be ordered otherwise there, so several authors need only agree.
        expected = texts[0] if missing else trace["endContent"]
        if any(text != expected for text in texts):
            sys.exit(name + ": another text")
    print(best, growth)


if __name__ == "__main__":
    main()
