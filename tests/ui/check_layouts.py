# Covers: memory_plot, band_layout
"""Checks of the UI test: the arrangements of a snapshot's plot."""

import check_snapshots as snapshots
from checks import check, expect


@check("Y and Ctrl+digit lay out the plot by stack and by address; hovering and clicking name the allocation")
def layouts(room):
    viewer, state = snapshots.start(room)
    expect(state["snapshot"]["layout"]["shown"] == "stacked", f"the layout is {state['snapshot']['layout']}")
    viewer.key("y")
    state = viewer.settled("it is laid out by stack", lambda now: now["snapshot"]["layout"]["shown"] == "stack")
    shown = state["snapshot"]
    strips = {strip["name"]: strip for strip in shown["layout"]["strips"]}
    expect(strips["train.py:42 large"]["bytes"] == 256 * snapshots.MEGA, f"the strips are {strips}")
    expect(shown["layout"]["strips"][-1]["name"] == "train.py:42 large", "the largest is not on top")
    strip = strips["train.py:42 buffer"]
    viewer.point(snapshots.x_of(shown, shown["peak"]["event"]), snapshots.y_of(shown, strip["begin"] + strip["bytes"] / 2))
    viewer.settled("the buffer is hovered",
                   lambda now: (now["snapshot"]["hovered"] or {}).get("place") == "train.py:42 buffer")
    viewer.key("ctrl+7")
    state = viewer.settled("it is laid out by address", lambda now: now["snapshot"]["layout"]["shown"] == "addresses")
    shown = state["snapshot"]
    outside = next(strip for strip in shown["layout"]["strips"] if strip["bytes"] == 288 * snapshots.MEGA)
    x = snapshots.x_of(shown, shown["peak"]["event"] + 20)
    viewer.click(x, snapshots.y_of(shown, outside["begin"] + 160 * snapshots.MEGA))
    state = viewer.settled("the large buffer is selected", lambda now: now["snapshot"]["selected"])
    expect(state["snapshot"]["selected"]["address"] == "0x40000000", f"{state['snapshot']['selected']} is selected")
    viewer.key("y")
    viewer.settled("it is one pile again", lambda now: now["snapshot"]["layout"]["shown"] == "stacked")
