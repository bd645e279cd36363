# Covers: same_run, snapshot_counters, run_lane, snapshot_marks, track_memory
"""Checks of the UI test: a trace and an allocator snapshot of the same run."""

import json

import check_snapshots
import traces
from check_split import middle_of, pane
from checks import check, expect
from viewer import ns_per_px, span_ns

MS = 1_000_000
# Time from the trace's begin to the snapshot's first event.
LEAD_NS = 50 * MS
START_NS = 1_700_000_000_000_000_000
ACTIVE, RESERVED = "Requested memory, GPU 0 · memory", "Reserved memory, GPU 0 · memory"


def trace_of_run(folder, shift_ns=0):
    """Writes six steps of 50 ms, with a kernel at the memory peak of check_snapshots.recording() and one before it."""
    path = folder / "run.json"
    events = [traces.slice_event(f"ProfilerStep#{i}", i * 50 * MS, 50 * MS, category="user_annotation") for i in range(6)]
    events += [traces.kernel("early_kernel", LEAD_NS, 30 * MS),
               traces.kernel("void at::native::peak_kernel<float>(int)", LEAD_NS + 100 * MS, 2 * MS)]
    traces.write(path, events)
    document = json.loads(path.read_text())
    document["baseTimeNanoseconds"] = START_NS - LEAD_NS + shift_ns
    path.write_text(json.dumps(document))
    return path


def start(room, shift_ns=0):
    snapshot = check_snapshots.write(room.folder / "memory.pickle", [check_snapshots.recording()])
    viewer = room.start(trace_of_run(room.folder, shift_ns), snapshot)
    viewer.ready(2)
    return viewer


def names(state):
    return [header["name"] for header in state["view"]["headers"]]


def of_run(state):
    return state["snapshot"]["run"]


def linked_panes(viewer):
    """Returns the indices of the panes of the trace and of the snapshot."""
    viewer.key("F7")
    state = viewer.settled("two panes", lambda now: len(now["split"]["panes"]) == 2)
    viewer.key("l")
    state = viewer.settled("linked by clock", lambda now: now["split"]["link"] == "clock" and same_time(now))
    trace = [shown["view"] is not None for shown in state["split"]["panes"]].index(True)
    return trace, 1 - trace


def areas(state):
    return [(shown["view"] or shown["snapshot"])["area"] for shown in state["split"]["panes"]]


def unix_ranges(state):
    ranges = []
    for shown in state["split"]["panes"]:
        view = (shown["view"]["from_ns"], shown["view"]["to_ns"]) if shown["view"] else (shown["snapshot"]["from"], shown["snapshot"]["to"])
        ranges.append([shown["origin_unix_ns"] - START_NS + edge for edge in view])
    return ranges


def same_time(state):
    if not all(shown["shows_time"] for shown in state["split"]["panes"]):
        return False
    first, second = unix_ranges(state)
    slack = (first[1] - first[0]) / 5000 + 512
    return all(abs(a - b) < slack for a, b in zip(first, second))


def middle_of_snapshot(state, index):
    left, top, width, height = state["split"]["panes"][index]["snapshot"]["area"]
    return left + width / 2, top + height / 2


@check("L links a trace and a snapshot by Unix time: the snapshot shows a time axis, and zooming one moves both")
def link_trace_and_snapshot(room):
    viewer = start(room)
    trace, snapshot = linked_panes(viewer)
    state = viewer.settled("the same x is the same time", lambda now: len({(area[0], area[2]) for area in areas(now)}) == 1)
    first, second = (shown["origin_unix_ns"] for shown in state["split"]["panes"])
    fit = state["split"]["fit"]
    expect(fit["offset_ns"] == first - second and fit["drift_ppb"] == 0 and fit["uncertainty_ns"] > 0, f"the fit is {fit}")
    for index, middle in ((trace, middle_of), (snapshot, middle_of_snapshot)):
        viewer.click(*middle(viewer.state(), index))
        viewer.settled("the pane is active", lambda now: now["split"]["panes"][index]["active"])
        before = span_ns(pane(viewer.state(), trace))
        state = viewer.hold("w", "both are zoomed", lambda now: span_ns(pane(now, trace)) < before / 2)
        expect(same_time(state), f"zoomed, they show {unix_ranges(state)}")
    viewer.key("r")
    state = viewer.settled("all of the snapshot is in view", lambda now: span_ns(pane(now, trace)) > 190 * MS and same_time(now))
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("the link pauses while the snapshot shows steps or events, and resumes when it shows time again")
def link_rests(room):
    viewer = start(room)
    trace, snapshot = linked_panes(viewer)
    viewer.click(*middle_of_snapshot(viewer.state(), snapshot))
    viewer.settled("the snapshot is active", lambda now: now["split"]["panes"][snapshot]["active"])
    viewer.key("x")
    viewer.settled("it rests along steps", lambda now: now["split"]["link_rests"] and now["snapshot"]["axis"] == "steps")
    viewer.key("x")
    state = viewer.settled("it rests along events", lambda now: now["split"]["link_rests"] and now["snapshot"]["axis"] == "events")
    before = span_ns(pane(state, trace))
    viewer.hold("w", "the snapshot is zoomed", lambda now: now["snapshot"]["to"] - now["snapshot"]["from"] < 300_000)
    state = viewer.rest()
    expect(span_ns(pane(state, trace)) == before, "the trace follows a snapshot's events")
    expect(state["split"]["link"] == "clock", "the link is gone")
    viewer.key("x")
    state = viewer.settled("linked again", lambda now: not now["split"]["link_rests"] and same_time(now))
    expect(span_ns(pane(state, trace)) < before, "the trace does not show what the snapshot shows")
    viewer.key("l")
    viewer.settled("unlinked", lambda now: now["split"]["link"] == "none" and not now["split"]["link_rests"])


