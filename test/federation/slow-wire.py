"""A slow wire between two interfaces: `slow-wire.py ONE OTHER MS` hands every frame on, MS milliseconds late, each way.

Each frame travels with what the kernel knows of it (PACKET_VNET_HDR): one that is still to be cut into packets, or whose
checksum is still to be written, is handed on as such. Says `ready`; ends when its input ends, so with whoever started it.
"""

import select
import socket
import sys
import time
from collections import deque

ETH_P_ALL = 3
SOL_PACKET = 263
PACKET_VNET_HDR = 15
PACKET_IGNORE_OUTGOING = 23
SO_RCVBUFFORCE = 33

BUFFER_BYTES = 8 * 2**20
# More than the longest one that is still to be cut.
FRAME_BYTES = 2**18
# What is on the wire in one direction; a frame beyond that is lost.
HELD_BYTES = 64 * 2**20
# Taken in before those that are due are looked at again.
AT_ONCE = 256


def open_end(interface: str) -> socket.socket:
    end = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    end.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    end.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    end.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER_BYTES)
    end.setblocking(False)
    end.bind((interface, ETH_P_ALL))
    return end


class Direction:
    """All are equally late, so the order in which frames came is the order in which they are due."""

    def __init__(self, source: socket.socket, target: socket.socket, delay: float) -> None:
        self.source = source
        self.target = target
        self.delay = delay
        self.held: deque[tuple[float, bytes]] = deque()
        self.bytes = 0

    def take_in(self) -> None:
        for _ in range(AT_ONCE):
            try:
                frame = self.source.recv(FRAME_BYTES)
            except OSError:
                # Nothing more for now, or an end that is down.
                return
            if self.bytes + len(frame) <= HELD_BYTES:
                self.held.append((time.monotonic() + self.delay, frame))
                self.bytes += len(frame)

    def hand_on(self) -> None:
        while self.held and self.held[0][0] <= time.monotonic():
            _, frame = self.held.popleft()
            self.bytes -= len(frame)
            try:
                self.target.send(frame)
            except OSError:
                # Wires lose frames; who sent it sends it again.
                continue

    def wait(self) -> float | None:
        return max(0.0, self.held[0][0] - time.monotonic()) if self.held else None


def main() -> None:
    one, other = open_end(sys.argv[1]), open_end(sys.argv[2])
    delay = float(sys.argv[3]) / 1000
    directions = [Direction(one, other, delay), Direction(other, one, delay)]
    print("ready", flush=True)
    while True:
        waits = [wait for direction in directions if (wait := direction.wait()) is not None]
        readable, _, _ = select.select([one, other, sys.stdin], [], [], min(waits, default=None))
        if sys.stdin in readable:
            return
        for direction in directions:
            if direction.source in readable:
                direction.take_in()
            direction.hand_on()


main()
