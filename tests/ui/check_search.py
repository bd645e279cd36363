# Covers: search_bar, search_fields, search_hits, hits_page, search_box, box_data
"""Checks of the UI test: the search and its table of hits."""

import traces
from checks import check, expect
from viewer import lanes, x_of


def search(viewer, query):
    """Searches with the box, and returns the result."""
    viewer.take_from_box(query)
    return viewer.settled(f"'{query}' is searched for", lambda state: state["search"]["query"] == query)


def titles(state, kind):
    """Returns the titles of the entries of a kind in the box."""
    return [entry["title"] for entry in state["box"].get("entries", []) if entry["kind"] == kind]


def end_search(viewer):
    viewer.key("Escape")
    return viewer.settled("the search is closed", lambda now: not now["search"]["open"])


def searching(room, query):
    """Starts a viewer with known slices and the result of a query."""
    viewer = room.landmarks()
    search(viewer, query)
    return viewer


def color_at(viewer, state, time_ns, track, lane):
    return viewer.resting_picture().at(x_of(state, time_ns), lanes(state, track)[lane]["top"] + 2)


@check("/ opens the box, Enter searches for the typed text, and further Enters visit the hits")
def search_steps(room):
    viewer = searching(room, "GEMM")
    state = viewer.state()
    expect(state["search"]["hits"] == 2, f"{state['search']['hits']} hits instead of 2")
    for place in (0, 1, 0):
        viewer.key("Return")
        state = viewer.wait(f"hit {place}", lambda now: now["search"]["current"] == place)
        expect(state["view"]["selected_name"] == "gemm_kernel", f"{state['view']['selected_name']} is selected")
    viewer.key("shift+Return")
    viewer.wait("the hit before", lambda now: now["search"]["current"] == 1)
    viewer.key("Escape")
    viewer.wait("the search is closed", lambda now: not now["search"]["open"] and now["search"]["hits"] is None)


@check("a search finds by name, pattern, duration, kind, track and argument")
def search_terms(room):
    viewer = room.landmarks()
    for query, hits in (("aten::", 3), ("/add(mm)?$/", 2), ("dur>1s", 2), ("dur<=1ns", 1), ("kind:compute", 3),
                        ("track:stream", 3), ("cat:cpu_op aten", 3), ("correlation:2", 1), ("args:landmark", 1),
                        ('shape:"landmark ar"', 1), ("gemm correlation:3", 0), ("nothing like it", 0), ("dur>", 7)):
        found = search(viewer, query)["search"]
        expect(found["hits"] == hits, f"'{query}' finds {found['hits']} instead of {hits}: {found['error']}")
        end_search(viewer)
    expect(search(viewer, "/(/")["search"]["error"], "half an expression is no error")


@check("fields are completed while typing, and F4 lists all of them")
def search_completes(room):
    viewer = room.landmarks()
    viewer.type_in_box("gemm corr")
    viewer.wait("the field is offered", lambda state: "correlation:" in titles(state, "completion"))
    viewer.key("Tab")
    viewer.wait("it is taken", lambda state: state["box"]["text"] == "gemm correlation:")
    viewer.tool("type", "--delay", 20, "2")
    viewer.wait("it is typed", lambda state: state["box"]["text"] == "gemm correlation:2")
    viewer.key("Return")
    viewer.settled("it finds", lambda state: state["search"]["hits"] == 1)
    viewer.key("F4")
    viewer.wait("all are listed", lambda state: len(state["search"]["offered"]) > 9)
    viewer.key("Escape")
    state = viewer.wait("the list is closed", lambda state: not state["search"]["offered"])
    expect(state["search"]["open"] and state["search"]["query"] == "gemm correlation:2", "the query is gone")
    viewer.key("F4", "Down", "Return")
    viewer.wait("the second is taken", lambda state: state["search"]["query"] == "gemm correlation:2 kind:")


