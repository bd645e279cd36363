# Covers: snapshot_panel, memory_plot, allocation_page, live_page, snapshot_axis, oom_page,
#   snapshot_capsule
"""Checks of the UI test: allocator snapshots in the window."""

import json
import pickle

import traces
from checks import check, expect

MEGA = 1 << 20
STEPS = 200


def frames(function):
    """Makes a stack like PyTorch: C++ frames, PyTorch's Python frames, the user's frames."""
    return [{"name": "unwind", "filename": "??", "line": 0},
            {"name": "forward", "filename": "/site-packages/torch/nn/linear.py", "line": 114},
            {"name": function, "filename": "/home/me/train.py", "line": 42}]


def entry(action, addr, size, time_us, stack):
    return {"action": action, "addr": addr, "size": size, "stream": 0, "time_us": time_us, "frames": stack}


def recording(oom=True):
    """Makes a recording: a weight that remains, many short buffers, a large one in the middle (the peak), an OOM."""
    start = 1_700_000_000_000_000
    weight, buffer, large = frames("weight"), frames("buffer"), frames("large")
    trace = [entry("alloc", 0x10000000, 64 * MEGA, start, weight)]
    for i in range(STEPS):
        at = start + 1000 * i
        if i == STEPS // 2:
            trace.append(entry("alloc", 0x40000000, 256 * MEGA, at, large))
        trace.append(entry("alloc", 0x20000000, 32 * MEGA, at + 100, buffer))
        trace.append(entry("free_requested", 0x20000000, 32 * MEGA, at + 500, buffer))
        trace.append(entry("free_completed", 0x20000000, 32 * MEGA, at + 500, buffer))
        if i == STEPS // 2 + 20:
            trace.append(entry("free_requested", 0x40000000, 256 * MEGA, at + 600, large))
            trace.append(entry("free_completed", 0x40000000, 256 * MEGA, at + 600, large))
    if oom:
        trace.append({"action": "oom", "device_free": 5 * MEGA, "size": 1024 * MEGA, "stream": 0,
                      "time_us": start + 1000 * STEPS, "frames": large})
    return trace


def segment(addr, size):
    block = {"address": addr, "size": size, "requested_size": size, "state": "active_allocated", "frames": frames("weight")}
    return {"device": 0, "address": addr, "total_size": size, "allocated_size": size, "active_size": size, "requested_size": size,
            "stream": 0, "segment_type": "large", "segment_pool_id": (0, 0), "is_expandable": False, "frames": [], "blocks": [block]}


def write(path, device_traces):
    content = {"segments": [segment(0x10000000, 64 * MEGA)], "device_traces": device_traces}
    with open(path, "wb") as file:
        pickle.dump(content, file)
    return path


def start(room):
    viewer = room.start(write(room.folder / "memory.pickle", [recording()]))
    viewer.ready()
    return viewer, viewer.settled("the plot is there", lambda now: now["snapshot"] and now["snapshot"]["live"])


def x_of(shown, event):
    left, _, width, _ = shown["area"]
    units = (event + 0.5) * shown["units_per_event"]
    return left + width * (units - shown["from"]) / (shown["to"] - shown["from"])


def y_of(shown, size):
    _, top, _, height = shown["area"]
    low, high = shown["bytes"]
    return top + height * (1 - (size - low) / (high - low))


def large_buffer(shown):
    """Returns a point inside of the 256 MB buffer: above the weight, within its lifetime."""
    return x_of(shown, shown["peak"]["event"] + 20), y_of(shown, 200 * MEGA)


