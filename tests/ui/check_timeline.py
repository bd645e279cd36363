# Covers: timeline_panel, track_canvas, navigation, timeline_input, hover_card, details_drawer, idle_band, annotation_brackets
"""Checks of the timeline: its pixels, and navigation and selection by keys, wheel and mouse."""

import collections

import traces
from checks import check, expect
from viewer import lanes, span_ns, time_at, x_of

PYTHON_THREAD, GPU_STREAM = "python", "stream 7"


# ---- Pixels ----

def without_bands(viewer):
    """Hides the idle bands, so that only slices and grid lines are drawn over the background."""
    viewer.key("shift+u")
    viewer.settled("no idle bands", lambda now: not now["view"]["idle_band"])
    return viewer


def lit_columns(picture, state, lane):
    """Returns the x positions left of the scrollbar at which a lane differs from its background."""
    left, _, width, _ = state["view"]["area"]
    # Labels do not reach this line; grid lines differ from the background by less than any slice does.
    colors = picture.row(left, lane["top"] + 2, int(width) - 16)
    background = collections.Counter(colors).most_common(1)[0][0]
    return {int(left) + i for i, color in enumerate(colors)
            if max(abs(a - b) for a, b in zip(color, background)) > 24}


def expect_lit(columns, begin, end, what):
    missing = [x for x in range(round(begin) + 2, round(end) - 2) if x not in columns]
    expect(not missing, f"{what}: {len(missing)} of its {round(end - begin)} columns are dark, the first at {missing[:1]}")


def kernels_are_in_place(viewer, state):
    """Checks that the stream's slices cover exactly the pixel columns of their times. Hides the idle bands."""
    if viewer.state()["view"]["idle_band"]:
        without_bands(viewer)
    lane = lanes(state, GPU_STREAM)[0]
    expected = [traces.FIRST_KERNEL, traces.SECOND_KERNEL, traces.LONE_KERNEL]
    left, right = state["view"]["area"][0], sum(state["view"]["area"][::2]) - 16

    def holds(picture):
        columns = lit_columns(picture, state, lane)
        allowed = set()
        for start, duration in expected:
            begin, end = x_of(state, start), x_of(state, start + duration)
            allowed |= set(range(int(begin) - 2, int(end) + 3))
            inside = range(max(round(begin) + 1, int(left)), min(round(end) - 1, int(right)))
            if any(x not in columns for x in inside):
                return False
            if left < begin < right and not any(x in columns for x in range(int(begin) - 2, int(end) + 3)):
                return False
        return columns <= allowed
    viewer.picture("the kernels are where their times say", holds)


# ---- Opening and drawing ----

@check("a trace from the command line opens with the whole trace in view")
def opens(room):
    state = room.landmarks().state()
    expect(state["documents"][0]["state"] == "ready", f"the document is {state['documents']}")
    expect(state["documents"][0]["slices"] == 7, f"{state['documents'][0]['slices']} slices instead of 7")
    expect(state["documents"][0]["damage"] == 0, "a sound trace has damage")
    expect(state["view"]["from_ns"] <= 0 and state["view"]["to_ns"] >= traces.LENGTH_NS, "not all of it is in view")
    expect(span_ns(state) < 1.1 * traces.LENGTH_NS, "the trace does not fill the window")


@check("slices cover exactly the pixels of their times")
def slices_in_place(room):
    viewer = without_bands(room.landmarks())
    state = viewer.state()
    kernels_are_in_place(viewer, state)
    nested = lanes(state, PYTHON_THREAD)
    expect(len(nested) == 3, f"three nested slices are in {len(nested)} lanes")
    picture = viewer.resting_picture()
    second = traces.SECOND
    for lane, begin, end in ((1, 3, 4), (1, 5, 7), (2, 5.5, 5.75)):
        columns = lit_columns(picture, state, nested[lane])
        expect_lit(columns, x_of(state, begin * second), x_of(state, end * second), f"the slice in lane {lane}")
    # The slice that covers everything has no background next to it, so the lane below it is checked.
    over = picture.at(x_of(state, 9 * second), nested[0]["top"] + 2)
    under = picture.at(x_of(state, 9 * second), nested[2]["top"] + 2)
    expect(over != under, "the slice that spans the trace is not drawn")


