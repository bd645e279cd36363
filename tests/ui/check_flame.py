# Covers: flame_view, live_flame_page
"""Checks of the UI test: flame graphs in the drawer of a snapshot."""

import check_snapshots
from checks import check, expect

MEGA = check_snapshots.MEGA


def start(room):
    viewer, _ = check_snapshots.start(room)
    viewer.key("shift+f")
    return viewer, viewer.settled("the flame graph is there", lambda now: now["snapshot"]["tab"] == "flame"
                                  and now["snapshot"]["flame"] and now["snapshot"]["flame"]["boxes"])["snapshot"]["flame"]


def box(flame, name):
    found = [place for place in flame["boxes"] if place[0] == name]
    expect(found != [], f"there is no {name} in {flame['boxes']}")
    return found[0]


def settled(viewer, what, holds):
    return viewer.settled(what, lambda now: holds(now["snapshot"]["flame"]))["snapshot"]["flame"]


@check("Shift+F shows live memory as a flame graph: hovering names a frame, a click zooms, a double click zooms out")
def flame_graph(room):
    viewer, flame = start(room)
    expect(flame["total"] == 352 * MEGA and flame["focus"] == "All", f"it is {flame}")
    _, x, y, width = box(flame, "train.py:42 large")
    _, _, _, whole = box(flame, "All")
    expect(abs(width / whole - 256 / 352) < 0.01, f"it is {width} of {whole} wide")
    viewer.point(x, y)
    settled(viewer, "it is hovered", lambda now: now["hovered"] == "train.py:42 large")
    viewer.click(x, y)
    flame = settled(viewer, "it is zoomed to", lambda now: now["focus"] == "train.py:42 large")
    expect(box(flame, "train.py:42 large")[3] == whole, "it does not fill the width")
    expect([place[0] for place in flame["boxes"]] == ["All", "train.py:42 large", "linear.py:114 forward"], f"{flame['boxes']}")
    viewer.key("BackSpace")
    flame = settled(viewer, "all is shown", lambda now: now["focus"] == "All")
    viewer.key("q")
    viewer.settled("the drawer is closed", lambda now: not now["snapshot"]["drawer"])
    viewer.key("shift+f")
    viewer.settled("it is back", lambda now: now["snapshot"]["drawer"] and now["snapshot"]["flame"]["boxes"])


@check("Down, Right and Enter move through a flame graph, Esc ends it; the zoom remains when the cursor moves")
def flame_keys(room):
    viewer, flame = start(room)
    viewer.key("Down")
    settled(viewer, "the root is current", lambda now: now["current"] == "All")
    viewer.key("Down")
    settled(viewer, "the heaviest is current", lambda now: now["current"] == "train.py:42 large")
    viewer.key("Right")
    settled(viewer, "the next is current", lambda now: now["current"] == "train.py:42 weight")
    viewer.key("Return")
    settled(viewer, "it is zoomed to", lambda now: now["focus"] == "train.py:42 weight")
    state = viewer.state()["snapshot"]
    left, top, width, _ = state["area"]
    viewer.click(left + width * 0.9, top - 10)
    flame = settled(viewer, "it follows the cursor", lambda now: now["event"] > 500)
    expect(flame["focus"] == "train.py:42 weight", f"it shows {flame['focus']}")
    viewer.key("BackSpace", "Up", "Escape")
    settled(viewer, "nothing is current", lambda now: now["current"] is None and now["focus"] == "All")


@check("Shift+B flips a flame graph, Shift+I shows library frames, the field shows the matching share, Ctrl+E copies")
def flame_find(room):
    viewer, flame = start(room)
    viewer.key("shift+b")
    flame = settled(viewer, "callees are on top", lambda now: now["bottom_up"])
    expect(flame["boxes"][1][0] == "linear.py:114 forward" and flame["boxes"][1][3] == flame["boxes"][0][3], f"{flame['boxes']}")
    viewer.key("shift+i")
    flame = settled(viewer, "libraries are shown", lambda now: now["libraries"])
    expect(flame["boxes"][1][0] == "unwind", f"{flame['boxes']}")
    viewer.key("shift+b")
    settled(viewer, "callers are on top", lambda now: not now["bottom_up"])
    viewer.key("ctrl+shift+f")
    viewer.tool("type", "--delay", "20", "weight|buffer")
    settled(viewer, "what matches is counted", lambda now: now["matched"] == 96 * MEGA)
    viewer.key("Escape")
    settled(viewer, "nothing is looked for", lambda now: now["matched"] is None)
    viewer.key("ctrl+e")
    settled(viewer, "it is copied", lambda now: now["message"] != "")
