# Covers: data_quality_panel
"""Checks of the UI test: the data quality sheet of a trace."""

import traces
from checks import check, expect


def damaged(room):
    """Writes kernels without launches, and a slice with a negative duration."""
    path = traces.landmarks(room.folder / "damaged.pt.trace.json")
    text = path.read_text()
    at = text.index('"aten::add"')
    path.write_text(text[:at] + text[at:].replace('"dur": ', '"dur": -', 1))
    viewer = room.start(path)
    viewer.ready()
    return viewer


def open_sheet(viewer, links):
    viewer.key("ctrl+d")
    return viewer.settled("the sheet has its links", lambda now: now["trust"] and len(now["trust"]["links"]) == links)


@check("Ctrl+D opens the data quality sheet; its links jump to the first case of each finding, Esc closes it")
def links_of_trust(room):
    viewer = damaged(room)
    first = open_sheet(viewer, 2)["trust"]["links"][0]
    viewer.click(first["x"], first["y"])
    state = viewer.settled("the sheet is closed", lambda now: now["trust"] is None)
    expect(state["view"]["selected_name"] == "gemm_kernel", f"{state['view']['selected_name']} is selected")
    second = open_sheet(viewer, 2)["trust"]["links"][1]
    viewer.click(second["x"], second["y"])
    state = viewer.settled("the sheet is closed", lambda now: now["trust"] is None)
    expect(state["view"]["selected_name"] == "aten::add", f"{state['view']['selected_name']} is selected")
    open_sheet(viewer, 2)
    viewer.key("Escape")
    viewer.settled("Esc closes it", lambda now: now["trust"] is None)