@check("slices with equal names have equal colors, others different ones")
def colors_by_name(room):
    viewer = without_bands(room.landmarks())
    state = viewer.state()
    kernels_are_in_place(viewer, state)
    picture = viewer.resting_picture()
    y = lanes(state, GPU_STREAM)[0]["top"] + 2
    first, second = (picture.at(x_of(state, start + length // 2), y)
                     for start, length in (traces.FIRST_KERNEL, traces.SECOND_KERNEL))
    expect(first == second, f"two kernels of one name are {first} and {second}")
    operator = picture.at(x_of(state, 6.5 * traces.SECOND), lanes(state, PYTHON_THREAD)[1]["top"] + 2)
    expect(operator != first, "an operator looks like a kernel")


@check("a lone event of 1 ns covers a pixel in the whole view and at the smallest zoom")
def lone_event(room):
    viewer = without_bands(room.landmarks())
    kernels_are_in_place(viewer, viewer.state())
    viewer.point(900, 300)
    spans = []

    def grows_no_more(state):
        spans.append((state["frame"], span_ns(state)))
        earlier = [span for frame, span in spans if frame < state["frame"] - 20]
        return earlier and earlier[-1] == span_ns(state)
    state = viewer.hold("s", "the view cannot get wider", grows_no_more)
    expect(span_ns(state) > 2 * traces.LENGTH_NS, "S does not zoom out beyond the trace")
    kernels_are_in_place(viewer, state)


@check("many short kernels are one band, and separate after zooming in")
def dense(room):
    viewer = room.start(traces.busy(room.folder / "busy.json"))
    viewer.ready()
    state = without_bands(viewer).state()
    lane = lanes(state, GPU_STREAM)[0]
    begin, end = x_of(state, 0), x_of(state, traces.SECOND)

    def all_lit(picture):
        y = lane["top"] + 2
        gap = picture.at(begin - 6, y)
        return all(picture.at(x, y) != gap for x in range(round(begin) + 2, round(end) - 18))
    viewer.picture("no column of the band is empty", all_lit)
    viewer.point(900, lane["top"] + 5)
    state = viewer.hold("w", "fewer than 40 kernels in view", lambda now: span_ns(now) < 40 * traces.SECOND / 20_000)

    def apart(picture):
        columns = lit_columns(picture, state, lanes(state, GPU_STREAM)[0])
        width = state["view"]["area"][2] - 16
        return 0.35 < len(columns) / width < 0.65
    viewer.picture("kernels that run half of the time cover half of the pixels", apart)


# ---- Navigation ----

@check("holding W zooms in around the time under the mouse")
def zoom_in(room):
    viewer = without_bands(room.landmarks())
    before = viewer.state()
    x = x_of(before, traces.SECOND_KERNEL[0] + 1000)
    time_ns = time_at(before, round(x))
    viewer.point(x, lanes(before, GPU_STREAM)[0]["top"] + 8)
    after = viewer.hold("w", "the span has shrunk to a fifth", lambda state: span_ns(state) < span_ns(before) / 5)
    expect(abs(x_of(after, time_ns) - round(x)) <= 1,
           f"the time under the mouse went from x {round(x)} to {x_of(after, time_ns):.1f}")
    kernels_are_in_place(viewer, after)


@check("holding S zooms out around the time under the mouse")
def zoom_out(room):
    viewer = room.landmarks()
    wide = viewer.state()
    viewer.point(x_of(wide, 5 * traces.SECOND), 300)
    before = viewer.hold("w", "the span has shrunk to a tenth", lambda state: span_ns(state) < span_ns(wide) / 10)
    time_ns = time_at(before, 1000)
    viewer.point(1000, 300)
    after = viewer.hold("s", "the span has doubled", lambda state: span_ns(state) > 2 * span_ns(before))
    expect(abs(x_of(after, time_ns) - 1000) <= 1, f"the time under the mouse went to x {x_of(after, time_ns):.1f}")


@check("holding D moves to later times and A back, at the same zoom")
def pan(room):
    viewer = without_bands(room.landmarks())
    wide = viewer.state()
    viewer.point(x_of(wide, 3 * traces.SECOND), 300)
    start = viewer.hold("w", "the span has shrunk to a third", lambda state: span_ns(state) < span_ns(wide) / 3)
    quarter = span_ns(start) / 4
    later = viewer.hold("d", "a quarter of the view later",
                        lambda state: state["view"]["from_ns"] > start["view"]["from_ns"] + quarter)
    expect(abs(span_ns(later) / span_ns(start) - 1) < 1e-9, "panning zooms")
    kernels_are_in_place(viewer, later)
    earlier = viewer.hold("a", "a quarter of the view earlier",
                          lambda state: state["view"]["from_ns"] < later["view"]["from_ns"] - quarter)
    expect(abs(span_ns(earlier) / span_ns(start) - 1) < 1e-9, "panning zooms")
    kernels_are_in_place(viewer, earlier)


@check("a short press of W is not lost, and the movement ends by itself")
def tap(room):
    viewer = room.landmarks()
    before = viewer.state()
    viewer.point(800, 300)
    viewer.key("w")
    viewer.wait("the span has shrunk", lambda state: span_ns(state) < span_ns(before))
    expect(span_ns(viewer.rest()) > span_ns(before) / 5, "a tap zooms too far")


@check("the wheel zooms at the mouse with Ctrl and pans with Shift")
def wheel(room):
    viewer = room.landmarks()
    before = viewer.state()
    x = round(x_of(before, 4 * traces.SECOND))
    time_ns = time_at(before, x)
    viewer.point(x, 300)
    viewer.tool("keydown", "ctrl")
    viewer.wheel(up=True, notches=4)
    viewer.wait("the span has shrunk to a half", lambda state: span_ns(state) < span_ns(before) / 2)
    viewer.tool("keyup", "ctrl")
    zoomed = viewer.rest()
    expect(abs(x_of(zoomed, time_ns) - x) <= 1, f"the time under the mouse went from x {x} to {x_of(zoomed, time_ns):.1f}")
    expect(abs(span_ns(zoomed) * 1.25 ** 4 / span_ns(before) - 1) < 1e-3,
           f"four notches zoom by {span_ns(before) / span_ns(zoomed):.3f}")
    viewer.tool("keydown", "shift")
    viewer.wheel(up=False, notches=2)
    viewer.wait("the view is later", lambda state: state["view"]["from_ns"] > zoomed["view"]["from_ns"])
    viewer.tool("keyup", "shift")
    expect(abs(span_ns(viewer.rest()) / span_ns(zoomed) - 1) < 1e-9, "panning zooms")


@check("the wheel scrolls the tracks, and stops at the end")
def scroll(room):
    viewer = room.start(traces.many_threads(room.folder / "threads.json"))
    before = viewer.ready()
    picture = viewer.resting_picture()
    viewer.point(800, 400)
    viewer.wheel(up=False, notches=3)
    state = viewer.wait("three notches are scrolled", lambda state: state["view"]["scroll_px"] == 180)
    expect(span_ns(state) == span_ns(before), "scrolling zooms")
    expect(viewer.resting_picture().changed(picture) > 1000, "scrolling is not to be seen")
    viewer.wheel(up=False, notches=60)
    viewer.settled("the last thread is in sight",
                   lambda now: any(lane["track"] == "thread 80" for lane in now["view"]["lanes"]))
    end = viewer.rest()["view"]["scroll_px"]
    viewer.wheel(up=False, notches=5)
    expect(viewer.rest()["view"]["scroll_px"] == end, "the tracks scroll beyond their end")
    viewer.wheel(up=True, notches=80)
    viewer.settled("back at the top", lambda now: now["view"]["scroll_px"] == 0)


@check("dragging with the middle button moves the view with the mouse")
def drag(room):
    viewer = without_bands(room.landmarks())
    wide = viewer.state()
    viewer.point(x_of(wide, 2 * traces.SECOND), 300)
    before = viewer.hold("w", "the span has shrunk to a third", lambda state: span_ns(state) < span_ns(wide) / 3)
    time_ns = time_at(before, 900)
    viewer.point(900, 300)
    viewer.tool("mousedown", 2)
    for x in range(890, 640, -10):
        viewer.point(x, 300)
    viewer.point(650, 300)
    viewer.wait("the grabbed time is at the mouse", lambda state: abs(x_of(state, time_ns) - 650) <= 1)
    viewer.tool("mouseup", 2)
    after = viewer.rest()
    expect(abs(x_of(after, time_ns) - 650) <= 1, f"let go, the grabbed time is at x {x_of(after, time_ns):.1f}")
    expect(after["view"]["selected_name"] is None, "the end of a drag selects")
    kernels_are_in_place(viewer, after)


@check("R fits everything into the view")
def fit_all(room):
    viewer = room.landmarks()
    before = viewer.state()
    viewer.point(700, 300)
    viewer.hold("w", "the span has shrunk to a fifth", lambda state: span_ns(state) < span_ns(before) / 5)
    viewer.key("r")
    after = viewer.settled("the whole trace is in view", lambda state: span_ns(state) >= traces.LENGTH_NS)
    expect(after["view"]["from_ns"] == before["view"]["from_ns"] and span_ns(after) == span_ns(before),
           "the view is not the one the trace opened with")


# ---- Hovering and selecting ----

def point_at_addmm(viewer):
    state = viewer.state()
    viewer.point(x_of(state, 6.5 * traces.SECOND), lanes(state, PYTHON_THREAD)[1]["top"] + 8)


@check("hovering over a slice names it in a tooltip")
def hover(room):
    viewer = room.landmarks()
    before = viewer.resting_picture()
    point_at_addmm(viewer)
    viewer.wait("the slice under the mouse", lambda state: state["view"]["hovered_name"] == "aten::addmm")
    viewer.picture("a card is drawn", lambda picture: picture.changed(before) > 2000)
    viewer.point(x_of(viewer.state(), 8 * traces.SECOND), lanes(viewer.state(), PYTHON_THREAD)[1]["top"] + 8)
    viewer.wait("nothing where nothing is", lambda state: state["view"]["hovered_name"] is None)
    # A window opens under the mouse, and the mouse leaves it and returns to the same position.
    point_at_addmm(viewer)
    expect(viewer.quit() == 0, "quitting is an error")
    again = room.landmarks()
    point_at_addmm(again)
    again.wait("the slice under the mouse of another window", lambda state: state["view"]["hovered_name"] == "aten::addmm")


@check("a click selects a slice and shows its details, Esc deselects it")
def click(room):
    viewer = room.landmarks()
    before = viewer.resting_picture()
    point_at_addmm(viewer)
    viewer.tool("click", 1)
    state = viewer.wait("the slice is selected", lambda state: state["view"]["selected_name"] == "aten::addmm")
    expect(state["view"]["selection"] is not None, "the selection has no number")
    viewer.wait("the drawer is open", lambda state: state["view"]["drawer"])
    viewer.point(2, viewer.display.HEIGHT - 2)
    area = viewer.rest()["view"]["area"]
    below = (0, area[1] + area[3] + 4, 1600, 120)

    def shows_details(picture):
        return picture.colors(*below) > before.colors(*below) + 5
    viewer.picture("the drawer has something to read", shows_details)
    viewer.key("Escape")
    viewer.wait("nothing is selected", lambda state: state["view"]["selected_name"] is None)


@check("F fits the selected slice into the view")
def fit_selection(room):
    viewer = room.landmarks()
    point_at_addmm(viewer)
    viewer.tool("click", 1)
    viewer.wait("the slice is selected", lambda state: state["view"]["selected_name"] == "aten::addmm")
    viewer.key("f")
    state = viewer.settled("the slice fills the view", lambda state: span_ns(state) < 3.5 * traces.SECOND)
    expect(state["view"]["from_ns"] < 5 * traces.SECOND and state["view"]["to_ns"] > 7 * traces.SECOND,
           "a part of the slice is outside")


# ---- Idle bands and annotations ----

@check("idle bands have the causes of the ledger, and the tooltip names the event that fills the band")
def bands_by_cause(room):
    viewer = room.start(traces.idle_causes(room.folder / "idle.pt.trace.json"))
    viewer.ready()
    state = viewer.settled("the bands are found", lambda now: len(now["idle"]["bands"]) >= 3)
    reasons = {band["reason"]: band for band in state["idle"]["bands"]}
    ms = 1_000_000
    loader = reasons["idle_loader"]
    expect(loader["to_ns"] - loader["from_ns"] == 400 * ms, f"the band of the data loader is {loader}")
    late, launching = reasons["idle_late_launch"], reasons["idle_launching"]
    expect(late["to_ns"] - late["from_ns"] == 200 * ms, f"the band of the late launch is {late}")
    expect(launching["to_ns"] - launching["from_ns"] == 20 * ms, f"the band of the launch is {launching}")
    viewer.point(x_of(state, (loader["from_ns"] + loader["to_ns"]) // 2), loader["y"])
    viewer.settled("the CPU's event is found", lambda now: now["idle"]["meanwhile"] == traces.LOADER)


@check("annotations of a stream are brackets above it; others are shown as rows on demand, or if they are selected")
def brackets(room):
    viewer = room.start(traces.idle_causes(room.folder / "brackets.pt.trace.json"))
    viewer.ready()
    state = viewer.settled("a bracket is drawn", lambda now: len(now["view"]["brackets"]) == 1)
    bracket = state["view"]["brackets"][0]
    expect((bracket["first"], bracket["count"], bracket["track"]) == ("forward", 1, "stream 7"), f"it is {bracket}")
    names = [header["name"] for header in state["view"]["headers"]]
    expect("annotations of stream 7" not in names, f"the annotations have a row of their own: {names}")
    viewer.click(x_of(state, 300_000_000), bracket["top"] + 6)
    state = viewer.settled("the annotation is selected", lambda now: now["view"]["selected_name"] == "forward")
    expect(not state["view"]["annotation_rows"], "the annotations became rows")
    viewer.take_from_box("reduce_gradients")
    viewer.key("Return")
    viewer.settled("the annotation of the collective is a row", lambda now: now["view"]["annotation_rows"]
                   and now["view"]["selected_name"] == "reduce_gradients")
