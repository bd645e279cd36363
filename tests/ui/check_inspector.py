# Covers: inspector, in_view, key_hints, icon_button
"""Checks of the UI test: the panel on the right of a timeline's tracks."""

import traces
from checks import check, expect

LOADS_NS = [300_000_000, 100_000_000, 200_000_000]


def click(viewer, place):
    """Hovers first, since buttons require it."""
    viewer.point(*place)
    viewer.rest()
    viewer.tool("click", 1)


def opened(room, **how):
    viewer = room.start(traces.loader_steps(room.folder / "steps.json", LOADS_NS), inspector=True, **how)
    viewer.ready()
    return viewer, viewer.settled("the time is summed", lambda now: now["inspector"] and "parts" in now["inspector"])


@check("the inspector sums the visible time, and sums it again after the view has moved")
def sums(room):
    viewer, state = opened(room)
    shown = state["inspector"]
    expect(shown["width"] == 324 and shown["left"] == 1600 - 324, f"the place is {shown}")
    expect(shown["parts"]["idle: data loading"] == sum(LOADS_NS), f"the parts are {shown['parts']}")
    expect(shown["steps"] == len(LOADS_NS), f"{shown['steps']} steps")
    before = shown["range"]
    viewer.key("n")
    state = viewer.settled("one step is summed", lambda now: now["inspector"]["range"] != before)
    expect(state["inspector"]["range"][1] - state["inspector"]["range"][0] < before[1] - before[0], "more time is summed")


@check("a row of the inspector selects its longest slice without opening the drawer, and Esc returns to the sums")
def select(room):
    viewer, state = opened(room)
    kernel = state["inspector"]["kernels"][0][0]
    place = state["inspector"]["places"]["kernel"]
    click(viewer, [place[0] + 20, place[1] + 8])
    state = viewer.settled("a kernel is selected", lambda now: now["view"]["selected_name"] == kernel)
    expect(not state["view"]["drawer"], "the drawer opened")
    expect("selection" not in state["drawer_tabs"], "the drawer has the same page")
    viewer.key("Escape")
    viewer.settled("the time is summed", lambda now: "parts" in now["inspector"])


@check("a link of the inspector shows the table of all kernels over the tracks and the inspector")
def table(room):
    viewer, state = opened(room)
    click(viewer, state["inspector"]["places"]["kernels"])
    state = viewer.settled("the table fills the window", lambda now: now["view"]["full"] and now["tables"]["kind"] == "kernels")
    expect(state["inspector"] is None, "the inspector is there")
    viewer.key("Escape")
    viewer.settled("the inspector is back", lambda now: now["inspector"])


@check("the inspector is closed by its button and opened by its key; the choice is remembered")
def close(room):
    viewer, state = opened(room)
    width = state["view"]["area"][2]
    click(viewer, state["inspector"]["close"])
    state = viewer.settled("the inspector is closed", lambda now: now["inspector"] is None)
    expect(state["view"]["area"][2] == width + 324, "the tracks have not its room")
    viewer.quit()
    viewer = room.start(room.folder / "steps.json", inspector=True)
    viewer.ready()
    expect(viewer.rest()["inspector"] is None, "the inspector is there again")
    viewer.key("ctrl+shift+i")
    viewer.settled("the inspector is open", lambda now: now["inspector"])


@check("a narrow window has no inspector: a selection opens the drawer")
def narrow(room):
    viewer = room.start(traces.loader_steps(room.folder / "steps.json", LOADS_NS), inspector=True, size="1280x720")
    viewer.ready()
    state = viewer.rest()
    expect(state["inspector"] is None, "there is an inspector")
    expect("selection" in state["drawer_tabs"], "the drawer has no page for the selection")
