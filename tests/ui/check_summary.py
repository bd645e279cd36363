# Covers: summary_page, finding_cards, step_charts, page_column, step_group_color
"""Checks of the UI test: the summary of a trace, its figures, and the ways from it to examples, rows and tables."""

import traces
from checks import check, expect

LOADS_NS = [300_000_000, 100_000_000, 200_000_000]


def click(viewer, place):
    """Hovers first, since buttons require it."""
    viewer.point(*place)
    viewer.rest()
    viewer.tool("click", 1)


def opened(room, path):
    viewer = room.start(path)
    viewer.ready()
    click(viewer, viewer.state()["views"]["summary"])
    return viewer, viewer.settled("the summary is computed", lambda now: now["summary"]["computed"])


@check("the summary shows the findings and a mean step that adds up, and leads to the example, the row and the table")
def summary(room):
    viewer, state = opened(room, traces.loader_steps(room.folder / "steps.json", LOADS_NS))
    shown = state["summary"]
    expect(state["view"]["full"] and state["view"]["tab"] == "summary", "the summary does not fill the window")
    expect(shown["findings"] >= 1 and shown["steps"] == len(LOADS_NS), f"the summary is {shown}")
    expect(sum(shown["mean"].values()) == shown["mean_ns"] == traces.SECOND, f"the mean step is {shown['mean']}")
    expect(shown["mean"]["idle_loader"] == sum(LOADS_NS) // len(LOADS_NS), f"the mean step is {shown['mean']}")
    expect(shown["kernels"] == ["gemm_kernel"], f"the kernels are {shown['kernels']}")
    click(viewer, shown["places"]["finding_0_table"])
    viewer.settled("the table fills the window", lambda now: now["view"]["full"] and now["view"]["tab"] == "tables"
                   and now["tables"]["kind"] == "gaps")
    viewer.key("grave")
    state = viewer.settled("the summary is back", lambda now: now["view"]["tab"] == "summary" and now["view"]["full"])
    click(viewer, state["summary"]["places"]["finding_0_ledger"])
    viewer.settled("the row of the ledger is selected",
                   lambda now: now["ledger"] and now["ledger"]["computed"] and now["ledger"]["row"] == "idle:loader")
    click(viewer, viewer.state()["views"]["summary"])
    state = viewer.settled("the summary is back", lambda now: now["view"] is not None and now["view"]["full"])
    click(viewer, state["summary"]["places"]["finding_0_worst"])
    state = viewer.settled("the longest wait is selected", lambda now: now["view"]["marked"])
    expect(state["view"]["marked"][1] - state["view"]["marked"][0] == max(LOADS_NS),
           f"the example is {state['view']['marked']}")
    expect(not state["view"]["full"], "the summary still covers the tracks")
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("the worst example of a finding is followed by the next one with ], and preceded by the last one with [")
def examples(room):
    viewer, state = opened(room, traces.loader_steps(room.folder / "steps.json", LOADS_NS))
    click(viewer, state["summary"]["places"]["finding_0_worst"])

    def shows(now, load_ns):
        marked = now["view"]["marked"]
        return now["view"]["selected_name"] == traces.LOADER and marked and marked[1] - marked[0] == load_ns

    longest, second, shortest = sorted(LOADS_NS, reverse=True)
    state = viewer.settled("the longest wait is shown", lambda now: shows(now, longest))
    expect(state["tables"]["examples"] == 3, f"there are {state['tables']['examples']} examples")
    viewer.key("bracketright")
    viewer.settled("the second longest is shown", lambda now: shows(now, second))
    viewer.key("bracketright")
    viewer.settled("then the shortest", lambda now: shows(now, shortest))
    viewer.key("bracketleft")
    viewer.settled("[ goes back", lambda now: shows(now, second))
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("the tables of a trace without kernels begin with the operators; the box opens the summary as a page")
def first_table(room):
    viewer = room.start(traces.write(room.folder / "cpu.json", [traces.slice_event("aten::mm", 0, traces.SECOND)]))
    viewer.ready()
    viewer.key("shift+t")
    viewer.settled("the operators are shown", lambda now: now["view"]["tab"] == "tables"
                   and now["tables"]["kind"] == "operators" and now["tables"]["rows"] == 1)
    viewer.type_in_box("advice")
    viewer.settled("the summary comes first", lambda now: now["box"]["entries"][0]["title"] == "Table: Summary")
    viewer.key("Return")
    state = viewer.settled("it fills the window", lambda now: now["view"]["full"] and now["view"]["tab"] == "summary")
    expect(state["tables"]["kind"] == "operators", f"the table is {state['tables']['kind']}")
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("a click on a step of the summary shows it, and two steps can be compared")
def steps(room):
    viewer, state = opened(room, traces.loader_steps(room.folder / "steps.json", LOADS_NS))
    click(viewer, state["summary"]["places"]["step_1"])
    state = viewer.settled("the step is shown", lambda now: now["view"]["marked"])
    expect(state["view"]["marked"] == [traces.SECOND, 2 * traces.SECOND], f"the range is {state['view']['marked']}")
    viewer.key("Escape")
    click(viewer, viewer.state()["views"]["summary"])
    state = viewer.settled("the summary is back", lambda now: now["view"]["full"] and "two_steps" in now["summary"]["places"])
    # The link is at the end of the page, which scrolls.
    viewer.point(*state["summary"]["places"]["step_1"])
    viewer.wheel(up=False, notches=60)
    click(viewer, viewer.rest()["summary"]["places"]["two_steps"])
    viewer.settled("the comparison fills the window", lambda now: now["view"]["full"] and now["view"]["tab"] == "compare")


@check("the summary of a trace without GPU work has the time of the CPU, and says how to record the GPU")
def cpu_only(room):
    events = [traces.slice_event("aten::mm", 0, traces.SECOND)]
    viewer, state = opened(room, traces.write(room.folder / "cpu.json", events))
    shown = state["summary"]
    expect(shown["kernels"] == [] and shown["operators"] == ["aten::mm"], f"the summary is {shown}")
    expect(sum(shown["mean"].values()) == shown["mean_ns"], f"the mean is {shown['mean']}")
    expect("record_gpu_copy" in shown["places"], f"nothing says what was not checked: {list(shown['places'])}")
    expect("all_kernels_copy" in shown["places"], f"nothing says how to record kernels: {list(shown['places'])}")
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")
