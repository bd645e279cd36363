#!/usr/bin/env python3
"""Measures how long input takes to become visible over a slow link such as ssh -X. The window is on its own X server, and
the connection to it has a limited bandwidth.

    slow_link.py --kinetoscope PROGRAM [--mbit 10,50,200] [--size WIDTHxHEIGHT] [FILE]

Prints for each bandwidth the seconds from a key press until the last change of the picture, and the MB that were sent:
for one key, for ten keys at once, and for a key that changes nothing. Needs Xvfb and xdotool. Default FILE: the sample.
"""

import argparse
import pathlib
import socket
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "ui"))

from viewer import Viewer  # noqa: E402: the folder has to be known first
from virtual_display import VirtualDisplay  # noqa: E402


class Wire:
    """Forwards a local TCP port to the socket of a display, with limited bandwidth towards the display."""

    CHUNK = 16384

    def __init__(self, display, bytes_per_second):
        self.target = f"/tmp/.X11-unix/X{display.lstrip(':')}"
        self.speed = bytes_per_second
        self.sent = 0
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        number = 100
        while True:
            try:
                self.listener.bind(("127.0.0.1", 6000 + number))
                break
            except OSError:
                number += 1
        self.listener.listen()
        self.name = f"127.0.0.1:{number}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.socket(socket.AF_UNIX)
            server.connect(self.target)
            threading.Thread(target=self.carry, args=(client, server, True), daemon=True).start()
            threading.Thread(target=self.carry, args=(server, client, False), daemon=True).start()

    def carry(self, source, target, limited):
        due = time.monotonic()
        try:
            while data := source.recv(self.CHUNK):
                if limited:
                    self.sent += len(data)
                    due = max(due, time.monotonic() - 0.01) + len(data) / self.speed
                    time.sleep(max(0, due - time.monotonic()))
                target.sendall(data)
        except OSError:
            pass
        finally:
            for end in (source, target):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass


def resting(wire, seconds):
    """Waits until nothing was sent for `seconds`. Returns the time of the last data."""
    last, since = wire.sent, time.monotonic()
    while time.monotonic() - since < seconds:
        time.sleep(0.02)
        if wire.sent != last:
            last, since = wire.sent, time.monotonic()
    return since


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kinetoscope", required=True)
    parser.add_argument("--mbit", default="10,50,200")
    parser.add_argument("--size", default="1600x900")
    parser.add_argument("file", nargs="?", type=pathlib.Path, default=ROOT / "assets/sample/sample.pt.trace.json.gz")
    options = parser.parse_args()
    print("Mbit/s  what          seconds      MB")
    for mbit in map(float, options.mbit.split(",")):
        with tempfile.TemporaryDirectory(prefix="kinetoscope-link-") as folder:
            display = VirtualDisplay(folder, ("-extension", "MIT-SHM"))  # shared memory would bypass the wire
            wire = Wire(display.name, mbit * 1e6 / 8)
            viewer = Viewer(options.kinetoscope, None, display, pathlib.Path(folder) / "viewer", [options.file],
                            ("--no-cache", "--scale", "1", "--size", options.size),
                            more_environment={"DISPLAY": wire.name})
            try:
                viewer.attach()
                viewer.point(800, 400)
                resting(wire, 3)
                for what, keys in (("one key", ["s"]), ("ten keys", ["w"] * 10), ("nothing new", ["Control_L"])):
                    before, began = wire.sent, time.monotonic()
                    viewer.key(*keys)
                    ended = resting(wire, 3)
                    print(f"{mbit:6g}  {what:12} {max(0, ended - began):8.2f} {(wire.sent - before) / 1e6:7.1f}", flush=True)
            finally:
                viewer.quit()
                display.close()


if __name__ == "__main__":
    main()