@check("a dropped snapshot opens in a tab next to a trace, with all of its memory in view")
def drop_snapshot(room):
    viewer = room.start(traces.landmarks(room.folder / "landmarks.pt.trace.json"))
    viewer.ready()
    viewer.drop(write(room.folder / "memory.pickle", [recording()]))
    viewer.ready(2)
    state = viewer.settled("the plot is there", lambda now: now["snapshot"] and now["snapshot"]["live"])
    shown = state["snapshot"]
    expect(state["view"] is None, "there is a timeline, too")
    expect(shown["peak"]["bytes"] == 352 * MEGA, f"the peak is {shown['peak']}")
    expect(shown["cursor"] == shown["peak"]["event"], f"the cursor is at {shown['cursor']}")
    expect(shown["bytes"][1] >= 352 * MEGA, f"{shown['bytes']} are in sight")
    expect(state["title"].startswith("memory"), f"the window is called {state['title']}")
    viewer.key("ctrl+Tab")
    state = viewer.settled("the trace is in front", lambda now: now["view"] is not None)
    expect(state["snapshot"] is None, "the snapshot is still shown")
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("hovering over a band names its allocation; a click selects it and moves the cursor; Esc deselects")
def hover_and_click(room):
    viewer, state = start(room)
    x, y = large_buffer(state["snapshot"])
    viewer.point(x, y)
    state = viewer.settled("it is hovered", lambda now: now["snapshot"]["hovered"])
    expect(state["snapshot"]["hovered"] == {"address": "0x40000000", "size": 256 * MEGA, "place": "train.py:42 large"},
           f"{state['snapshot']['hovered']} is hovered")
    viewer.click(x, y)
    state = viewer.settled("it is selected", lambda now: now["snapshot"]["selected"])
    expect(state["snapshot"]["selected"]["place"] == "train.py:42 large", f"{state['snapshot']['selected']} is selected")
    expect(state["snapshot"]["tab"] == "selection", f"the tab is {state['snapshot']['tab']}")
    expect(abs(state["snapshot"]["cursor"] - state["snapshot"]["peak"]["event"] - 20) <= 2,
           f"the cursor is at {state['snapshot']['cursor']}")
    viewer.key("f")
    state = viewer.settled("its life fills the view", lambda now: now["snapshot"]["to"] - now["snapshot"]["from"] < 120_000)
    viewer.key("Escape")
    viewer.settled("nothing is selected", lambda now: now["snapshot"]["selected"] is None)
    viewer.key("r")
    viewer.settled("all is in sight", lambda now: now["snapshot"]["to"] - now["snapshot"]["from"] > 600_000)


@check("P jumps to the peak, Shift+L lists live memory there, by stack or by allocation")
def peak_and_live(room):
    viewer, state = start(room)
    x, y = x_of(state["snapshot"], 10), y_of(state["snapshot"], 20 * MEGA)
    viewer.click(x, y)
    state = viewer.settled("the cursor is at the begin", lambda now: now["snapshot"]["cursor"] < 20)
    viewer.key("p")
    state = viewer.settled("the cursor is at the peak",
                           lambda now: now["snapshot"]["cursor"] == now["snapshot"]["peak"]["event"])
    viewer.key("shift+l")
    state = viewer.settled("the live set is listed", lambda now: now["snapshot"]["tab"] == "live"
                           and now["snapshot"]["live"]["event"] == now["snapshot"]["cursor"])
    live = state["snapshot"]["live"]
    expect((live["bytes"], live["rows"], live["first_bytes"]) == (352 * MEGA, 3, 256 * MEGA), f"it is {live}")
    viewer.click(*live["headers"]["bytes"])
    viewer.settled("the largest come first", lambda now: now["snapshot"]["live"]["order"] == ["bytes:desc"])
    viewer.click(*live["headers"]["bytes"])
    viewer.settled("the smallest comes first", lambda now: now["snapshot"]["live"]["first_bytes"] < 256 * MEGA)
    viewer.click(*live["controls"]["filters"])
    state = viewer.settled("columns have conditions", lambda now: "bytes" in now["snapshot"]["live"]["filters"])
    viewer.click(*state["snapshot"]["live"]["filters"]["bytes"])
    viewer.tool("type", "--delay", "20", ">200MB")
    state = viewer.settled("one is larger", lambda now: now["snapshot"]["live"]["rows"] == 1)
    viewer.click(*state["snapshot"]["live"]["first_row"])
    viewer.settled("it is selected", lambda now: now["snapshot"]["selected"]["size"] == 256 * MEGA)
    viewer.key("Escape")
    viewer.key("q")
    viewer.settled("the drawer is closed", lambda now: not now["snapshot"]["drawer"])


