"""Two devices a document edit it through a websocket server of Yrs, and count what the other one has.

Both devices write 200 bytes each time, as with `watchline load --workload sync`; into 64 fields in turn, so that no edit
is written over by one of the same batch and each comes to the other device. Each edit is a transaction. An update of each
is sent, as the usual providers do it, or one that BATCH of them are merged into, as a device does that was offline.

usage: yrs_client.py --port N --pairs N --window N --seconds S --warm-up S --batch N --server-process ID
Prints one JSON object.
"""

import argparse
import asyncio
import json
import os
import time

from pycrdt import (Doc, Map, YMessageType, YSyncMessageType, create_sync_message, create_update_message,
                    handle_sync_message, merge_updates)
from websockets.asyncio.client import connect

FIELDS = 64
PAD = "x" * 180


class Device:
    def __init__(self, load, pair, is_phone):
        self.load, self.pair = load, pair
        self.own, self.other = ("name", "icon") if is_phone else ("icon", "name")
        self.doc = Doc()
        self.record = self.doc.get("record", type=Map)
        self.updates, self.sent, self.read, self.peer = [], 0, 0, None
        self.times = {}
        self.doc.observe(lambda event: self.updates.append(event.update))
        self.record.observe(self.changed)

    async def open(self, port):
        self.socket = await connect("ws://127.0.0.1:%d/pair%d" % (port, self.pair), compression=None,
                                    max_size=None)
        await self.say(create_sync_message(self.doc))

    async def say(self, message):
        self.load.bytes += len(message)
        await self.socket.send(message)

    def changed(self, event):
        numbers = [int(change["newValue"][:20]) for key, change in event.keys.items()
                   if key.startswith(self.other)]
        for number in sorted(numbers):
            if number != self.read + 1:
                raise SystemExit("edit %d came behind %d" % (number, self.read))
            self.load.passed(self.peer, number)
            self.read = number

    async def fill(self):
        """Makes as many edits as the window has room for."""
        while self.load.is_open and self.sent - self.peer.read < self.load.options.window:
            self.updates.clear()
            now = time.perf_counter()
            for _ in range(min(self.load.options.batch, self.load.options.window - (self.sent - self.peer.read))):
                self.sent += 1
                self.times[self.sent] = now
                self.record["%s%d" % (self.own, self.sent % FIELDS)] = "%020d%s" % (self.sent, PAD)
            update = merge_updates(*self.updates) if len(self.updates) > 1 else self.updates[0]
            await self.say(create_update_message(update))

    async def serve(self):
        async for message in self.socket:
            self.load.bytes += len(message)
            if message[0] != YMessageType.SYNC:
                continue
            reply = handle_sync_message(message[1:], self.doc)
            if reply is not None:
                await self.say(reply)
            if message[1] == YSyncMessageType.SYNC_STEP1:
                continue
            await self.peer.fill()


class Load:
    def __init__(self, options):
        self.options, self.is_open, self.is_measuring = options, True, False
        self.bytes, self.count, self.latencies = 0, 0, []

    def passed(self, writer, number):
        began = writer.times.pop(number)
        if self.is_measuring:
            self.count += 1
            self.latencies.append(time.perf_counter() - began)

    def moment(self):
        process = self.options.server_process
        with open("/proc/%d/stat" % process) as file:
            fields = file.read().rsplit(")", 1)[1].split()
        with open("/proc/%d/io" % process) as file:
            written = int(next(line for line in file if line.startswith("write_bytes")).split()[1])
        return (time.perf_counter(), (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), written,
                self.bytes, time.process_time())

    async def run(self):
        options, devices = self.options, []
        for pair in range(options.pairs):
            phone, watch = Device(self, pair, True), Device(self, pair, False)
            phone.peer, watch.peer = watch, phone
            devices += [phone, watch]
        for device in devices:
            await device.open(options.port)
        tasks = [asyncio.create_task(device.serve()) for device in devices]
        for device in devices:
            await device.fill()
        await asyncio.sleep(options.warm_up)
        self.is_measuring, before = True, self.moment()
        await asyncio.sleep(options.seconds)
        self.is_measuring, after = False, self.moment()
        self.is_open = False
        # What is under way comes in.
        for _ in range(600):
            if all(device.peer.read == device.sent for device in devices):
                break
            await asyncio.sleep(0.05)
        lost = sum(device.sent - device.peer.read for device in devices)
        for task in tasks:
            task.cancel()
        seconds, cpu, written, carried, own = (b - a for a, b in zip(before, after))
        self.latencies.sort()
        with open("/proc/%d/statm" % options.server_process) as file:
            resident = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        def percentile(share):
            return 1000 * self.latencies[min(len(self.latencies) - 1, int(share * len(self.latencies)))]

        count = max(1, self.count)
        return {
            "seconds": seconds, "sent": sum(device.sent for device in devices), "lost": lost,
            "messagesPerSecond": self.count / seconds, "serverCPUSecondsPerMillion": cpu / count * 1e6,
            "serverResidentBytes": resident, "wireBytesPerMessage": carried / count,
            "diskBytesPerMessage": written / count, "clientCPUPercent": 100 * own / seconds,
            "latencyMilliseconds": {name: percentile(share) if self.latencies else 0 for name, share in
                                    (("p50", 0.5), ("p99", 0.99), ("p999", 0.999), ("max", 1))}}


def main():
    parser = argparse.ArgumentParser()
    for name, kind in (("port", int), ("pairs", int), ("window", int), ("batch", int), ("seconds", float), ("warm-up", float),
                       ("server-process", int)):
        parser.add_argument("--" + name, type=kind, required=True)
    print(json.dumps(asyncio.run(Load(parser.parse_args()).run())))


main()