@check("unknown fields and unclosed expressions are errors with their position; copied shapes are found")
def search_errors(room):
    viewer = room.start(traces.write(room.folder / "shapes.json", [
        {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 0, "dur": 5,
         "args": {"Input Dims": [[8192, 6144], [6144, 16]]}},
        {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 9, "dur": 5,
         "args": {"Input Dims": [[8192, 61440]]}}]))
    viewer.ready()
    for query, words in (("mm inputdim:5", ("field 'inputdim'", "'inputdims'")), ("mm /aten.*", ("not closed",)),
                         ('mm "aten add', ("not closed",)), ("mm kind:bogus", ("no kind 'bogus'", "compute"))):
        found = search(viewer, query)["search"]
        expect(found["hits"] is None and all(word in found["error"] for word in words),
               f"'{query}' is answered by {found}")
        expect(found["error_at"] == 3, f"the place of '{query}' is {found['error_at']}")
        end_search(viewer)
    for query in ("[8192, 6144]", "shape:8192x6144", "dims:[8192,6144]", "inputdims:6144"):
        found = search(viewer, query)["search"]
        expect(found["hits"] == 1, f"'{query}' finds {found['hits']}: {found['error']}")
        end_search(viewer)


@check("O, Enter and Tab work from the field; the query stays after Esc; the first hit brings up Selection")
def search_from_field(room):
    viewer = searching(room, "gemm")
    viewer.key("F4")
    viewer.settled("the field has the keyboard", lambda state: state["search"]["typing"] and state["search"]["offered"])
    viewer.key("Escape")
    viewer.settled("the fields are gone", lambda state: state["search"]["typing"] and not state["search"]["offered"])
    viewer.key("shift+m")  # typed into the field
    viewer.wait("it is text", lambda state: state["search"]["query"] == "gemmM")
    viewer.key("BackSpace")
    viewer.settled("the query is back", lambda state: state["search"]["hits"] == 2)
    viewer.key("alt+o")
    viewer.settled("only matches", lambda state: state["search"]["only_matches"])
    viewer.key("alt+o")
    viewer.key("Tab")
    viewer.wait("the field is left", lambda state: not state["search"]["typing"])
    viewer.key("shift+t")
    viewer.settled("the tables are open", lambda state: state["view"]["tab"] == "tables")
    viewer.key("Return")
    state = viewer.settled("the first hit is selected", lambda state: state["search"]["current"] == 0)
    expect(state["view"]["tab"] == "selection", f"the drawer shows {state['view']['tab']}")
    expect(not state["search"]["typing"], "Enter keeps the keyboard in the field")
    viewer.key("o")
    viewer.settled("only matches", lambda state: state["search"]["only_matches"])
    viewer.key("Escape")
    viewer.settled("the search is closed", lambda state: not state["search"]["open"])
    viewer.key("slash")
    viewer.settled("the query is there again", lambda state: state["box"].get("text") == "gemm")
    viewer.key("Return")
    viewer.settled("it finds", lambda state: state["search"]["query"] == "gemm" and state["search"]["hits"] == 2)


@check("the panel of a hit is laid out immediately, without mouse movement")
def search_lays_out(room):
    shapes = {"External id": 1, "Input Dims": [[8192, 6144], [6144, 16], [], [1, 128, 64]],
              "Input type": ["c10::BFloat16", "float", "Scalar", "long int"],
              "Input Strides": [[6144, 1], [16, 1], [], [8192, 64, 1]]}
    viewer = room.start(traces.write(room.folder / "linked.json", [
        {"ph": "X", "cat": "python_function", "name": "train.py(12): step", "pid": 1, "tid": 1, "ts": 0, "dur": 90},
        {"ph": "X", "cat": "cpu_op", "name": "aten::addmm", "pid": 1, "tid": 1, "ts": 10, "dur": 50, "args": shapes},
        {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 20, "dur": 5,
         "args": {"correlation": 7, "External id": 1}},
        {"ph": "X", "cat": "kernel", "name": "Cijk_Ailk_Bljk", "pid": 0, "tid": 7, "ts": 40, "dur": 9,
         "args": {"correlation": 7, "External id": 1, "stream": 7, "device": 0, "grid": [64, 1, 1],
                  "block": [256, 1, 1]}}]))
    viewer.ready()
    viewer.point(2, viewer.display.HEIGHT - 2)
    for query, step in (("Cijk", "shift+Return"), ("addmm", "Return")):
        search(viewer, query)
        viewer.key(step)
        viewer.settled("the hit is selected", lambda state: query in (state["view"]["selected_name"] or ""))
        viewer.rest()
        before = viewer.resting_picture()
        viewer.point(3, viewer.display.HEIGHT - 2)
        viewer.rest()
        viewer.point(2, viewer.display.HEIGHT - 2)
        viewer.rest()
        expect(viewer.resting_picture().pixels == before.pixels, f"the panel of {query} changes with the mouse")
        viewer.key("Escape")
        viewer.settled("the search is closed", lambda state: not state["search"]["open"])


