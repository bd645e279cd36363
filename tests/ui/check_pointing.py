# Covers: range_gesture, timeline_input, range_chip, distance_lines, chain_outline, event_outline, flow_view
"""Checks of the UI test: what drags mean, the chip of a range, distances between slices, and connected slices."""

import json

import traces
from checks import check, expect
from viewer import lanes, span_ns, x_of

SECOND = traces.SECOND


def drag(viewer, begin, end, y, held=None):
    """Drags with the left button from one x to another while a key is held."""
    if held:
        viewer.tool("keydown", held)
    viewer.point(begin, y)
    if held != "space":  # a held key repeats, so that frames follow each other
        viewer.rest()
    viewer.tool("mousedown", 1)
    for x in ((begin + end) / 2, (begin + 3 * end) / 4, end):
        viewer.point(x, y)
    if held != "space":
        viewer.rest()
    viewer.tool("mouseup", 1)
    if held:
        viewer.tool("keyup", held)
    return viewer.rest()


def settings_of(room):
    path = room.folder / "viewer" / "config" / "kinetoscope" / "settings.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


@check("a drag over tracks marks a range; with Shift or Space it moves the view; under 4 px it is a click")
def drag_selects(room):
    viewer = room.landmarks()
    start = viewer.state()
    y = lanes(start, "stream 7")[0]["top"] + 8
    begin, end = (x_of(start, at * SECOND) for at in (4.5, 8.5))
    state = drag(viewer, begin, end, y)
    marked = state["view"]["marked"]
    expect(marked and abs(marked[0] - 4.5 * SECOND) < SECOND / 10 and abs(marked[1] - 8.5 * SECOND) < SECOND / 10,
           f"the range is {marked}")
    expect(state["view"]["tab"] == "range" and state["view"]["drawer"], "the range page is not shown")
    expect(state["view"]["selected_name"] is None, "a drag selects a slice")
    viewer.key("Escape")
    viewer.settled("Esc removes range and chip",
                   lambda now: now["view"]["marked"] is None and now["pointing"]["chip"] is None)
    viewer.point(x_of(start, 5 * SECOND), 300)
    viewer.hold("w", "it is zoomed in", lambda now: span_ns(now) < span_ns(start) / 2)
    wide = viewer.rest()
    for held in ("shift", "space"):
        state = drag(viewer, 900, 800, y, held)
        expect(state["view"]["from_ns"] > wide["view"]["from_ns"], f"with {held}, a drag does not move the view")
        expect(state["view"]["marked"] is None, f"with {held}, a drag marks {state['view']['marked']}")
        wide = state
    viewer.key("r")
    state = viewer.settled("all is in view", lambda now: now["view"]["from_ns"] == start["view"]["from_ns"])
    x = x_of(state, traces.FIRST_KERNEL[0] + traces.FIRST_KERNEL[1] / 2)
    state = drag(viewer, x, x + 3, y)
    expect(state["view"]["selected_name"] == "gemm_kernel" and state["view"]["marked"] is None,
           f"3 px select {state['view']['selected_name']} and mark {state['view']['marked']}")


@check("the chip of a range zooms to it, saves it, and compares it with an earlier one")
def chip(room):
    viewer = room.landmarks()
    start = viewer.state()
    y = lanes(start, "stream 7")[0]["top"] + 8
    state = drag(viewer, x_of(start, 4.5 * SECOND), x_of(start, 6.5 * SECOND), y)
    viewer.click(*state["pointing"]["chip"]["zoom"])
    state = viewer.settled("the range fills the view", lambda now: span_ns(now) < 2.4 * SECOND)
    viewer.click(*state["pointing"]["chip"]["compare"])
    viewer.settled("it is A", lambda now: [part["letter"] for part in now["compare"]["parts"]] == ["A"])
    viewer.key("r")
    viewer.settled("all is in view", lambda now: span_ns(now) == span_ns(start))
    state = drag(viewer, x_of(start, 7.2 * SECOND), x_of(start, 8.2 * SECOND), y)
    viewer.click(*state["pointing"]["chip"]["compare"])
    state = viewer.settled("it is B, and both are compared",
                           lambda now: [part["letter"] for part in now["compare"]["parts"]] == ["A", "B"])
    viewer.click(*state["pointing"]["chip"]["save"])
    viewer.settled("it is also C", lambda now: len(now["compare"]["parts"]) == 3)


