# Covers: counter_sources, added_tracks, derived_counters, row_instances
"""Checks of the UI test: counters that are derived from the trace."""

import traces
from check_tables import KERNELS, choose, click, open_tables
from checks import check, expect


def counters(state):
    return [header["name"] for header in state["view"]["headers"] if header["samples"] > 0]


@check("U toggles counters of GPU use and queues next to their tracks")
def derived_counters(room):
    viewer = room.landmarks()
    expect(counters(viewer.state()) == [], "there are counters before anyone asked")
    viewer.key("u")
    state = viewer.settled("they are there", lambda now: "GPU utilization" in counters(now))
    names = [header["name"] for header in state["view"]["headers"]]
    queues = [name for name in names if name.startswith("Queue length, ")]
    expect(all(names[names.index(name) - 1] == name.removeprefix("Queue length, ") for name in queues),
           f"the headers are {names}")
    viewer.key("u")
    viewer.settled("they are gone", lambda now: counters(now) == [])
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("Alt+Right and clicks on histogram bars visit the slices of the selected row")
def instances_of_a_row(room):
    viewer = room.landmarks()
    open_tables(viewer)
    state = choose(viewer, "kernels", KERNELS)
    click(viewer, state["tables"]["first_row"])
    state = viewer.settled("its slices are found", lambda now: now["tables"]["instances"] == 2
                           and "first_bucket" in now["tables"]["instance_places"])
    first = state["view"]["selection"]
    viewer.key("alt+Right")
    viewer.settled("the other one is selected", lambda now: now["view"]["selection"] not in (None, first)
                   and now["view"]["selected_name"] == "gemm_kernel")
    click(viewer, state["tables"]["instance_places"]["previous_instance"])
    viewer.settled("the first one is selected again", lambda now: now["view"]["selection"] == first)
    click(viewer, state["tables"]["instance_places"]["first_bucket"])
    viewer.settled("the bar goes to the other one", lambda now: now["view"]["selection"] not in (None, first)
                   and now["view"]["selected_name"] == "gemm_kernel")
    viewer.key("Escape")
    viewer.settled("Esc leaves no row", lambda now: now["tables"]["selected"] == [])
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("packed streams have one counter of all their queues; unpacked, each stream has its own")
def queue_of_packed_streams(room):
    viewer = room.start(traces.graph(room.folder / "graph.pt.trace.json"))
    viewer.ready()
    viewer.key("u")
    state = viewer.settled("the counters are there", lambda now: "GPU utilization" in counters(now))
    queues = [name for name in counters(state) if name.startswith("Queue length")]
    expect(queues == ["Queue length, all streams"], f"the queues are {queues}")
    viewer.key("shift+j")
    viewer.settled("each stream has its own", lambda now: "Queue length, stream 20" in counters(now)
                   and "Queue length, all streams" not in counters(now))
    viewer.key("shift+j")
    viewer.settled("they are one again", lambda now: "Queue length, all streams" in counters(now))
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("a row of collectives also has instances")
def instances_of_other_tables(room):
    viewer = room.start(traces.graph(room.folder / "graph.pt.trace.json"))
    viewer.ready()
    open_tables(viewer)
    state = choose(viewer, "collectives", ["all-reduce"])
    click(viewer, state["tables"]["first_row"])
    state = viewer.settled("its slices are found", lambda now: now["tables"]["instances"] == 15)
    first = state["view"]["selection"]
    viewer.key("alt+Right")
    viewer.settled("the next one is selected", lambda now: now["view"]["selection"] not in (None, first)
                   and now["view"]["selected_name"] == "ncclDevKernel_AllReduce_Sum")
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")
