#!/usr/bin/env python3
"""Runs the program in a real window on an X server of its own, with real keys, mouse and drops, and checks what it
shows: its state file and the pixels of the screen.

    ui_test.py --kinetoscope PROGRAM --xdnd-source PROGRAM [--data FOLDER] [--keep FOLDER] [WORD...]

With WORDs only the checks whose sentence has one of them run. --keep leaves a picture of each failure in FOLDER.
Needs Xvfb and xdotool, but no display, GPU, network or D-Bus.
"""

import argparse
import collections
import os
import pathlib
import sys
import tempfile
import time
import traceback

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))

import traces  # noqa: E402
from checks import CHECKS, check, expect  # noqa: E402
from leak_search import leak_search_crashed, sanitizer_found  # noqa: E402
from viewer import Failed, Viewer, lanes, ns_per_px, span_ns, time_at, wait_until, x_of  # noqa: E402
from virtual_display import VirtualDisplay  # noqa: E402

PYTHON_THREAD, GPU_STREAM = "python", "stream 7"
REPEATS = 2  # how many checks of a run are given a second chance


class Room:
    """Where one check runs: a folder of its own, and the viewers it starts."""

    def __init__(self, arguments, display, folder):
        self.arguments, self.display, self.folder = arguments, display, pathlib.Path(folder)
        self.viewers = []

    def start(self, *files, options=(), size="1600x900", path=None, environment=(), cached=False):
        options = options if cached else ("--no-cache", *options)
        viewer = Viewer(self.arguments.kinetoscope, self.arguments.xdnd_source, self.display,
                        self.folder / "viewer", files, ("--scale", "1", "--size", size, *options), path, environment)
        self.viewers.append(viewer)
        viewer.attach()
        viewer.point(2, self.display.HEIGHT - 2)
        return viewer

    def landmarks(self, **how):
        """A viewer with the trace of known slices, at rest."""
        viewer = self.start(traces.landmarks(self.folder / "landmarks.pt.trace.json"), **how)
        viewer.ready()
        return viewer

    def close(self):
        for viewer in self.viewers:
            viewer.kill()


# ---- Pixels ----

def lit_columns(picture, state, lane):
    """The window's x positions at which a lane shows more than its background, left of the scrollbar."""
    left, _, width, _ = state["view"]["area"]
    # Labels do not reach this line; grid lines differ from the background by less than any slice does.
    colors = picture.row(left, lane["top"] + 2, int(width) - 16)
    background = collections.Counter(colors).most_common(1)[0][0]
    return {int(left) + i for i, color in enumerate(colors)
            if max(abs(a - b) for a, b in zip(color, background)) > 24}


def expect_lit(columns, begin, end, what):
    missing = [x for x in range(round(begin) + 2, round(end) - 2) if x not in columns]
    expect(not missing, f"{what}: {len(missing)} of its {round(end - begin)} columns are dark, the first at {missing[:1]}")


def kernels_are_in_place(viewer, state):
    """Whether the stream's slices light the columns that their times say, and nothing else does."""
    lane = lanes(state, GPU_STREAM)[0]
    expected = [traces.FIRST_KERNEL, traces.SECOND_KERNEL, traces.LONE_KERNEL]
    left, right = state["view"]["area"][0], sum(state["view"]["area"][::2]) - 16

    def holds(picture):
        columns = lit_columns(picture, state, lane)
        allowed = set()
        for start, duration in expected:
            begin, end = x_of(state, start), x_of(state, start + duration)
            allowed |= set(range(int(begin) - 2, int(end) + 3))
            inside = range(max(round(begin) + 1, int(left)), min(round(end) - 1, int(right)))
            if any(x not in columns for x in inside):
                return False
            if left < begin < right and not any(x in columns for x in range(int(begin) - 2, int(end) + 3)):
                return False
        return columns <= allowed
    viewer.picture("the kernels are where their times say", holds)


# ---- Opening, and what is seen then ----

@check("a trace from the command line opens, and the whole of it is in view")
def opens(room):
    state = room.landmarks().state()
    expect(state["documents"][0]["state"] == "ready", f"the document is {state['documents']}")
    expect(state["documents"][0]["slices"] == 7, f"{state['documents'][0]['slices']} slices instead of 7")
    expect(state["documents"][0]["damage"] == 0, "a sound trace has damage")
    expect(state["view"]["from_ns"] <= 0 and state["view"]["to_ns"] >= traces.LENGTH_NS, "not all of it is in view")
    expect(span_ns(state) < 1.1 * traces.LENGTH_NS, "the trace does not fill the window")