@check("'only matches' hides the rows and tracks without matches")
def search_hides(room):
    viewer = searching(room, "aten::mm")
    tracks = lambda state: {(lane["track"], lane["row"]) for lane in state["view"]["lanes"]}  # noqa: E731
    before = tracks(viewer.state())
    expect(len({track for track, _ in before}) > 1, "there is only one track")
    viewer.key("o")
    state = viewer.settled("rows are hidden", lambda state: len(tracks(state)) < len(before))
    hits = state["search"]["hits"]
    expect(hits == 1 and len(tracks(state)) == 1, f"{tracks(state)} stay for {hits} hits")
    viewer.key("Escape")
    viewer.settled("all are back", lambda state: tracks(state) == before)


@check("exactly the hits keep their color, also for queries of single slices; the strip marks them")
def search_fades(room):
    viewer = room.landmarks()
    state = viewer.state()
    first, second = (start + length // 2 for start, length in (traces.FIRST_KERNEL, traces.SECOND_KERNEL))
    bright = color_at(viewer, state, first, "stream 7", 0)
    state = search(viewer, "correlation:2")
    expect(state["search"]["hits"] == 1, f"{state['search']['hits']} hits instead of 1")
    expect(color_at(viewer, state, second, "stream 7", 0) == bright, "the hit has changed its color")
    faded = color_at(viewer, state, first, "stream 7", 0)
    expect(sum(faded) < 0.7 * sum(bright), f"what is no hit is as bright as before: {faded}")
    state = end_search(viewer)
    expect(color_at(viewer, state, first, "stream 7", 0) == bright, "something stays faded")
    state = search(viewer, "zzz")
    expect(state["search"]["hits"] == 0, "there are hits of what does not exist")
    expect(color_at(viewer, state, first, "stream 7", 0) == bright, "a search without hits fades everything")


@check("O fades all slices but the hits, Shift+O lists the hits, a click in the list jumps to one")
def search_list(room):
    viewer = searching(room, "aten::")
    viewer.click(900, 700)  # out of the text field
    state = viewer.settled("the field is left")
    before = color_at(viewer, state, traces.FIRST_KERNEL[0] + 1000, "stream 7", 0)
    viewer.key("o")
    viewer.picture("the others are darker", lambda picture: sum(
        picture.at(x_of(state, traces.FIRST_KERNEL[0] + 1000), lanes(state, "stream 7")[0]["top"] + 2)) < sum(before))
    viewer.key("shift+o")
    state = viewer.settled("the list is open", lambda now: now["search"]["list"])
    hits = state["hits"]
    expect(hits["rows"] == state["search"]["hits"], f"{hits['rows']} of {state['search']['hits']} hits are listed")
    viewer.click(hits["first_row"][0], hits["first_row"][1] + hits["row_height"])
    viewer.wait("the second hit is selected", lambda now: now["search"]["current"] == 1)
    longest = lambda now: now["search"]["first_row"] == "aten::addmm"  # noqa: E731
    expect(not longest(viewer.state()), "the list is not in order of time")
    viewer.rest()  # the list follows the selection
    viewer.click(*hits["headers"]["duration_ns"])
    viewer.settled("the longest comes first", longest)
    viewer.key("shift+k")
    state = viewer.settled("columns have conditions", lambda now: "name" in now["hits"]["filters"])
    expect(state["search"]["list"], "another page is shown")
    viewer.click(*state["hits"]["filters"]["name"])
    viewer.tool("type", "--delay", "20", "addmm")
    viewer.settled("only that name is listed", lambda now: 0 < now["hits"]["rows"] < hits["rows"])
    viewer.click(*state["hits"]["first_row"])
    viewer.key("shift+o")
    viewer.wait("the list is closed", lambda now: not now["view"]["drawer"])


@check("the box lists names with count and total time, and finds commands and tables by their purpose")
def box_lists(room):
    viewer = room.landmarks()
    state = viewer.type_in_box("gemm")
    state = viewer.settled("its names are listed", lambda now: titles(now, "name") == ["gemm_kernel"])
    entry = next(entry for entry in state["box"]["entries"] if entry["kind"] == "name")
    expect(entry["detail"] == "2 kernels, 1 s", f"it says {entry['detail']}")
    viewer.key("Down", "Return")
    state = viewer.settled("the name is searched for", lambda now: now["search"]["hits"] == 2 and not now["box"]["open"])
    expect(state["search"]["query"] == "/^gemm_kernel$/", f"the query is {state['search']['query']}")
    viewer.key("Escape")
    viewer.type_in_box("longest")
    viewer.settled("the kernels come first", lambda now: now["box"]["entries"][0]["title"] == "Table: Kernels")
    viewer.key("Return")
    viewer.settled("the table is shown", lambda now: now["view"]["tab"] == "tables" and now["tables"]["kind"] == "kernels")
    viewer.type_in_box("csv", "ctrl+p")
    viewer.settled("a command is found by its purpose", lambda now: titles(now, "command")[:1] == ["Save this table (CSV)"])
    viewer.key("ctrl+p")
    viewer.settled("the box is closed", lambda now: not now["box"]["open"])


@check("the box goes to times and correlation ids, and runs SQL; a click on it opens it, a click elsewhere closes it")
def box_goes(room):
    viewer = room.landmarks()
    state = viewer.take_from_box("6.4s")
    middle = (state["view"]["from_ns"] + state["view"]["to_ns"]) / 2
    expect(abs(middle - 6_400_000_000) < 10_000_000, f"the middle of the view is {middle}")
    viewer.take_from_box("#2")
    viewer.settled("the kernel is selected", lambda now: now["search"]["query"] == "correlation:2"
                   and now["view"]["selected_name"] == "gemm_kernel")
    viewer.key("Escape")
    state = viewer.type_in_box("step 7")
    expect(not state["box"]["entries"][0]["available"], "the trace has no steps")
    viewer.key("Escape")
    viewer.settled("the box is closed", lambda now: not now["box"]["open"])
    viewer.take_from_box(": SELECT 1 AS one")
    viewer.settled("the rows are shown", lambda now: now["view"]["tab"] == "sql")
    left, top, right, bottom = viewer.state()["box"]["place"]
    viewer.click((left + right) / 2, (top + bottom) / 2)
    viewer.settled("the box is open", lambda now: now["box"]["open"])
    viewer.click(200, 500)
    viewer.settled("the box is closed", lambda now: not now["box"]["open"])
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("on the start page the box opens with recent files and commands")
def box_starts(room):
    viewer = room.start()
    viewer.settled()
    viewer.key("slash")
    state = viewer.settled("the box is open", lambda now: now["box"]["open"])
    expect("Open files" in titles(state, "command") and not titles(state, "search"), f"it lists {state['box']['entries']}")
    viewer.tool("type", "--delay", 20, "keyboard")
    viewer.settled("the sheet is found", lambda now: titles(now, "command")[:1] == ["Show all keyboard shortcuts"])
    viewer.key("Return")
    viewer.settled("it is shown", lambda now: now["help"] and not now["box"]["open"])
