# Covers: track_bar, track_headers, track_drag, track_arrangement, stream_packing
"""Checks of the UI test: visibility, order and height of tracks."""

import traces
from checks import check, expect
from viewer import Failed, lanes


def names(state, kind="track"):
    return [header["name"] for header in state["view"]["headers"] if header["kind"] == kind]


def header(state, name):
    for candidate in state["view"]["headers"]:
        if candidate["name"] == name:
            return candidate
    raise Failed(f"no header '{name}' is in sight; there are {names(state)}")


def middle(item):
    return item["top"] + min(item["height"] / 2, 12)


def graph(room):
    viewer = room.start(traces.graph(room.folder / "graph.pt.trace.json"))
    return viewer, viewer.ready()


def point_at(viewer, name):
    viewer.point(60, middle(header(viewer.state(), name)))
    viewer.rest()


@check("many streams are packed by kind and group; Shift+J toggles the streams and loses no slice")
def packs_streams(room):
    viewer, state = graph(room)
    packed = ["compute", "communication · tp", "communication · dp", "copies"]
    expect(sorted(names(state)[:4]) == sorted(packed), f"packed tracks are {names(state)[:4]}")
    viewer.key("shift+j")
    state = viewer.settled("the streams are there", lambda now: now["view"]["tracks"]["shown"] > 40)
    expect("stream 20" in names(state), f"{names(state)}")
    viewer.key("shift+j")
    viewer.settled("they are packed again", lambda now: now["view"]["tracks"]["shown"] < 10)


@check("a slice of a packed stream can be selected, and is found in its stream after unpacking")
def selects_in_packed(room):
    viewer, state = graph(room)
    viewer.take_from_box("AllReduce")
    viewer.key("Return")
    state = viewer.settled("a hit is selected", lambda now: now["view"]["selected_name"] == "ncclDevKernel_AllReduce_Sum")
    number = state["view"]["selection"]
    viewer.key("Escape")
    viewer.settled("the search is closed")
    viewer.key("shift+j")
    state = viewer.settled("the streams are there", lambda now: now["view"]["tracks"]["shown"] > 40)
    expect(state["view"]["selection"] == number, "another slice is selected")


@check("idle tracks are folded into one line with their number; a click toggles them")
def folds_idle(room):
    viewer, state = graph(room)
    line = next(item for item in state["view"]["headers"] if item["kind"] == "idle")
    expect(line["count"] == 12, f"{line['count']} tracks are idle")
    viewer.click(60, middle(line))
    state = viewer.settled("idle tracks are shown", lambda now: "thread 205" in names(now))
    viewer.click(60, middle(next(item for item in state["view"]["headers"] if item["kind"] == "idle")))
    viewer.settled("idle tracks are folded", lambda now: "thread 205" not in names(now))


@check("Ctrl+Shift+F filters tracks while typing or by presets; Esc shows all again")
def filters(room):
    viewer, state = graph(room)
    everything = state["view"]["tracks"]["shown"]
    viewer.key("ctrl+shift+f")
    viewer.settled("the bar is open", lambda now: now["view"]["tracks"]["bar"])
    viewer.tool("type", "--delay", "20", "thread 77")
    state = viewer.settled("one track is left", lambda now: names(now) == ["thread 77"])
    viewer.key("Escape")
    viewer.settled("all are back", lambda now: now["view"]["tracks"]["shown"] == everything)
    viewer.key("shift+3")
    state = viewer.settled("collectives only", lambda now: len(names(now)) == 2)
    expect(all(name.startswith("communication") for name in names(state)), f"{names(state)}")
    viewer.key("shift+4")
    state = viewer.settled("the main thread and its streams", lambda now: "python" in names(now))
    expect("thread 77" not in names(state) and "compute" in names(state), f"{names(state)}")
    viewer.key("shift+2")
    viewer.settled("the GPU only", lambda now: len(names(now, "group")) == 1)
    viewer.key("shift+h")
    viewer.settled("all are back", lambda now: now["view"]["tracks"]["shown"] == everything)


