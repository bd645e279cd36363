# Covers: trace_memory, track_memory, memory_plot
"""Checks of the UI test: allocations of a trace in the memory views, and searches that filter the plot."""

import json

import check_snapshots as snapshots
from checks import check, expect

MEGA = snapshots.MEGA


def memory_event(ts, size, total, addr):
    return {"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1, "tid": 1, "ts": ts,
            "args": {"Device Type": 1, "Device Id": 0, "Addr": addr, "Bytes": size, "Total Allocated": total,
                     "Total Reserved": 512 * MEGA}}


def write_trace(path):
    """Writes two operators. One frees the memory that the other one allocates."""
    events = [{"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": 90, "args": {"External id": ts}}
              for name, ts in (("aten::mul", 100), ("aten::add", 200))]
    events += [memory_event(110, 64 * MEGA, 96 * MEGA, 0x1000), memory_event(210, 16 * MEGA, 112 * MEGA, 0x9000000),
               memory_event(250, -64 * MEGA, 48 * MEGA, 0x1000)]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schemaVersion": 1, "traceEvents": events}, file)
    return path


@check("Shift+Y shows a trace's allocations as a memory plot with their operators, and then the timeline again")
def trace_memory(room):
    viewer = room.start(write_trace(room.folder / "memory.pt.trace.json"))
    viewer.ready()
    viewer.key("shift+y")
    state = viewer.settled("the plot is there", lambda now: now["snapshot"] and now["snapshot"]["live"])
    shown = state["snapshot"]
    expect(shown["of_trace"], "it is not of the trace")
    expect(shown["peak"]["bytes"] == 112 * MEGA, f"the peak is {shown['peak']}")
    viewer.point(snapshots.x_of(shown, 1), snapshots.y_of(shown, 64 * MEGA))
    state = viewer.settled("it is hovered", lambda now: now["snapshot"]["hovered"])
    expect(state["snapshot"]["hovered"]["place"] == "aten::mul", f"{state['snapshot']['hovered']} is hovered")
    viewer.key("shift+y")
    state = viewer.settled("the timeline is there", lambda now: now["view"] is not None)
    expect(state["snapshot"] is None, "the memory plot is shown, too")


@check("Shift+X plots only the hits of the search, Esc everything; Shift+Z lists live memory by size class")
def only_hits(room):
    viewer, state = snapshots.start(room)
    expect(state["snapshot"]["filtered"] is None, "the plot is filtered")
    viewer.key("shift+x")
    viewer.settled("the search is open", lambda now: now["snapshot"]["find"]["open"])
    viewer.key(*"buffer")
    state = viewer.settled("only hits are plotted", lambda now: now["snapshot"]["filtered"] == snapshots.STEPS)
    expect(state["snapshot"]["peak"]["bytes"] == 32 * MEGA, f"the peak of the hits is {state['snapshot']['peak']}")
    viewer.key("Escape")
    viewer.settled("all is plotted", lambda now: now["snapshot"]["filtered"] is None
                   and now["snapshot"]["peak"]["bytes"] == 352 * MEGA)
    viewer.key("shift+z")
    state = viewer.settled("sizes are listed", lambda now: now["snapshot"]["live"]["by_size"])
    expect(state["snapshot"]["live"]["rows"] == 3, f"{state['snapshot']['live']} are listed")
