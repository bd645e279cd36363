# Covers: navigation, track_canvas
"""Checks of the UI test: how far the view moves to a target, and the area of pinned tracks."""

import traces
from checks import check, expect
from viewer import Failed, span_ns, x_of


def header(state, name):
    for candidate in state["view"]["headers"]:
        if candidate["name"] == name:
            return candidate
    raise Failed(f"no header '{name}' is in sight")


def pin(viewer, name):
    state = viewer.state()
    place, before = header(state, name), state["view"]["pinned"]["content"]
    viewer.point(60, place["top"] + min(place["height"] / 2, 12))
    viewer.rest()
    viewer.key("k")
    viewer.settled(f"'{name}' is pinned", lambda now: now["view"]["pinned"]["content"] > before)


@check("Enter and G keep the view if their target is visible, and move it no more than needed otherwise")
def goes_no_further(room):
    viewer = room.start(traces.graph(room.folder / "graph.pt.trace.json"))
    whole = viewer.ready()
    viewer.take_from_box("cudaGraphLaunch")
    for place in (0, 1, 2, 0):
        viewer.key("Return")
        state = viewer.settled(f"hit {place}", lambda now: now["search"]["current"] == place)
        expect(state["view"]["from_ns"] == whole["view"]["from_ns"] and span_ns(state) == span_ns(whole),
               "the whole trace was in view, and the view moved")
    viewer.key("Escape")
    viewer.settled("the search is closed", lambda now: not now["search"]["open"])
    viewer.key("g")
    state = viewer.settled("the kernel is selected", lambda now: now["view"]["selected_name"] != "cudaGraphLaunch")
    expect(state["view"]["from_ns"] == whole["view"]["from_ns"], "G moved the view, though its target was in it")
    # A hit outside of the view moves to the nearest edge at the same scale.
    viewer.key("f")
    near = viewer.settled("it fills the view", lambda now: span_ns(now) < span_ns(whole) / 100)
    viewer.take_from_box("cudaGraphLaunch")
    viewer.key("shift+Return")
    state = viewer.settled("the last launch", lambda now: now["view"]["selected_name"] == "cudaGraphLaunch")
    expect(abs(span_ns(state) / span_ns(near) - 1) < 1e-6, "the scale is another one")
    expect(state["view"]["from_ns"] > -span_ns(state) and state["view"]["to_ns"] < whole["view"]["to_ns"] + span_ns(state),
           "the view is outside of the trace")


@check("tall pinned tracks remain pinned; their area takes half of the height and scrolls separately")
def pinned_scroll(room):
    viewer = room.start(traces.many_threads(room.folder / "threads.pt.trace.json"), size="1600x500")
    viewer.ready()
    for number in range(1, 13):
        pin(viewer, f"thread {number}")
    state = viewer.state()
    pinned, area = state["view"]["pinned"], state["view"]["area"]
    expect(pinned["content"] > pinned["height"], f"all of them fit: {pinned}")
    # The area ends with a whole row, so the half of the window can be more than the half of the area.
    expect(-1 <= pinned["height"] - area[3] / 2 <= 14, f"the part is {pinned['height']} px of {area[3]} px high")
    expect("thread 12" not in [item["name"] for item in state["view"]["headers"]], "all of them are in sight")
    viewer.point(area[0] + 100, area[1] + 20)
    viewer.wheel(False, 30)
    state = viewer.settled("the last one is in sight", lambda now: any(
        item["name"] == "thread 12" and item["pinned"] for item in now["view"]["headers"]))
    expect(state["view"]["scroll_px"] == 0, "the others have scrolled with them")
    last = header(state, "thread 12")
    expect(last["top"] + last["height"] <= area[1] + pinned["height"] + 1, "it reaches out of the pinned part")
    expect(all(lane["top"] < area[1] + pinned["height"] for lane in state["view"]["lanes"] if lane["pinned"]),
           "pinned lanes are drawn below their part")
    viewer.point(area[0] + 100, area[1] + area[3] - 20)
    viewer.wheel(False, 3)
    moved = viewer.settled("the others scroll", lambda now: now["view"]["scroll_px"] > 0)
    expect(moved["view"]["pinned"]["scroll_px"] == state["view"]["pinned"]["scroll_px"], "the pinned ones moved, too")
    # Jumping to a slice of a pinned track scrolls the area of pinned tracks.
    viewer.take_from_box("work 1")
    viewer.key("Return")
    state = viewer.settled("its slice is selected", lambda now: now["view"]["selected_name"] == "work 1")
    state = viewer.settled("its track is in sight", lambda now: any(
        item["name"] == "thread 1" and item["pinned"] for item in now["view"]["headers"]))
    expect(0 <= header(state, "thread 1")["top"] + header(state, "thread 1")["height"] - area[1], "it is above the part")
    expect(x_of(state, 1_000_000) > 0, "it is left of the window")
