"""Merges field writes with Loro (PyPI: loro), for merge-benchmark.

    merge_loro.py ROUNDS MAPS FIELDS WRITES

Two documents that share their maps make so many writes each, all in one commit, and one imports
what the other exports. Prints the least processor seconds of an import, and the bytes by which the resident
memory grew in the first round, without the exporting document.
"""

import os
import random
import sys
import time

import loro


def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def write(document, chance, maps, fields, writes):
    roots = document.get_map("records")
    handles = [roots.get(str(number)).container for number in range(maps)]
    names = ["field%d" % number for number in range(fields)]
    for number in range(writes):
        handles[chance.randrange(maps)].insert(names[chance.randrange(fields)], "v%d" % number)
    document.commit()


def shared(peer, start):
    document = loro.LoroDoc()
    document.peer_id = peer
    document.import_(start)
    return document


def main():
    rounds, maps, fields, writes = map(int, sys.argv[1:])
    first = loro.LoroDoc()
    roots = first.get_map("records")
    for number in range(maps):
        roots.insert_container(str(number), loro.LoroMap())
    first.commit()
    start = first.export(loro.ExportMode.Updates(loro.VersionVector()))
    other = shared(2, start)
    write(other, random.Random(2), maps, fields, writes)
    best, growth = float("inf"), None
    for number in range(rounds):
        document, before = None, resident()
        document = shared(1, start)
        write(document, random.Random(1), maps, fields, writes)
        update = other.export(loro.ExportMode.Updates(document.oplog_vv))
        begin = time.process_time()
        document.import_(update)
        best = min(best, time.process_time() - begin)
        growth = growth or resident() - before
    print(best, growth)


if __name__ == "__main__":
    main()
