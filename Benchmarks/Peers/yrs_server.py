"""A websocket server of Yrs documents with a SQLite store, as pycrdt's own packages make it.

usage: yrs_server.py PORT FOLDER
"""

import asyncio
import sys

from pycrdt.store import SQLiteYStore
from pycrdt.websocket import WebsocketServer, YRoom
from websockets.asyncio.server import serve


class Store(SQLiteYStore):
    """A file each: two documents that are opened at once would both make the tables."""

    def __init__(self, name):
        super().__init__(name)
        self.db_path = sys.argv[2] + name + ".db"


class Rooms(WebsocketServer):
    async def get_room(self, name):
        if name not in self.rooms:
            self.rooms[name] = YRoom(ready=self.rooms_ready, ystore=Store(name), log=self.log)
        await self.start_room(self.rooms[name])
        return self.rooms[name]


class Channel:
    """What a room asks of a connection."""

    def __init__(self, connection):
        self.connection, self.path = connection, connection.request.path

    def __aiter__(self):
        return self

    async def __anext__(self):
        try:
            return await self.connection.recv()
        except Exception:
            raise StopAsyncIteration from None

    async def send(self, message):
        await self.connection.send(message)


async def main():
    rooms = Rooms(auto_clean_rooms=False)

    async def handle(connection):
        await rooms.serve(Channel(connection))

    async with rooms, serve(handle, "127.0.0.1", int(sys.argv[1]), compression=None, max_size=None):
        await asyncio.get_running_loop().create_future()


asyncio.run(main())
