# Covers: slice_commands, range_gesture, track_rename, overlays
"""Checks of the UI test: the menu of a slice, names of tracks, the help sheet, and the size of the interface."""

import traces
from checks import check, expect
from viewer import lanes, x_of


def pasted(viewer):
    """Returns the clipboard as one line."""
    return viewer.clipboard()


def select(viewer, button=1):
    state = viewer.state()
    lane = lanes(state, "stream 7")[0]
    viewer.click(x_of(state, traces.FIRST_KERNEL[0] + traces.FIRST_KERNEL[1] // 2), lane["top"] + 8, button)
    return viewer.settled("the kernel is selected", lambda now: now["view"]["selected_name"] == "gemm_kernel")


@check("a right click on a slice selects it and opens its menu; Ctrl+C copies it")
def slice_menu(room):
    viewer = room.landmarks()
    select(viewer, 3)
    viewer.key("Escape")  # the menu
    viewer.rest()
    viewer.key("ctrl+n")
    viewer.rest()
    expect(pasted(viewer) == "gemm_kernel", "the name is not copied")
    viewer.key("ctrl+j")
    viewer.rest()
    text = pasted(viewer)
    expect(text.startswith("{") and '"correlation": 1' in text, f"the arguments are copied as {text!r}")
    viewer.key("ctrl+c")
    viewer.rest()
    text = pasted(viewer)
    expect(text.startswith("gemm_kernel") and "stream 7" in text and "500" in text, f"copied is {text!r}")
    viewer.key("ctrl+i")
    state = viewer.settled("only those of its name are shown", lambda now: now["search"]["hits"] == 2)
    expect(state["search"]["only_matches"], "the others are shown")
    expect({lane["track"] for lane in state["view"]["lanes"]} == {"stream 7"}, "other tracks are shown")


@check("a range is measured from the selected slice to the next click, Esc cancels")
def measures(room):
    viewer = room.landmarks()
    select(viewer)
    viewer.key("ctrl+l")
    state = viewer.rest()
    lane = lanes(state, "python")[0]
    x = x_of(state, 8 * traces.SECOND)
    viewer.point(x - 5, lane["top"] + 8)
    viewer.click(x, lane["top"] + 8)
    state = viewer.settled("it is marked", lambda now: now["view"]["marked"] and now["view"]["tab"] == "range")
    begin, end = state["view"]["marked"]
    expect(begin == traces.FIRST_KERNEL[0] and abs(end - 8 * traces.SECOND) < traces.SECOND / 10,
           f"marked is {state['view']['marked']}")
    expect(state["view"]["selected_name"] == "gemm_kernel", "the click has selected something else")


@check("F2 renames a track; an empty name restores the original one")
def renames(room):
    viewer = room.landmarks()
    select(viewer)
    viewer.point(40, 160)
    names = lambda state: [item["name"] for item in state["view"]["headers"]]  # noqa: E731
    state = viewer.rest()
    header = next(item for item in state["view"]["headers"] if item["name"] == "stream 7")
    viewer.point(40, header["top"] + 10)
    viewer.rest()
    viewer.key("F2")
    viewer.rest()
    viewer.tool("type", "--delay", 20, "compute")
    viewer.key("Return")
    viewer.settled("it has its name", lambda now: "compute" in names(now) and "stream 7" not in names(now))
    viewer.key("F2")
    viewer.rest()
    viewer.key("ctrl+a", "BackSpace", "Return")
    viewer.settled("it has its own again", lambda now: "stream 7" in names(now))


@check("the help sheet lists the keys of the page and can be filtered")
def help_sheet(room):
    viewer = room.landmarks()
    viewer.key("F1")
    state = viewer.settled("the sheet is open", lambda now: now["help"] and now["help_lines"] > 20)
    whole = state["help_lines"]
    viewer.tool("type", "--delay", 20, "bookmark")
    viewer.wait("it is filtered", lambda now: 3 < now["help_lines"] < whole / 2)
    viewer.key("Escape")
    viewer.settled("it is closed", lambda now: not now["help"])


@check("Ctrl+= and Ctrl+- change the size of the interface, Ctrl+0 restores the system's")
def interface_size(room):
    viewer = room.landmarks()
    before = viewer.state()["view"]["panel_top"]
    viewer.key("ctrl+equal", "ctrl+equal")
    viewer.settled("it is larger", lambda now: now["interface_scale"] > 1.2 and now["view"]["panel_top"] > before)
    viewer.key("ctrl+minus")
    viewer.settled("it is a little smaller", lambda now: 1 < now["interface_scale"] < 1.2)
    viewer.key("ctrl+0")
    viewer.settled("it is as it was", lambda now: now["view"]["panel_top"] == before)


@check("the box opens a table by its name")
def box_tables(room):
    viewer = room.landmarks()
    viewer.take_from_box("table: gpu time", "ctrl+p")
    viewer.settled("the table is shown", lambda now: now["view"]["tab"] == "tables"
                   and now["tables"]["kind"] == "breakdown")