@check("slices light exactly the pixels that their times say")
def slices_in_place(room):
    viewer = room.landmarks()
    state = viewer.state()
    kernels_are_in_place(viewer, state)
    nested = lanes(state, PYTHON_THREAD)
    expect(len(nested) == 3, f"three nested slices are in {len(nested)} lanes")
    picture = viewer.resting_picture()
    second = traces.SECOND
    for lane, begin, end in ((1, 3, 4), (1, 5, 7), (2, 5.5, 5.75)):
        columns = lit_columns(picture, state, nested[lane])
        expect_lit(columns, x_of(state, begin * second), x_of(state, end * second), f"the slice in lane {lane}")
    # The slice that is everywhere has no background beside it to tell it from, so the lane under it serves.
    over = picture.at(x_of(state, 9 * second), nested[0]["top"] + 2)
    under = picture.at(x_of(state, 9 * second), nested[2]["top"] + 2)
    expect(over != under, "the slice that spans the trace is not drawn")


@check("slices of one name have one colour, others another")
def colors_by_name(room):
    viewer = room.landmarks()
    state = viewer.state()
    kernels_are_in_place(viewer, state)
    picture = viewer.resting_picture()
    y = lanes(state, GPU_STREAM)[0]["top"] + 2
    first, second = (picture.at(x_of(state, start + length // 2), y)
                     for start, length in (traces.FIRST_KERNEL, traces.SECOND_KERNEL))
    expect(first == second, f"two kernels of one name are {first} and {second}")
    operator = picture.at(x_of(state, 6.5 * traces.SECOND), lanes(state, PYTHON_THREAD)[1]["top"] + 2)
    expect(operator != first, "an operator looks like a kernel")


@check("a lone event of 1 ns lights a pixel when all is in view and zoomed out as far as it goes")
def lone_event(room):
    viewer = room.landmarks()
    kernels_are_in_place(viewer, viewer.state())
    viewer.point(900, 300)
    spans = []

    def grows_no_more(state):
        spans.append((state["frame"], span_ns(state)))
        earlier = [span for frame, span in spans if frame < state["frame"] - 20]
        return earlier and earlier[-1] == span_ns(state)
    state = viewer.hold("s", "the view cannot get wider", grows_no_more)
    expect(span_ns(state) > 2 * traces.LENGTH_NS, "S does not zoom out beyond the trace")
    kernels_are_in_place(viewer, state)


@check("a trace of many short kernels shows them all as one band, and apart after zooming in")
def dense(room):
    viewer = room.start(traces.busy(room.folder / "busy.json"))
    state = viewer.ready()
    lane = lanes(state, GPU_STREAM)[0]
    begin, end = x_of(state, 0), x_of(state, traces.SECOND)

    def all_lit(picture):
        y = lane["top"] + 2
        gap = picture.at(begin - 6, y)
        return all(picture.at(x, y) != gap for x in range(round(begin) + 2, round(end) - 18))
    viewer.picture("no column of the band is empty", all_lit)
    viewer.point(900, lane["top"] + 5)
    state = viewer.hold("w", "fewer than 40 kernels in view", lambda now: span_ns(now) < 40 * traces.SECOND / 20_000)

    def apart(picture):
        columns = lit_columns(picture, state, lanes(state, GPU_STREAM)[0])
        width = state["view"]["area"][2] - 16
        return 0.35 < len(columns) / width < 0.65
    viewer.picture("kernels that run half of the time cover half of the pixels", apart)


# ---- Flying ----

@check("W held zooms in around the time under the mouse")
def zoom_in(room):
    viewer = room.landmarks()
    before = viewer.state()
    x = x_of(before, traces.SECOND_KERNEL[0] + 1000)
    time_ns = time_at(before, round(x))
    viewer.point(x, lanes(before, GPU_STREAM)[0]["top"] + 8)
    after = viewer.hold("w", "the span has shrunk to a fifth", lambda state: span_ns(state) < span_ns(before) / 5)
    expect(abs(x_of(after, time_ns) - round(x)) <= 1,
           f"the time under the mouse went from x {round(x)} to {x_of(after, time_ns):.1f}")
    kernels_are_in_place(viewer, after)


@check("S held zooms out around the time under the mouse")
def zoom_out(room):
    viewer = room.landmarks()
    wide = viewer.state()
    viewer.point(x_of(wide, 5 * traces.SECOND), 200)
    before = viewer.hold("w", "the span has shrunk to a tenth", lambda state: span_ns(state) < span_ns(wide) / 10)
    time_ns = time_at(before, 1000)
    viewer.point(1000, 200)
    after = viewer.hold("s", "the span has doubled", lambda state: span_ns(state) > 2 * span_ns(before))
    expect(abs(x_of(after, time_ns) - 1000) <= 1, f"the time under the mouse went to x {x_of(after, time_ns):.1f}")


@check("D held moves to later times and A back, at the same zoom")
def pan(room):
    viewer = room.landmarks()
    wide = viewer.state()
    viewer.point(x_of(wide, 3 * traces.SECOND), 200)
    start = viewer.hold("w", "the span has shrunk to a third", lambda state: span_ns(state) < span_ns(wide) / 3)
    quarter = span_ns(start) / 4
    later = viewer.hold("d", "a quarter of the view later",
                        lambda state: state["view"]["from_ns"] > start["view"]["from_ns"] + quarter)
    expect(abs(span_ns(later) / span_ns(start) - 1) < 1e-9, "panning zooms")
    kernels_are_in_place(viewer, later)
    earlier = viewer.hold("a", "a quarter of the view earlier",
                          lambda state: state["view"]["from_ns"] < later["view"]["from_ns"] - quarter)
    expect(abs(span_ns(earlier) / span_ns(start) - 1) < 1e-9, "panning zooms")
    kernels_are_in_place(viewer, earlier)


@check("a short tap of W is not lost, and the movement ends by itself")
def tap(room):
    viewer = room.landmarks()
    before = viewer.state()
    viewer.point(800, 200)
    viewer.key("w")
    viewer.wait("the span has shrunk", lambda state: span_ns(state) < span_ns(before))
    expect(span_ns(viewer.rest()) > span_ns(before) / 5, "a tap zooms too far")


@check("the wheel with Ctrl zooms at the mouse, with Shift pans")
def wheel(room):
    viewer = room.landmarks()
    before = viewer.state()
    x = round(x_of(before, 4 * traces.SECOND))
    time_ns = time_at(before, x)
    viewer.point(x, 200)
    viewer.tool("keydown", "ctrl")
    viewer.wheel(up=True, notches=4)
    viewer.wait("the span has shrunk to a half", lambda state: span_ns(state) < span_ns(before) / 2)
    viewer.tool("keyup", "ctrl")
    zoomed = viewer.rest()
    expect(abs(x_of(zoomed, time_ns) - x) <= 1, f"the time under the mouse went from x {x} to {x_of(zoomed, time_ns):.1f}")
    expect(abs(span_ns(zoomed) * 1.25 ** 4 / span_ns(before) - 1) < 1e-3,
           f"four notches zoom by {span_ns(before) / span_ns(zoomed):.3f}")
    viewer.tool("keydown", "shift")
    viewer.wheel(up=False, notches=2)
    viewer.wait("the view is later", lambda state: state["view"]["from_ns"] > zoomed["view"]["from_ns"])
    viewer.tool("keyup", "shift")
    expect(abs(span_ns(viewer.rest()) / span_ns(zoomed) - 1) < 1e-9, "panning zooms")


@check("the wheel scrolls the tracks, and stops at the end")
def scroll(room):
    viewer = room.start(traces.many_threads(room.folder / "threads.json"))
    before = viewer.ready()
    picture = viewer.resting_picture()
    viewer.point(800, 400)
    viewer.wheel(up=False, notches=3)
    state = viewer.wait("three notches are scrolled", lambda state: state["view"]["scroll_px"] == 180)
    expect(span_ns(state) == span_ns(before), "scrolling zooms")
    expect(viewer.resting_picture().changed(picture) > 1000, "scrolling is not to be seen")
    viewer.wheel(up=False, notches=60)
    viewer.settled("the last thread is in sight",
                   lambda now: any(lane["track"] == "thread 80" for lane in now["view"]["lanes"]))
    end = viewer.rest()["view"]["scroll_px"]
    viewer.wheel(up=False, notches=5)
    expect(viewer.rest()["view"]["scroll_px"] == end, "the tracks scroll beyond their end")
    viewer.wheel(up=True, notches=80)
    viewer.settled("back at the top", lambda now: now["view"]["scroll_px"] == 0)


@check("a drag with the middle button takes the time under the mouse along")
def drag(room):
    viewer = room.landmarks()
    wide = viewer.state()
    viewer.point(x_of(wide, 2 * traces.SECOND), 200)
    before = viewer.hold("w", "the span has shrunk to a third", lambda state: span_ns(state) < span_ns(wide) / 3)
    time_ns = time_at(before, 900)
    viewer.point(900, 200)
    viewer.tool("mousedown", 2)
    for x in range(890, 640, -10):
        viewer.point(x, 200)
    viewer.point(650, 200)
    viewer.wait("the grabbed time is at the mouse", lambda state: abs(x_of(state, time_ns) - 650) <= 1)
    viewer.tool("mouseup", 2)
    after = viewer.rest()
    expect(abs(x_of(after, time_ns) - 650) <= 1, f"let go, the grabbed time is at x {x_of(after, time_ns):.1f}")
    expect(after["view"]["selected_name"] is None, "the end of a drag selects")
    kernels_are_in_place(viewer, after)


@check("R brings everything back into view")
def fit_all(room):
    viewer = room.landmarks()
    before = viewer.state()
    viewer.point(700, 200)
    viewer.hold("w", "the span has shrunk to a fifth", lambda state: span_ns(state) < span_ns(before) / 5)
    viewer.key("r")
    after = viewer.settled("the whole trace is in view", lambda state: span_ns(state) >= traces.LENGTH_NS)
    expect(after["view"]["from_ns"] == before["view"]["from_ns"] and span_ns(after) == span_ns(before),
           "the view is not the one the trace opened with")


# ---- Looking closer ----

def point_at_addmm(viewer):
    state = viewer.state()
    viewer.point(x_of(state, 6.5 * traces.SECOND), lanes(state, PYTHON_THREAD)[1]["top"] + 8)


@check("the mouse over a slice names it in a card")
def hover(room):
    viewer = room.landmarks()
    before = viewer.resting_picture()
    point_at_addmm(viewer)
    viewer.wait("the slice under the mouse", lambda state: state["view"]["hovered_name"] == "aten::addmm")
    viewer.picture("a card is drawn", lambda picture: picture.changed(before) > 2000)
    viewer.point(x_of(viewer.state(), 8 * traces.SECOND), lanes(viewer.state(), PYTHON_THREAD)[1]["top"] + 8)
    viewer.wait("nothing where nothing is", lambda state: state["view"]["hovered_name"] is None)
    # A window that opens under the mouse, which then leaves it and comes back to the very same place.
    point_at_addmm(viewer)
    expect(viewer.quit() == 0, "quitting is an error")
    again = room.landmarks()
    point_at_addmm(again)
    again.wait("the slice under the mouse of another window", lambda state: state["view"]["hovered_name"] == "aten::addmm")


@check("a click selects the slice and shows its details, Esc lets it go")
def click(room):
    viewer = room.landmarks()
    before = viewer.resting_picture()
    point_at_addmm(viewer)
    viewer.tool("click", 1)
    state = viewer.wait("the slice is selected", lambda state: state["view"]["selected_name"] == "aten::addmm")
    expect(state["view"]["selection"] is not None, "the selection has no number")
    viewer.wait("the drawer is open", lambda state: state["view"]["drawer"])
    viewer.point(2, viewer.display.HEIGHT - 2)
    area = viewer.rest()["view"]["area"]
    below = (0, area[1] + area[3] + 4, 1600, 120)

    def shows_details(picture):
        return picture.colors(*below) > before.colors(*below) + 5
    viewer.picture("the drawer has something to read", shows_details)
    viewer.key("Escape")
    viewer.wait("nothing is selected", lambda state: state["view"]["selected_name"] is None)


@check("F fits the selected slice into the view")
def fit_selection(room):
    viewer = room.landmarks()
    point_at_addmm(viewer)
    viewer.tool("click", 1)
    viewer.wait("the slice is selected", lambda state: state["view"]["selected_name"] == "aten::addmm")
    viewer.key("f")
    state = viewer.settled("the slice fills the view", lambda state: span_ns(state) < 3.5 * traces.SECOND)
    expect(state["view"]["from_ns"] < 5 * traces.SECOND and state["view"]["to_ns"] > 7 * traces.SECOND,
           "a part of the slice is outside")


# ---- The window ----

@check("? opens the help sheet over the timeline and closes it, as Esc does")
def help_sheet(room):
    viewer = room.landmarks()
    before = viewer.resting_picture()
    viewer.key("question")
    viewer.wait("help is open", lambda state: state["help"])
    viewer.picture("the sheet is drawn", lambda picture: picture.changed(before) > 50_000)
    viewer.key("question")
    viewer.wait("help is closed", lambda state: not state["help"])
    viewer.picture("the timeline is back", lambda picture: picture.changed(before) == 0)
    viewer.key("F1")
    viewer.wait("help is open", lambda state: state["help"])
    viewer.key("Escape")
    viewer.wait("help is closed", lambda state: not state["help"])


@check("T changes between a dark and a light theme, and the choice is kept")
def theme(room):
    viewer = room.landmarks()
    expect(viewer.state()["theme"] == "dark", "the first theme is not dark")
    left, top, width, height = viewer.state()["view"]["area"]
    part = (left, top + height / 2, width, 200)
    dark = viewer.resting_picture().brightness(*part)
    viewer.key("t")
    viewer.settled("the theme is light", lambda state: state["theme"] == "light")
    viewer.picture("the window is light", lambda picture: picture.brightness(*part) > dark + 100)
    kernels_are_in_place(viewer, viewer.state())
    expect(viewer.quit() == 0, "quitting is an error")
    again = room.landmarks()
    expect(again.state()["theme"] == "light", "the theme is forgotten")


@check("F3 shows the figures of the frame")
def figures(room):
    viewer = room.landmarks()
    before = viewer.resting_picture()
    viewer.key("F3")
    viewer.wait("the figures are open", lambda state: state["debug"])
    viewer.picture("the figures are drawn", lambda picture: picture.changed(before) > 500)


@check("resized to 900x600 and back, everything fits and the mouse still points right")
def resize(room):
    viewer = room.landmarks()
    for width, height in ((900, 600), (1600, 900), (640, 420), (1280, 720)):
        viewer.tool("windowsize", viewer.window, width, height)
        state = viewer.settled(f"the tracks end at the window's edge, {width}", lambda now: (
            now["view"]["area"][0] + now["view"]["area"][2] == width
            and now["view"]["area"][1] + now["view"]["area"][3] == height))
        expect(state["view"]["to_ns"] >= traces.LENGTH_NS, f"at {width}x{height} the end of the trace is cut off")
        kernels_are_in_place(viewer, state)

        def fills_the_window(picture):
            return picture.at(width - 3, height - 3) != (0, 0, 0) and picture.at(width + 3, height - 3) == (0, 0, 0)
        if width < 1600:
            viewer.picture("the window is drawn up to its corner", fills_the_window)
        point_at_addmm(viewer)
        viewer.wait("the slice under the mouse", lambda now: now["view"]["hovered_name"] == "aten::addmm")
        viewer.point(2, viewer.display.HEIGHT - 2)


@check("the window sleeps when nothing changes")
def idle(room):
    viewer = room.landmarks()
    viewer.rest()
    frame, spent, seconds = viewer.state()["frame"], viewer.cpu_seconds(), 2
    time.sleep(seconds)
    expect(viewer.state()["frame"] == frame, f"{viewer.state()['frame'] - frame} frames are drawn in {seconds} s")
    used = viewer.cpu_seconds() - spent
    expect(used < 0.05 * seconds, f"doing nothing for {seconds} s takes {used:.2f} s of processor time")


# ---- Several files, drops and dialogs ----

@check("two files dropped on the empty window open as two tabs")
def drop_two(room):
    viewer = room.start()
    viewer.settled("the start page")
    first = traces.landmarks(room.folder / "rank 0 ü %41.json")
    second = traces.busy(room.folder / "rank1.json.gz", 1000, compressed=True)
    before = viewer.resting_picture()
    viewer.drop(first, second)
    state = viewer.ready(2)
    expect([document["file"] for document in state["documents"]] == [str(first), str(second)],
           f"the documents are {state['documents']}")
    expect(all(document["state"] == "ready" for document in state["documents"]), f"they are {state['documents']}")
    expect(state["active"] == 0, "the first of them is not in front")
    viewer.picture("a timeline is drawn", lambda picture: picture.changed(before) > 50_000)
    kernels_are_in_place(viewer, state)
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("a file dropped on an open trace opens beside it; dropped again it comes to the front")
def drop_again(room):
    viewer = room.landmarks()
    other = traces.busy(room.folder / "other.json", 1000)
    viewer.drop(other, at=(1200, 800))
    state = viewer.ready(2)
    expect(state["active"] == 1, "the dropped file is not in front")
    viewer.drop(room.folder / "landmarks.pt.trace.json")
    state = viewer.wait("the first file is in front", lambda state: state["active"] == 0)
    expect(len(state["documents"]) == 2, "a file that is open already opens once more")


@check("Ctrl+Tab goes through the tabs, each keeps its view, Ctrl+W closes one after the other")
def tabs(room):
    files = [traces.landmarks(room.folder / "a.json"), traces.busy(room.folder / "b.json", 500),
             traces.many_threads(room.folder / "c.json", 5)]
    viewer = room.start(*files)
    first = viewer.ready(3)
    viewer.point(700, 200)
    zoomed = viewer.hold("w", "the span has shrunk to a third", lambda state: span_ns(state) < span_ns(first) / 3)
    for active in (1, 2, 0):
        before = viewer.resting_picture()
        viewer.key("ctrl+Tab")
        state = viewer.settled(f"tab {active}", lambda state: state["active"] == active)
        viewer.picture("another trace is drawn", lambda picture: picture.changed(before) > 5000)
    expect(state["view"]["from_ns"] == zoomed["view"]["from_ns"] and span_ns(state) == span_ns(zoomed),
           "the first tab lost its view")
    viewer.key("ctrl+shift+Tab")
    viewer.settled("the last tab", lambda state: state["active"] == 2)
    for left in ([0, 1], [0], []):
        viewer.key("ctrl+w")
        state = viewer.settled(f"{len(left)} tabs are left", lambda state: len(state["documents"]) == len(left))
        expect([document["file"] for document in state["documents"]] == [str(files[i]) for i in left],
               f"the wrong tab is closed: {state['documents']}")
    expect(state["active"] is None, "without tabs one is active")


def fake_dialog(folder, script):
    """A folder with a zenity that does what the script says."""
    folder.mkdir()
    program = folder / "zenity"
    program.write_text("#!/bin/sh\n" + script)
    program.chmod(0o755)
    return folder


@check("Ctrl+O opens what is chosen in the dialog")
def dialog(room):
    files = [traces.landmarks(room.folder / "chosen 1.json"), traces.busy(room.folder / "chosen 2.json", 500)]
    lines = "".join(f"echo '{file}'\n" for file in files)
    viewer = room.landmarks(path=fake_dialog(room.folder / "bin", lines))
    viewer.key("ctrl+o")
    state = viewer.ready(3)
    expect([document["file"] for document in state["documents"][1:]] == [str(file) for file in files],
           f"the documents are {state['documents']}")


@check("Ctrl+O and a cancelled dialog change nothing")
def dialog_cancelled(room):
    asked = room.folder / "asked"
    viewer = room.landmarks(path=fake_dialog(room.folder / "bin", f": > '{asked}'\nexit 1\n"))
    before = viewer.resting_picture()
    viewer.key("ctrl+o")
    wait_until("the dialog is started", asked.exists)
    state = viewer.rest()
    expect(len(state["documents"]) == 1, f"the documents are {state['documents']}")
    viewer.picture("the window looks as before", lambda picture: picture.changed(before) == 0)
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("Ctrl+O without any dialog program shows the window's own browser, and Esc closes it")
def browser(room):
    empty = room.folder / "bin"
    empty.mkdir()
    viewer = room.landmarks(path=empty)
    before = viewer.resting_picture()
    viewer.key("ctrl+o")
    viewer.picture("the browser is drawn", lambda picture: picture.changed(before) > 50_000)
    viewer.key("Escape")
    viewer.picture("the timeline is back", lambda picture: picture.changed(before) == 0)


# ---- What goes wrong ----

@check("a file that is no trace says so in the window and once on stderr, and can be closed")
def not_a_trace(room):
    viewer = room.landmarks()
    broken = room.folder / "notes.txt"
    broken.write_text("These are notes about a trace, not a trace.\n" * 50)
    before = viewer.resting_picture()
    viewer.drop(broken)
    state = viewer.settled("the file failed", lambda state: [
        document["state"] for document in state["documents"]] == ["ready", "failed"])
    expect(state["documents"][1]["error"], "the document has no error")
    viewer.picture("the error is drawn", lambda picture: picture.changed(before) > 20_000)
    lines = viewer.errors().splitlines()
    expect(len(lines) == 1, f"stderr has {len(lines)} lines: {lines}")
    expect(str(broken) in lines[0], f"stderr does not name the file: {lines[0]}")
    viewer.key("ctrl+w")
    viewer.settled("the trace is back", lambda state: len(state["documents"]) == 1)
    expect(len(viewer.errors().splitlines()) == 1, "closing says it once more")


@check("a file that is not there says so once, in the window and on stderr")
def missing(room):
    viewer = room.start(room.folder / "nowhere.json")
    state = viewer.settled("the file failed", lambda state: [
        document["state"] for document in state["documents"]] == ["failed"])
    expect(state["documents"][0]["error"], "the document has no error")
    lines = viewer.errors().splitlines()
    expect(len(lines) == 1 and "nowhere.json" in lines[0], f"stderr has {lines}")


@check("a trace that is cut in half opens with what is there, and says so")
def cut_in_half(room):
    whole = traces.busy(room.folder / "whole.json", 4000)
    packed = traces.busy(room.folder / "packed.json.gz", 4000, compressed=True)
    viewer = room.start(traces.cut(room.folder / "half.json", whole), traces.cut(room.folder / "half.json.gz", packed))
    state = viewer.ready(2)
    for document in state["documents"]:
        expect(document["state"] == "ready", f"half a trace does not open: {document}")
        expect(1000 < document["slices"] < 3000, f"half of 4000 slices are {document['slices']}")
        expect(document["damage"] > 0, "the damage is not counted")
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("Esc while a large file loads gives it up at once; the window lives on")
def cancel(room):
    viewer = room.landmarks()
    large = traces.huge(room.folder / "large.json.gz", 2000)
    viewer.drop(large)
    viewer.wait("the large file is loading", lambda state: [
        document["state"] for document in state["documents"]] == ["ready", "loading"])
    viewer.key("Escape")
    viewer.key("shift+Escape")  # what stops it where a part of the file is shown by now, and stays
    viewer.wait("the load is given up", lambda state: all(
        document["state"] != "loading" for document in state["documents"]))
    if len(viewer.state()["documents"]) > 1:
        viewer.key("ctrl+w")
    state = viewer.settled("the other trace is shown", lambda state: len(state["documents"]) == 1)
    expect(state["documents"][0]["state"] == "ready", f"the other trace is {state['documents'][0]}")
    kernels_are_in_place(viewer, state)
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")
    viewer.point(800, 200)
    viewer.hold("w", "the span has shrunk", lambda now: span_ns(now) < span_ns(state) / 2)


@check("the window closes while a large file loads")
def quit_while_loading(room):
    viewer = room.start(traces.huge(room.folder / "large.json.gz", 2000))
    viewer.wait("the large file is loading", lambda state: state["documents"][0]["state"] == "loading")
    expect(viewer.quit() == 0, "quitting is an error")


@check("without a display it says what to do instead and ends with an error")
def no_display(room):
    class Nowhere:
        name = ":4999"
    viewer = Viewer(room.arguments.kinetoscope, room.arguments.xdnd_source, Nowhere, room.folder / "viewer")
    room.viewers.append(viewer)
    code = viewer.process.wait(60)
    expect(code == 1, f"the exit code is {code}")
    lines = viewer.errors().splitlines()
    expect(len(lines) == 1 and "kinetoscope info FILE" in lines[0], f"stderr has {lines}")


@check("without a display the program prints what is in its files, and ends as well as the worst of them")
def summaries_without_display(room):
    class Nowhere:
        name = ":4999"
    good = traces.landmarks(room.folder / "good.json")
    for files, wanted in (((good, good), 0), ((good, room.folder / "missing.json"), 1)):
        output = room.folder / "printed.txt"
        viewer = Viewer(room.arguments.kinetoscope, room.arguments.xdnd_source, Nowhere, room.folder / "viewer", files,
                        output=output)
        room.viewers.append(viewer)
        code = viewer.process.wait(60)
        expect(code == wanted, f"the exit code is {code}")
        printed = output.read_text(encoding="utf-8")
        expect(printed.count("Time span") == files.count(good), f"it printed {printed}")
        expect("no display" in viewer.errors(), f"stderr has {viewer.errors()}")


# ---- Real traces ----

def real_files(data):
    wanted = ("kineto/hta/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz",
              "kineto/param-dlrm-8rank/worker0_step_12.1694128201545.pt.trace.json",
              "kineto/lightllm-decode-tp8/10-116-218-90_3090494.1743406976912802812.pt.trace.json",
              "kineto/kineto/worker0.1623143089861.pt.trace.json.gz")
    return [data / name for name in wanted if (data / name).is_file()]


@check("real traces open in tabs, are drawn, can be flown through and looked into")
def real_traces(room):
    files = real_files(room.arguments.data) if room.arguments.data else []
    if not files:
        print("      (the real traces are not here: skipped)")
        return
    viewer = room.start(*files)
    viewer.ready(len(files))
    for tab in range(len(files)):
        whole = viewer.settled(f"tab {tab}", lambda state: state["active"] == tab)
        expect(whole["documents"][tab]["state"] == "ready", f"{whole['documents'][tab]}")
        area = whole["view"]["area"]
        viewer.picture("it has many colours", lambda picture: picture.colors(*area) > 60)
        viewer.point(area[0] + area[2] / 2, area[1] + 100)
        near = viewer.hold("w", "the span has shrunk to a fiftieth", lambda now: span_ns(now) < span_ns(whole) / 50)
        viewer.point(2, viewer.display.HEIGHT - 2)
        viewer.picture("something is in view", lambda picture: picture.colors(*area) > 8)
        viewer.hold("d", "half a view later", lambda now: (
            now["view"]["from_ns"] > near["view"]["from_ns"] + span_ns(near) / 2))
        viewer.key("r")
        viewer.settled("all is in view again", lambda now: span_ns(now) == span_ns(whole))
        viewer.key("ctrl+Tab")
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


# Their checks run after those above.
import check_archives  # noqa: E402, F401
import check_bookmarks  # noqa: E402, F401
import check_cache  # noqa: E402, F401
import check_compare  # noqa: E402, F401
import check_comparison  # noqa: E402, F401
import check_counters  # noqa: E402, F401
import check_flame  # noqa: E402, F401
import check_hang  # noqa: E402, F401
import check_hostile  # noqa: E402, F401
import check_job  # noqa: E402, F401
import check_language  # noqa: E402, F401
import check_same_run  # noqa: E402, F401
import check_sharing  # noqa: E402, F401
import check_snapshot_plot  # noqa: E402, F401
import check_what_if  # noqa: E402, F401
import check_split  # noqa: E402, F401
import check_live  # noqa: E402, F401
import check_looks  # noqa: E402, F401
import check_search  # noqa: E402, F401
import check_slice_menu  # noqa: E402, F401
import check_segments  # noqa: E402, F401
import check_layouts  # noqa: E402, F401
import check_snapshots  # noqa: E402, F401
import check_snapshot_sets  # noqa: E402, F401
import check_snapshot_tables  # noqa: E402, F401
import check_menus  # noqa: E402, F401
import check_moves  # noqa: E402, F401
import check_stacks  # noqa: E402, F401
import check_sql  # noqa: E402, F401
import check_tables  # noqa: E402, F401
import check_tracks  # noqa: E402, F401
import check_trace_memory  # noqa: E402, F401
import check_trust  # noqa: E402, F401


def write_picture(display, path):
    picture = display.picture()
    pixels = picture.pixels
    rgb = bytearray(3 * picture.width * picture.height)
    rgb[0::3], rgb[1::3], rgb[2::3] = pixels[2::4], pixels[1::4], pixels[0::4]
    path.write_bytes(f"P6 {picture.width} {picture.height} 255\n".encode() + rgb)


class Wrong(Exception):
    """The program crashed, or a sanitizer found something: one time is enough."""


def run(sentence, function, arguments, display):
    """Whether the check passes. Raises Wrong."""
    with tempfile.TemporaryDirectory(prefix="kinetoscope-ui-") as folder:
        room = Room(arguments, display, folder)
        try:
            function(room)
            for viewer in room.viewers:
                code = viewer.quit() if viewer.window else viewer.process.poll()
                expect(code in (0, None) or not viewer.window or leak_search_crashed(viewer.errors()),
                       f"the program ends with {code}\n{viewer.errors()}")
            return True
        except Exception as failure:
            ended = [viewer.process.poll() for viewer in room.viewers]
            print(f"FAILED {sentence}\n       {failure}", flush=True)
            if not isinstance(failure, Failed):
                traceback.print_exc(file=sys.stdout)
            if arguments.keep:
                arguments.keep.mkdir(parents=True, exist_ok=True)
                write_picture(display, arguments.keep / f"{function.__name__}.ppm")
            if any(code not in (0, None) for code in ended) or any(sanitizer_found(viewer.errors()) for viewer in room.viewers):
                raise Wrong from failure
            return False
        finally:
            room.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--kinetoscope", required=True)
    parser.add_argument("--xdnd-source", required=True)
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--part", default="1/1", help="N/M: every M-th check from the N-th on")
    parser.add_argument("words", nargs="*")
    arguments = parser.parse_args()
    chosen = [one for one in CHECKS if not arguments.words or any(word in one[0] for word in arguments.words)]
    part, parts = (int(number) for number in arguments.part.split("/"))
    chosen = chosen[part - 1::parts]
    failed, repeated = 0, []
    with tempfile.TemporaryDirectory(prefix="kinetoscope-ui-") as folder:
        os.environ["MESA_SHADER_CACHE_DIR"] = folder  # shaders of a driver in software are compiled once
        display = VirtualDisplay(folder)
        try:
            for sentence, function in chosen:
                begin = time.monotonic()
                try:
                    # Keys and clicks go through a server that may be late where all cores are busy: what fails is run
                    # once more, and told. Not so when much fails.
                    passed = run(sentence, function, arguments, display)
                    if not passed and len(repeated) < REPEATS:
                        repeated.append(sentence)
                        passed = run(sentence, function, arguments, display)
                except Wrong:
                    passed = False
                if passed:
                    print(f"passed {sentence} ({time.monotonic() - begin:.1f} s)", flush=True)
                else:
                    failed += 1
        finally:
            display.close()
    print(f"{len(chosen) - failed} passed, {failed} failed")
    for sentence in repeated:
        print(f"run twice: {sentence}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