@check("linked traces and snapshots show the time under the mouse as a line in the other pane")
def link_mouse_of_snapshot(room):
    viewer = start(room)
    trace, snapshot = linked_panes(viewer)
    for here, there in ((trace, snapshot), (snapshot, trace)):
        viewer.point(2, viewer.display.HEIGHT - 2)
        before = viewer.resting_picture()
        state = viewer.state()
        views = [shown["view"] or shown["snapshot"] for shown in state["split"]["panes"]]
        share = 0.031 if there == snapshot else 0.037
        left, top, width, height = views[here]["area"]
        viewer.point(left + width * share, top + height - 12)
        left, top, width, height = views[there]["area"]
        x = int(left + width * share)

        def line_is_there(picture):
            return any(all(picture.at(at, top + 6 + i) != before.at(at, top + 6 + i) for i in range(8)) for at in (x - 1, x, x + 1))
        viewer.picture("the line is in the other pane", line_is_there)


@check("an open snapshot of the same run adds memory counters to the trace; closing it removes them")
def counters_of_snapshot(room):
    viewer = start(room)
    state = viewer.settled("they are there", lambda now: ACTIVE in names(now) and RESERVED in names(now))
    headers = names(state)
    expect(headers.index(ACTIVE) < headers.index(RESERVED) < headers.index("stream 7"), f"the headers are {headers}")
    viewer.key("u")
    state = viewer.settled("with the derived ones", lambda now: "GPU utilization" in names(now))
    expect(ACTIVE in names(state), f"the headers are {names(state)}")
    viewer.key("u")
    viewer.settled("without", lambda now: "GPU utilization" not in names(now) and ACTIVE in names(now))
    viewer.key("u", "ctrl+Tab")
    viewer.settled("the snapshot", lambda now: now["snapshot"])
    viewer.key("ctrl+w")
    state = viewer.settled("they are gone", lambda now: now["view"] and ACTIVE not in names(now))
    expect("GPU utilization" in names(state), f"the headers are {names(state)}")
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("reloading a snapshot updates the trace's memory counters")
def counters_of_reloaded_snapshot(room):
    viewer = start(room)
    viewer.settled("they are there", lambda now: ACTIVE in names(now))
    viewer.key("ctrl+Tab")
    viewer.settled("the snapshot", lambda now: now["snapshot"])
    events = check_snapshots.recording()
    check_snapshots.write(room.folder / "memory.pickle", [events[:len(events) // 4]])
    viewer.key("F5")
    viewer.settled("it is read again", lambda now: now["snapshot"] and now["snapshot"]["peak"]["bytes"] < 100 * check_snapshots.MEGA
                   and not now["documents"][1]["loading"])
    viewer.key("ctrl+Tab")
    viewer.settled("the trace", lambda now: now["view"] and ACTIVE in names(now))
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("a snapshot of another time is not matched with the trace")
def no_overlap(room):
    viewer = start(room, shift_ns=3_600 * traces.SECOND)
    state = viewer.settled("the trace", lambda now: now["view"])
    expect(ACTIVE not in names(state), f"the headers are {names(state)}")
    viewer.key("ctrl+Tab", "x")
    state = viewer.settled("the snapshot", lambda now: now["snapshot"] and now["snapshot"]["axis"] == "time")
    expect(of_run(state)["rows"] == 0 and of_run(state)["at_peak"] == "", f"it says {of_run(state)}")
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("a snapshot names the kernel and the step at its peak, and G shows that kernel in the trace")
def kernel_at_peak(room):
    viewer = start(room)
    viewer.key("ctrl+Tab")
    state = viewer.settled("it is named", lambda now: now["snapshot"] and of_run(now)["at_peak"])
    expect(of_run(state)["at_peak"] == "GPU: peak_kernel, step 3", f"it is {of_run(state)}")
    expect(of_run(state)["file"] == "run", f"the trace is {of_run(state)['file']}")
    viewer.key("p", "g")
    state = viewer.settled("the trace is in front", lambda now: now["view"] and now["view"]["selection"] is not None)
    expect("peak_kernel" in state["view"]["selected_name"], f"{state['view']['selected_name']} is selected")
    viewer.key("ctrl+w")
    viewer.settled("without the trace nothing is named", lambda now: now["snapshot"] and of_run(now)["at_peak"] == "")
    viewer.key("g")
    viewer.rest()
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("a snapshot with a time axis has lanes of the trace's steps and GPU use; a click there jumps to the trace")
def lane_of_run(room):
    viewer = start(room)
    viewer.key("ctrl+Tab")
    viewer.settled("the snapshot", lambda now: now["snapshot"] and of_run(now)["at_peak"])
    expect(of_run(viewer.state())["rows"] == 0, "there are lanes along events")
    viewer.key("x")
    state = viewer.settled("the lanes are there", lambda now: now["snapshot"]["axis"] == "time" and of_run(now)["rows"] == 2)
    left, top, width, height = of_run(state)["lane"]
    shown = state["snapshot"]
    viewer.click(left + width * (10 * MS - shown["from"]) / (shown["to"] - shown["from"]), top + height * 3 / 4)
    state = viewer.settled("the trace is in front", lambda now: now["view"] and now["view"]["selection"] is not None)
    expect(state["view"]["selected_name"] == "early_kernel", f"{state['view']['selected_name']} is selected")
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")
