#!/usr/bin/env python3
"""Drives the program in a real window on its own X server, and prints the processor time of its frames: median, 99th and
99.9th percentile, and maximum, while a trace or snapshot loads, while the view moves, and while a search runs.

    frames.py --kinetoscope PROGRAM [--size WIDTHxHEIGHT] [--quick] FILE...

The program measures itself (--frame-report): the processor time of the thread that draws, without OpenGL. The script
needs Xvfb and xdotool.
"""

import argparse
import pathlib
import random
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "ui"))

from viewer import Viewer  # noqa: E402: the folder has to be known first
from virtual_display import VirtualDisplay  # noqa: E402


class Drive:
    """Simulates a user; each run does the same."""

    def __init__(self, viewer, brief):
        self.viewer = viewer
        self.brief = brief
        self.random = random.Random(1)

    def tracks(self):
        """Returns left, top, right and bottom of the tracks, of a snapshot's plot, or of a job's lanes."""
        state = self.viewer.state()
        if state["job"]:
            left, top, right, bottom = state["job"]["lanes"]
            return left, top, right - 20, bottom - 4
        left, top, width, height = (state["view"] or state["snapshot"])["area"]
        return left, top, left + width - 20, top + height - 4

    def anywhere(self):
        left, top, right, bottom = self.tracks()
        return self.random.randint(int(left), int(right)), self.random.randint(int(top), int(bottom))

    def pause(self, seconds):
        time.sleep(seconds / 5 if self.brief else seconds)

    def held(self, key, seconds):
        self.viewer.tool("keydown", key)
        self.pause(seconds)
        self.viewer.tool("keyup", key)

    def typed(self, text):
        self.viewer.tool("type", "--delay", 12 if self.brief else 60, text)

    def move(self):
        """Zooms and pans by keys, from a random place."""
        self.viewer.point(*self.anywhere())
        for key in "wsda":
            self.held(key, 0.5)
        self.held("w", 1.5)
        self.viewer.wheel(False, 6)
        self.held("s", 0.4)

    def jump(self):
        """Jumps far away and back: fits all, zooms to the selection, visits training steps."""
        self.viewer.click(*self.anywhere())
        for key in ("f", "r", "n", "n", "p", "BackSpace", "bracketright", "Up", "g", "r"):
            self.viewer.key(key)
            self.pause(0.15)

    def hover(self):
        for _ in range(4 if self.brief else 24):
            self.viewer.point(*self.anywhere())
            self.pause(0.06)

    def mark(self):
        """Marks a time range on the ruler."""
        left, top, right, _ = self.tracks()
        self.viewer.point(left + (right - left) * self.random.uniform(0.1, 0.5), top - 8)
        self.viewer.tool("mousedown", 1)
        for _ in range(6):
            self.viewer.tool("mousemove_relative", "--", 60, 0)
            self.pause(0.05)
        self.viewer.tool("mouseup", 1)
        self.pause(1)

    def search(self, *queries):
        for query in queries:
            self.viewer.key("slash")
            self.pause(0.2)
            self.typed(query)
            for key in ("Return", "Return", "shift+Return", "Escape", "Escape"):
                self.viewer.key(key)
                self.pause(0.15)

    def tabs(self):
        """Opens tables, flame graph and hits, and changes the heights and folds of tracks."""
        for key in ("shift+t", "ctrl+Down", "ctrl+Down", "shift+f", "q", "q", "equal", "minus", "e", "e", "c", "c"):
            self.viewer.key(key)
            self.pause(0.25)

    def groups(self):
        """Opens and folds the first groups of tracks."""
        for _ in range(2):
            for header in self.viewer.state()["view"]["headers"][:2]:
                self.viewer.click(40, header["top"] + 10)
                self.pause(0.3)
            self.viewer.key("End")
            self.hover()
            self.viewer.key("Home")
            self.pause(0.3)

    def memory(self):
        """Uses the features of snapshots: plot heights, layouts, moments and their details, colors."""
        for _ in range(1 if self.brief else 4):
            self.move()
            for key in ("p", "r", "m"):
                self.viewer.key(key)
                self.pause(0.3)
            self.viewer.click(*self.anywhere())
            self.hover()
        for key in ("y", "y", "y", "y", "y", "y", "y", "c", "c", "c"):
            self.viewer.key(key)
            self.pause(0.6)
            self.hover()
        for key in ("shift+f", "shift+m", "alt+Right", "bracketright", "shift+t", "ctrl+Down", "ctrl+Down", "ctrl+Down"):
            self.viewer.key(key)
            self.pause(0.6)

    def job(self):
        """Uses the features of jobs: late collectives, steps, orders, groups, row heights, inline tracks."""
        for _ in range(1 if self.brief else 3):
            self.move()
            self.hover()
            for key in ("bracketright", "bracketright", "n", "n", "p", "o", "h", "y", "equal", "equal", "minus", "Escape", "r"):
                self.viewer.key(key)
                self.pause(0.4)
        self.viewer.key("Down", "e")
        self.pause(2)
        self.move()
        self.viewer.key("e", "r")
        self.pause(1)

    def scroll(self):
        for key in ("Next", "Next", "Prior", "Prior"):
            self.viewer.key(key)
            self.pause(0.1)


def ready(state):
    return bool(state["documents"]) and all(document["state"] != "loading" for document in state["documents"])


def drive(viewer, brief):
    does = Drive(viewer, brief)
    now = viewer.wait("something is shown", lambda state: state["view"] or state["snapshot"] or state["job"])
    if now["job"]:
        viewer.wait("the job is read", lambda state: state["job"]["read"] and state["job"]["ranks"])
        does.job()
        return
    if now["snapshot"]:
        does.memory()
        does.search(*(["forward"] if brief else ["forward", ">100MB", "/.*linear.*/"]))
        does.move()
        return
    while True:
        does.move()
        if ready(viewer.state()):
            break
        does.hover()
        does.search("gemm")
        does.jump()
    viewer.wait("the trace is loaded", ready)
    for _ in range(1 if brief else 4):
        does.move()
        does.scroll()
        does.jump()
        does.hover()
        does.mark()
    does.search("aten::add", *([] if brief else ["/^aten::.*mm$/", "dur>1ms", "kind:compute", "correlation:4711"]))
    does.tabs()
    does.groups()
    does.move()
    does.jump()


def measure(path, arguments, folder, display):
    """Prints the figures of one file. Returns whether the program exited with 0."""
    figures = folder / "figures.txt"
    options = ("--no-cache", "--frame-report", "--scale", "1", "--size", arguments.size)
    viewer = Viewer(arguments.kinetoscope, None, display, folder / "viewer", [path.resolve()], options, output=figures)
    try:
        drive(viewer.attach(), arguments.quick)
        code = viewer.quit()
    finally:
        viewer.kill()
        sys.stderr.write(viewer.errors())
    print(f"{path.name}\n{figures.read_text(encoding='utf-8')}", flush=True)
    return code == 0


def main():
    parser = argparse.ArgumentParser(description="Prints the processor time of frames in a real window.")
    parser.add_argument("--kinetoscope", required=True)
    parser.add_argument("--size", default="1600x900")
    parser.add_argument("--quick", action="store_true", help="do each action once, as a smoke test")
    parser.add_argument("files", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        display = VirtualDisplay(folder)
        try:
            return 0 if all([measure(path, arguments, folder, display) for path in arguments.files]) else 1
        finally:
            display.close()


if __name__ == "__main__":
    sys.exit(main())