@check("users of versions without the setting keep panning and get one hint; a command and the settings file change it")
def older_users(room):
    path = settings_of(room)
    path.write_text(json.dumps({"theme": "dark"}), encoding="utf-8")
    viewer = room.landmarks()
    state = viewer.wait("the hint is shown", lambda now: "Shift" in now["told"])
    expect(state["dragging"] == "pans", f"dragging {state['dragging']}")
    viewer.wait("the setting is stored", lambda now: json.loads(path.read_text()).get("dragging") == "pans")
    y = lanes(state, "stream 7")[0]["top"] + 8
    viewer.point(900, y)
    viewer.hold("w", "it is zoomed in", lambda now: span_ns(now) < span_ns(state) / 2)
    before = viewer.rest()
    after = drag(viewer, 900, 800, y)
    expect(after["view"]["marked"] is None and after["view"]["from_ns"] > before["view"]["from_ns"], "it does not pan")
    after = drag(viewer, 900, 700, y, "shift")
    expect(after["view"]["marked"], "Shift does not mark")
    expect(viewer.quit() == 0, "it does not end well")
    viewer = room.landmarks()
    expect(not viewer.state()["told"], "the hint is shown again")
    viewer.key("ctrl+p")
    viewer.wait("the box is open", lambda now: now["box"]["open"])
    viewer.tool("type", "--delay", "20", "dragging selects")
    viewer.rest()
    viewer.key("Return")
    viewer.settled("dragging selects", lambda now: now["dragging"] == "selects" and not now["box"]["open"])
    viewer.wait("that is stored", lambda now: json.loads(path.read_text()).get("dragging") == "selects")


@check("Ctrl+click measures from the selected slice to another slice, an edge or a free place")
def measures(room):
    viewer = room.landmarks()
    state = viewer.state()
    stream = lanes(state, "stream 7")[0]["top"] + 8

    def middle(kernel):
        return x_of(state, kernel[0] + kernel[1] / 2)

    def ctrl_click(x, y):
        viewer.tool("keydown", "ctrl")
        viewer.click(x, y)
        viewer.rest()
        viewer.tool("keyup", "ctrl")
        return viewer.rest()["pointing"]["distances"]
    viewer.click(middle(traces.FIRST_KERNEL), stream)
    state = viewer.settled("it is selected", lambda now: now["view"]["selected_name"] == "gemm_kernel")
    stream = lanes(state, "stream 7")[0]["top"] + 8
    first, second = traces.FIRST_KERNEL, traces.SECOND_KERNEL
    got = ctrl_click(middle(second), stream)
    expect(got == {"gap": second[0] - sum(first), "overlap": False, "starts": second[0] - first[0],
                   "ends": sum(second) - sum(first), "free": False}, f"{got}")
    expect(viewer.state()["view"]["selection"] == state["view"]["selection"], "it selects the other slice")
    got = ctrl_click(x_of(state, sum(second)) + 4, stream)
    expect(got["ends"] == sum(second) - sum(first) and not got["free"], f"it does not snap to the end: {got}")
    got = ctrl_click(x_of(state, 8 * SECOND), stream)
    expect(got["free"] and abs(got["gap"] - (8 * SECOND - sum(first))) < SECOND / 50, f"{got}")
    viewer.key("Escape")
    viewer.settled("Esc removes the lines",
                   lambda now: now["pointing"]["distances"] is None and now["view"]["selection"] is None)


@check("hovering outlines the launch, operator and kernel; a pill leads to the part that is out of sight")
def connected(room):
    events = [traces.slice_event("aten::mm", 0, SECOND),
              traces.slice_event("cudaLaunchKernel", SECOND // 2, SECOND // 4, category="cuda_runtime", correlation=1),
              traces.kernel("gemm_kernel", 9 * SECOND, SECOND, correlation=1)]
    viewer = room.start(traces.write(room.folder / "connected.json", events))
    state = viewer.ready()
    y = lanes(state, "stream 7")[0]["top"] + 8
    viewer.point(x_of(state, 9.5 * SECOND), y)
    state = viewer.settled("both are outlined",
                           lambda now: now["pointing"]["chain"]["outlined"] == ["cudaLaunchKernel", "aten::mm"])
    expect(state["pointing"]["chain"]["pills"] == [], "there are pills for slices in sight")
    state = viewer.hold("w", "it is zoomed in", lambda now: now["view"]["from_ns"] > 3 * SECOND)
    pills = viewer.settled("pills say where they are",
                           lambda now: len(now["pointing"]["chain"]["pills"]) == 2)["pointing"]["chain"]["pills"]
    expect(pills[0]["text"] == "cudaLaunchKernel, 8.5 s earlier", f"{pills}")
    viewer.click(*pills[0]["at"])
    state = viewer.settled("the pill goes to the launch",
                           lambda now: now["view"]["selected_name"] == "cudaLaunchKernel")
    expect(state["view"]["from_ns"] <= SECOND // 2, "the view does not follow")
