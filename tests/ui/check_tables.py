# Covers: tables_page, table_tab, table_grid, table_export, idle_band
"""Checks of the UI test: the tables in the drawer."""

import json

import traces
from checks import check, expect


def open_tables(viewer):
    viewer.key("shift+t")
    return viewer.settled("the tables are open", lambda now: now["view"]["drawer"] and now["view"]["tab"] == "tables"
                          and now["tables"]["rows"] > 0)


def choose(viewer, kind, names):
    """Clicks on the table's line in the list until the table is shown."""
    above = viewer.settled("the list of tables is there", lambda now: now["tables"]["kinds"])["view"]["area"]
    end = above[1] + above[3] + 205  # the visible part
    place = viewer.state()["tables"]["kinds"][kind]
    while place[1] > end:
        viewer.point(place[0], end - 100)
        viewer.wheel(False)
        place = viewer.rest()["tables"]["kinds"][kind]
    viewer.point(*place)
    viewer.rest()
    viewer.tool("click", 1)
    return viewer.settled(f"the table {kind} is shown",
                          lambda now: now["tables"]["kind"] == kind and now["tables"]["names"] == names
                          and now["tables"]["headers"])


def click(viewer, place):
    """Hovers first, since rows and buttons require it."""
    viewer.point(*place)
    viewer.rest()
    viewer.tool("click", 1)


KERNELS = ["gemm_kernel", "tiny_kernel"]


@check("Shift+T shows the tables; a click on a kernel's row selects its slice; Find searches for its name")
def rows_lead_to_slices(room):
    viewer = room.landmarks()
    state = open_tables(viewer)
    expect(state["tables"]["kind"] == "kernels", f"the first table is {state['tables']['kind']}")
    state = choose(viewer, "kernels", KERNELS)
    expect(state["view"]["selection"] is None, "something is selected")
    row = state["tables"]["first_row"]
    click(viewer, (row[0], row[1] + state["tables"]["row_height"]))
    state = viewer.settled("its slice is selected", lambda now: now["view"]["selected_name"] == "tiny_kernel")
    expect(state["tables"]["selected"] == [1], f"the selected rows are {state['tables']['selected']}")
    expect(state["view"]["tab"] == "tables", "the table is gone")
    click(viewer, row)
    viewer.settled("the other slice is selected", lambda now: now["view"]["selected_name"] == "gemm_kernel")
    click(viewer, state["tables"]["controls"]["find"])
    state = viewer.settled("its instances are found", lambda now: now["search"]["hits"] == 2)
    expect(state["search"]["query"] == "/^gemm_kernel$/", f"the query is {state['search']['query']}")
    viewer.key("Return")
    viewer.settled("Enter goes to another one",
                   lambda now: now["view"]["selection"] != state["view"]["selection"])
    viewer.key("shift+t")
    viewer.settled("the drawer is closed", lambda now: not now["view"]["drawer"])
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("headers sort a table, with Shift by several columns, and a filter selects rows that contain its text")
def sort_and_filter(room):
    viewer = room.landmarks()
    open_tables(viewer)
    state = choose(viewer, "kernels", KERNELS)
    headers = state["tables"]["headers"]
    click(viewer, headers["name"])
    viewer.settled("names ascend", lambda now: now["tables"]["order"] == ["name:asc"])
    click(viewer, headers["name"])
    viewer.settled("names descend", lambda now: now["tables"]["order"] == ["name:desc"]
                   and now["tables"]["names"] == KERNELS[::-1])
    viewer.point(*headers["calls"])
    viewer.rest()
    viewer.tool("keydown", "shift", "click", 1, "keyup", "shift")
    viewer.settled("both count", lambda now: now["tables"]["order"] == ["name:desc", "calls:desc"])
    click(viewer, state["tables"]["controls"]["filter"])
    viewer.tool("type", "--delay", "20", "TINY")
    viewer.settled("one row is left", lambda now: now["tables"]["names"] == ["tiny_kernel"])
    viewer.tool("type", "--delay", "20", "zz")
    state = viewer.settled("no row is left, which a button can change", lambda now: now["tables"]["names"] == []
                           and "clear_filters" in now["tables"]["controls"])
    click(viewer, state["tables"]["controls"]["clear_filters"])
    viewer.settled("all rows are back", lambda now: now["tables"]["filter"] == ""
                   and sorted(now["tables"]["names"]) == KERNELS)