@check("M marks the cursor's moment for comparison: dragging on the ruler shows growth; M again ends it")
def compare_moments(room):
    viewer, state = start(room)
    shown = state["snapshot"]
    left, top, width, _ = shown["area"]
    viewer.click(left + width * 0.9, top - 10)
    viewer.settled("the cursor followed the ruler", lambda now: now["snapshot"]["cursor"] > 500)
    viewer.key("p", "m")
    viewer.settled("the peak is compared with", lambda now: now["snapshot"]["baseline"] == now["snapshot"]["peak"]["event"])
    viewer.click(left + width * 0.9, top - 10)
    state = viewer.settled("the table compares", lambda now: now["snapshot"]["cursor"] > 500
                           and now["snapshot"]["live"]["event"] == now["snapshot"]["cursor"])
    expect(state["snapshot"]["live"]["first_growth"] < 0 and state["snapshot"]["live"]["rows"] in (1, 2),
           f"it is {state['snapshot']['live']}")
    viewer.key("p", "m")
    viewer.settled("nothing is compared", lambda now: now["snapshot"]["baseline"] is None)


@check("W zooms events, Shift+W bytes, X changes to time; the peak remains selected")
def zoom_and_axis(room):
    viewer, state = start(room)
    before = state["snapshot"]
    viewer.point(*large_buffer(before))
    viewer.hold("w", "the view is narrower",
                lambda now: now["snapshot"]["to"] - now["snapshot"]["from"] < (before["to"] - before["from"]) / 2)
    state = viewer.rest()["snapshot"]
    viewer.key("shift+w")
    state = viewer.settled("fewer bytes are in sight", lambda now: now["snapshot"]["bytes"][1] - now["snapshot"]["bytes"][0]
                           < before["bytes"][1] * 0.9)
    viewer.key("x")
    state = viewer.settled("the axis is time", lambda now: now["snapshot"]["axis"] == "time")
    expect(state["snapshot"]["peak"] == before["peak"], f"the peak is {state['snapshot']['peak']}")
    viewer.key("r")
    state = viewer.settled("the recording's 200 ms are in sight", lambda now: now["snapshot"]["to"] > 199_000_000)