@check("a track pinned by key or icon remains on top while others scroll, also after a restart")
def pins(room):
    viewer = room.start(traces.many_threads(room.folder / "threads.pt.trace.json"))
    viewer.ready()
    point_at(viewer, "thread 9")
    viewer.key("k")
    state = viewer.settled("it is pinned", lambda now: header(now, "thread 9")["pinned"])
    top = header(state, "thread 9")["top"]
    viewer.key("End")
    state = viewer.settled("the last is in sight", lambda now: "thread 80" in names(now))
    expect(header(state, "thread 9")["top"] == top, "the pinned track moved")
    expect([lane["pinned"] for lane in lanes(state, "thread 9")] == [True], "its lane is not drawn as pinned")
    expect(viewer.quit() == 0, "it did not end well")
    again = room.start(traces.many_threads(room.folder / "threads.pt.trace.json"))
    state = again.ready()
    expect(header(state, "thread 9")["pinned"], "the pin was forgotten")
    again.click(state["view"]["area"][0] - 30, middle(header(state, "thread 9")))
    again.settled("its icon lets it go", lambda now: not header(now, "thread 9")["pinned"])


@check("a track is hidden by key and by its menu, and the bar shows the number of hidden tracks")
def hides(room):
    viewer, state = graph(room)
    point_at(viewer, "thread 77")
    viewer.key("h")
    state = viewer.settled("it is gone", lambda now: "thread 77" not in names(now))
    expect(state["view"]["tracks"]["bar"] and state["view"]["tracks"]["hidden"] == 1, f"{state['view']['tracks']}")
    place = header(state, "copies")
    viewer.click(60, middle(place), 3)
    viewer.rest()
    viewer.click(90, middle(place) + 34)  # the menu's second entry
    viewer.settled("the menu hides, too", lambda now: "copies" not in names(now))


@check("tracks and groups are moved by dragging their names and by Alt+Up")
def moves(room):
    viewer, state = graph(room)
    viewer.point(60, middle(header(state, "copies")))
    viewer.tool("mousedown", 1)
    for step in (40, 80, 120):
        viewer.point(60, middle(header(state, "copies")) - step)
    viewer.point(60, header(state, "compute")["top"] + 2)
    viewer.tool("mouseup", 1)
    state = viewer.settled("it is the first", lambda now: names(now)[0] == "copies")
    point_at(viewer, "thread 77")
    viewer.key("alt+Up")
    state = viewer.settled("it moved up", lambda now: names(now).index("thread 77") < names(now).index("python"))
    groups = names(state, "group")
    viewer.point(60, header(state, groups[1])["top"] + 10)
    viewer.rest()
    viewer.key("alt+Up")
    viewer.settled("the group moved up", lambda now: names(now, "group") == groups[::-1])


@check("E folds, J merges lanes, = and - change the height of the track under the mouse")
def heights(room):
    viewer = room.landmarks()
    state = viewer.state()
    point_at(viewer, "python")
    tall = header(state, "python")["height"]
    viewer.key("equal")
    state = viewer.settled("it is taller", lambda now: header(now, "python")["height"] > tall)
    viewer.key("minus")
    viewer.settled("it is as before", lambda now: header(now, "python")["height"] == tall)
    viewer.key("minus")
    viewer.settled("it is lower", lambda now: header(now, "python")["height"] < tall)
    viewer.key("equal")
    viewer.settled("it is as before", lambda now: header(now, "python")["height"] == tall)
    viewer.key("j")
    state = viewer.settled("its lanes are one", lambda now: len({lane["top"] for lane in lanes(now, "python")}) == 1)
    expect(len(lanes(state, "python")) == 3, "lanes are missing")
    viewer.key("e")
    viewer.settled("only the first lane is left", lambda now: len(lanes(now, "python")) == 1)
