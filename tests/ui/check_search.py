"""Checks of the UI test: the search and its table of hits."""

import traces
from checks import check, expect
from viewer import lanes, x_of


def search(viewer, query):
    """Opens the search, types and waits for the answer, which it returns."""
    viewer.key("slash")
    viewer.settled("the search is open", lambda state: state["search"]["open"])
    viewer.tool("type", "--delay", 20, query)
    return viewer.settled(f"'{query}' is searched for", lambda state: state["search"]["query"] == query)


def end_search(viewer):
    viewer.key("Escape")
    return viewer.settled("the search is closed", lambda now: not now["search"]["open"])


def searching(room, query):
    """A viewer of the known slices with an answer to the query."""
    viewer = room.landmarks()
    search(viewer, query)
    return viewer


def color_at(viewer, state, time_ns, track, lane):
    return viewer.resting_picture().at(x_of(state, time_ns), lanes(state, track)[lane]["top"] + 2)


@check("/ opens the search, what is typed is found, and Enter goes from hit to hit")
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


@check("exactly the hits keep their colour, also when single slices are asked for; the strip marks them")
def search_fades(room):
    viewer = room.landmarks()
    state = viewer.state()
    first, second = (start + length // 2 for start, length in (traces.FIRST_KERNEL, traces.SECOND_KERNEL))
    bright = color_at(viewer, state, first, "stream 7", 0)
    state = search(viewer, "correlation:2")
    expect(state["search"]["hits"] == 1, f"{state['search']['hits']} hits instead of 1")
    expect(color_at(viewer, state, second, "stream 7", 0) == bright, "the hit has changed its colour")
    faded = color_at(viewer, state, first, "stream 7", 0)
    expect(sum(faded) < 0.7 * sum(bright), f"what is no hit is as bright as before: {faded}")
    state = end_search(viewer)
    expect(color_at(viewer, state, first, "stream 7", 0) == bright, "something stays faded")
    state = search(viewer, "zzz")
    expect(state["search"]["hits"] == 0, "there are hits of what does not exist")
    expect(color_at(viewer, state, first, "stream 7", 0) == bright, "a search without hits fades everything")


@check("O fades all but the hits fully, Shift+O lists them, a click in the list goes there")
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
    area = state["view"]["area"]
    top = area[1] + area[3]
    viewer.click(300, top + 28 + 8 + 26 + 24 + 33)  # tabs, margin, tools, titles, and into the second row
    viewer.wait("the second hit is selected", lambda now: now["search"]["current"] == 1)
    longest = lambda now: now["search"]["first_row"] == "aten::addmm"  # noqa: E731
    expect(not longest(viewer.state()), "the list is not in order of time")
    viewer.rest()  # the list follows the selection
    viewer.click(area[0] + area[2] - 60, top + 28 + 8 + 26 + 14)
    viewer.settled("the longest comes first", longest)
    viewer.key("shift+o")
    viewer.wait("the list is closed", lambda now: not now["view"]["drawer"])