@check("tables cover the marked range or the selected step on request")
def scopes(room):
    viewer = room.landmarks()
    open_tables(viewer)
    state = choose(viewer, "kernels", KERNELS)
    viewer.key("shift+r")
    state = viewer.settled("the range is wanted", lambda now: now["tables"]["scope"] == "range")
    area = state["view"]["area"]
    share = area[2] / (state["view"]["to_ns"] - state["view"]["from_ns"])
    x_of = lambda time: area[0] + (time - state["view"]["from_ns"]) * share  # noqa: E731
    viewer.point(x_of(6 * traces.SECOND), area[1] - 8)
    viewer.tool("mousedown", 1)
    viewer.point(x_of(6.5 * traces.SECOND), area[1] - 8)
    viewer.point(x_of(7 * traces.SECOND), area[1] - 8)
    viewer.tool("mouseup", 1)
    viewer.settled("the range is marked", lambda now: now["view"]["marked"])
    viewer.key("shift+t")
    viewer.settled("only its kernel is in the table", lambda now: now["tables"]["names"] == ["tiny_kernel"])
    viewer.key("shift+r")
    viewer.settled("there is no step", lambda now: now["tables"]["scope"] == "step")
    viewer.key("shift+r")
    viewer.settled("they cover what is in view", lambda now: now["tables"]["scope"] == "view")
    viewer.key("shift+r")
    viewer.settled("all are there again", lambda now: now["tables"]["names"] == KERNELS)


@check("the export menu saves the visible table at the chosen path")
def save(room):
    viewer = room.landmarks()
    open_tables(viewer)
    state = choose(viewer, "kernels", KERNELS)
    click(viewer, state["tables"]["controls"]["export"])
    state = viewer.settled("the menu is open", lambda now: "save_json" in now["tables"]["controls"])
    click(viewer, state["tables"]["controls"]["save_json"])
    viewer.save()
    viewer.settled("it is saved", lambda now: now["tables"]["message"] != "")
    rows = json.loads((room.folder / "landmarks.pt.trace.json.kernels.json").read_text())
    expect([(row["name"], row["calls"]) for row in rows] == [("gemm_kernel", 2), ("tiny_kernel", 1)],
           f"the file holds {rows}")


@check("the row of a gap marks the gap as the range and jumps to it; Shift+U shows bands where the GPU is idle")
def gaps_lead_to_ranges(room):
    viewer = room.landmarks()
    open_tables(viewer)
    state = viewer.state()
    while state["tables"]["kind"] != "gaps":
        kind = state["tables"]["kind"]
        viewer.key("ctrl+Down")
        state = viewer.settled("another table is chosen", lambda now: now["tables"]["kind"] != kind)
    state = viewer.settled("the table of gaps is shown", lambda now: now["tables"]["kind"] == "gaps"
                           and now["tables"]["rows"] > 0 and now["tables"]["headers"])
    click(viewer, state["tables"]["first_row"])
    state = viewer.settled("the gap is marked", lambda now: now["view"]["marked"] is not None)
    begin, end = state["view"]["marked"]
    expect(end > begin, f"the gap is {begin}..{end}")
    expect(state["view"]["from_ns"] <= begin and end <= state["view"]["to_ns"], "the gap is not in sight")
    expect(state["view"]["tab"] == "tables", "the table is gone")
    expect(state["tables"]["kind"] == "gaps" and state["tables"]["rows"] > 0, "the gaps are gone")
    expect(state["view"]["idle_band"], "the bands are not shown initially")
    shown = viewer.resting_picture()
    viewer.key("shift+u")
    viewer.settled("the bands are gone", lambda now: not now["view"]["idle_band"])
    viewer.picture("the tracks look different", lambda picture: picture.changed(shown) > 100)
    viewer.key("shift+u")
    viewer.settled("the bands are shown", lambda now: now["view"]["idle_band"])
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")