def annotated(path, count):
    """Makes the recording with regions of steps. The first one is much longer than the others."""
    trace = recording()
    start_us = trace[0]["time_us"]
    ends = [0] + [1000 * STEPS * (count + i) // (2 * count) for i in range(1, count + 1)]
    regions = []
    for i in range(count):
        for stage, at in (("START", ends[i]), ("END", ends[i + 1] - 1)):
            regions.append({"name": f"ProfilerStep#{i + 3}", "stage": stage, "device": 0, "time_us": start_us + at})
    content = {"segments": [segment(0x10000000, 64 * MEGA)], "device_traces": [trace], "external_annotations": regions}
    with open(path, "wb") as file:
        pickle.dump(content, file)
    return path


@check("X twice shows annotated steps with equal widths; the view keeps its events; F5 keeps the axis")
def step_axis(room):
    path = annotated(room.folder / "steps.pickle", 4)
    viewer = room.start(path)
    viewer.ready()
    state = viewer.settled("the steps are known", lambda now: now["snapshot"] and now["snapshot"]["live"] and now["snapshot"]["steps"])
    before = state["snapshot"]
    expect(before["axis"] == "events" and before["steps"]["region"] == "ProfilerStep" and before["steps"]["count"] == 4,
           f"it is {before['axis']}, {before['steps']}")
    viewer.key("x", "x")
    shown = viewer.settled("the axis is steps", lambda now: now["snapshot"]["axis"] == "steps")["snapshot"]
    expect(shown["peak"] == before["peak"] and shown["cursor"] == before["cursor"], f"the cursor is at {shown['cursor']}")
    units = shown["steps"]["units"]
    expect(4 * units < shown["to"] - shown["from"] < 5.2 * units, f"{shown['from']} to {shown['to']} are in sight")
    left, top, width, _ = shown["area"]

    def x_at(step):
        return left + width * (step * units - shown["from"]) / (shown["to"] - shown["from"])

    # The first of four steps has more than half of the events, so the cursor jumps over more events there.
    cursors = []
    for step in (0.5, 1.5, 2.5):
        viewer.click(x_at(step), top - 32)  # above the lane of regions
        last = cursors[-1] if cursors else shown["cursor"]
        state = viewer.settled("the cursor follows the ruler", lambda now: now["snapshot"]["cursor"] != last)
        cursors.append(state["snapshot"]["cursor"])
    expect(abs(cursors[0] - 189) < 9 and abs(cursors[1] - 416) < 9 and abs(cursors[2] - 491) < 9, f"it was at {cursors}")
    viewer.key("F5")
    viewer.settled("it is loaded again, with the cursor at its peak", lambda now: now["snapshot"]["axis"] == "steps"
                   and now["snapshot"]["live"] and now["snapshot"]["cursor"] == before["peak"]["event"])
    viewer.key("x")
    viewer.settled("the axis is events", lambda now: now["snapshot"]["axis"] == "events")
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("O jumps to the out-of-memory error and explains it; another device has its own view")
def oom_and_devices(room):
    viewer = room.start(write(room.folder / "two.pickle", [recording(oom=False), recording()]))
    viewer.ready()
    state = viewer.settled("the plot is there", lambda now: now["snapshot"] and now["snapshot"]["live"])
    if state["snapshot"]["ooms"] == 1:
        viewer.key("v")
        state = viewer.settled("the first device is shown", lambda now: now["snapshot"]["ooms"] == 0)
    before = state["snapshot"]["device"]
    viewer.key("v")
    state = viewer.settled("the second device is shown", lambda now: now["snapshot"]["device"] != before)
    expect(state["snapshot"]["ooms"] == 1, f"it has {state['snapshot']['ooms']} errors")
    viewer.key("o")
    state = viewer.settled("the error is told of", lambda now: now["snapshot"]["tab"] == "oom")
    expect(state["snapshot"]["cursor"] == 3 * STEPS + 4, f"the cursor is at {state['snapshot']['cursor']}")
    viewer.settled("it was looked into", lambda now: now["snapshot"]["autopsies"] == 1)


@check("F5 reloads a snapshot and keeps its device and axis")
def reload_snapshot(room):
    path = write(room.folder / "two.pickle", [recording(), recording()])
    viewer = room.start(path)
    viewer.ready()
    viewer.settled("the plot is there", lambda now: now["snapshot"] and now["snapshot"]["live"])
    viewer.key("v", "x")
    state = viewer.settled("time of another device", lambda now: now["snapshot"]["axis"] == "time")
    device = state["snapshot"]["device"]
    write(path, [recording(), recording(oom=False)])
    viewer.wait("the change is noticed", lambda now: now["documents"][0]["notice"] != "")
    viewer.key("F5")
    state = viewer.settled("it is loaded again", lambda now: now["documents"][0]["notice"] == "" and not now["documents"][0]["loading"])
    expect(state["snapshot"]["device"] == device and state["snapshot"]["axis"] == "time", f"it shows {state['snapshot']}")
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("a memory timeline opens with a time axis and by category; entries at -1 are older than the recording")
def memory_timeline(room):
    rows = [[-1, 1, 512 * MEGA, 0]]
    for i in range(100):
        rows += [[(1000 + 2 * i) * 1_000_000, 2, 64 * MEGA, 4], [(1001 + 2 * i) * 1_000_000, 4, -64 * MEGA, 4]]
    path = room.folder / "timeline.raw.json"
    path.write_text(json.dumps(rows))
    viewer = room.start(path)
    shown = viewer.settled("the plot is there", lambda now: now["snapshot"] and now["snapshot"]["live"])["snapshot"]
    expect((shown["axis"], shown["coloring"]) == ("time", "category"), f"it opens by {shown['axis']}, {shown['coloring']}")
    expect(shown["peak"]["bytes"] == 576 * MEGA, f"the peak is {shown['peak']}")


@check("a snapshot is packed into a capsule at the chosen path, redacted without names, and the capsule shows the same")
def packs_snapshot(room):
    viewer, state = start(room)
    before = state["snapshot"]
    viewer.key("ctrl+shift+k")
    capsule = viewer.save("memory.kino")
    state = viewer.settled("it is packed", lambda now: str(capsule) in now["told"])
    expect("Capsule saved" in state["told"], f"the window says {state['told']}")
    viewer.take_from_box("capsule, redacted", "ctrl+p")
    hidden = viewer.save("hidden.kino")
    state = viewer.settled("it is redacted", lambda now: str(hidden) in now["told"])
    # The third one names the source of the capsule.
    expect("Replaced: frames 5, paths 0, file names 3" in state["told"], f"the window says {state['told']}")
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")
    viewer.quit()
    other = room.start(capsule, hidden)
    other.wait("it is said that one is redacted", lambda now: "shown as hashes" in now["told"])
    other.ready(2)
    shown = other.settled("the plot is there", lambda now: now["snapshot"] and now["snapshot"]["live"])["snapshot"]
    expect(shown["peak"] == before["peak"], f"the peak is {shown['peak']} and was {before['peak']}")
    expect(other.errors() == "", f"there are errors: {other.errors()}")
