# Covers: range_page, range_track_bar, range_gesture, compare_page, split_panes
"""Checks of the UI test: ranges over tracks, saved ranges and their comparison, and one file in two panes."""

import traces
from checks import check, expect
from viewer import Failed, lanes, ns_per_px, span_ns, x_of

SECOND = traces.SECOND


def drag(viewer, begin, end, y, y_end=None):
    """Drags from one x to another."""
    viewer.point(begin, y)
    viewer.rest()
    viewer.tool("mousedown", 1)
    viewer.point((begin + end) / 2, ((y_end or y) + y) / 2)
    viewer.point(end, y_end or y)
    viewer.rest()
    viewer.tool("mouseup", 1)


def mark(viewer, begin_s, end_s):
    """Marks a range of all tracks on the ruler."""
    state = viewer.state()
    asked = begin_s * SECOND, end_s * SECOND
    near = 20 * ns_per_px(state)  # an end may snap to the edge of a slice

    def shown(now):
        marked = now["view"]["marked"]
        return marked and all(abs(is_at - at) <= near for is_at, at in zip(marked, asked)) and (
            now["range"]["tracks"] is None and now["range"]["names"])
    drag(viewer, *(x_of(state, at) for at in asked), state["view"]["area"][1] - 8)
    return viewer.settled("the range is marked on all tracks, and summed up", shown)


def cells(state, name):
    for row in state["compare"]["cells"]:
        if row["name"] == name:
            return row
    raise Failed(f"no row '{name}' among {[row['name'] for row in state['compare']['cells']]}")


def letters(state):
    return "".join(part["letter"] for part in state["compare"]["parts"])


@check("a range dragged over tracks covers these tracks, on the ruler all; chips, keys and check boxes change them")
def range_of_tracks(room):
    viewer = room.landmarks()
    state = viewer.state()
    stream, thread = lanes(state, "stream 7")[0], lanes(state, "python")[1]
    drag(viewer, x_of(state, 0.5 * SECOND), x_of(state, 3.5 * SECOND), stream["top"] + 8)
    state = viewer.settled("the stream is summed up", lambda now: now["range"]["names"])
    expect(state["range"]["names"] == {"gemm_kernel": SECOND}, f"the sums are {state['range']['names']}")
    expect(state["range"]["tracks"] == 1 and state["view"]["tab"] == "range", f"{state['range']}")
    viewer.key("alt+p")
    state = viewer.settled("the CPU is there, too", lambda now: now["range"]["tracks"] is None)
    viewer.settled("and summed up", lambda now: "aten::mm" in now["range"]["names"])
    viewer.key("alt+g")
    state = viewer.settled("the GPU is not", lambda now: "gemm_kernel" not in now["range"]["names"])
    expect("whole" in state["range"]["names"], f"{state['range']['names']}")
    viewer.click(*state["range"]["places"]["all"])
    viewer.settled("all are", lambda now: "gemm_kernel" in now["range"]["names"] and "whole" in now["range"]["names"])
    viewer.click(*state["range"]["places"]["gpu"])
    viewer.settled("the chip takes the GPU away", lambda now: "gemm_kernel" not in now["range"]["names"])
    viewer.click(12, stream["top"] + 8)
    viewer.settled("the box at its name adds the stream", lambda now: "gemm_kernel" in now["range"]["names"])
    viewer.click(*state["range"]["places"]["tracks"])
    state = viewer.settled("the list is open", lambda now: "python" in now["range"]["places"])
    viewer.click(*state["range"]["places"]["python"])
    viewer.settled("the thread is left out", lambda now: list(now["range"]["names"]) == ["gemm_kernel"])
    viewer.key("Escape")
    viewer.rest()
    # Over both tracks, then on the ruler.
    state = viewer.state()
    drag(viewer, x_of(state, 0.2 * SECOND), x_of(state, 3.7 * SECOND), stream["top"] + 8, thread["top"] + 8)
    state = viewer.settled("both are summed up", lambda now: len(now["range"]["names"]) == 3)
    mark(viewer, 4.2, 4.6)


@check("the table of a marked range can be sorted and filtered, and a row jumps to the longest slice of its name")
def sorts_range(room):
    viewer = room.landmarks()
    mark(viewer, 0.5, 1.75)
    shown = viewer.settled("its names are listed", lambda now: "gemm_kernel" in now["range"]["table"]["names"])["range"]["table"]
    viewer.click(*shown["headers"]["name"])
    viewer.settled("names come in order", lambda now: now["range"]["table"]["order"] == ["name:asc"]
                   and now["range"]["table"]["names"] == sorted(shown["names"]))
    viewer.click(*shown["controls"]["filter"])
    viewer.tool("type", "--delay", "20", "gemm")
    state = viewer.settled("only one is listed", lambda now: now["range"]["table"]["names"] == ["gemm_kernel"])
    viewer.click(*state["range"]["table"]["first_row"])
    viewer.settled("a click selects the longest slice", lambda now: now["view"]["selected_name"] == "gemm_kernel")


@check("ranges are saved with names and compared side by side: counts, totals and differences by name")
def compares_ranges(room):
    viewer = room.landmarks()
    mark(viewer, 0.5, 1.75)
    viewer.key("alt+a")
    state = viewer.settled("A is kept", lambda now: letters(now) == "A" and now["view"]["tab"] == "compare")
    viewer.rest()
    mark(viewer, 2.75, 6.5)
    viewer.key("alt+b")
    viewer.settled("B is kept", lambda now: letters(now) == "AB")
    state = viewer.settled("they are compared", lambda now: any("total_2_ns" in row for row in now["compare"]["cells"]))
    gemm, mm = cells(state, "gemm_kernel"), cells(state, "aten::mm")
    expect((gemm["count_1"], gemm["total_1_ns"], gemm["count_2"], gemm["change_2_ns"]) == ("1", "500 ms", "0", "-500 ms"),
           f"{gemm}")
    expect((mm["count_1"], mm["count_2"], mm["total_2_ns"], mm["change_share_2"]) == ("0", "1", "1 s", ""), f"{mm}")
    mark(viewer, 1.9, 2.6)
    viewer.click(*viewer.state()["range"]["places"]["keep"])
    state = viewer.settled("C is kept", lambda now: letters(now) == "ABC" and any(
        "change_3_ns" in row for row in now["compare"]["cells"]))
    expect(cells(state, "gemm_kernel")["change_3_ns"] in ("0 ns", "0"), f"{cells(state, 'gemm_kernel')}")
    viewer.click(*state["compare"]["places"]["C_name"])
    viewer.rest()
    viewer.key("ctrl+a")
    viewer.tool("type", "--delay", 20, "second kernel")
    viewer.key("Return")
    viewer.settled("C has a name", lambda now: now["compare"]["parts"][2]["name"] == "second kernel")
    viewer.click(*state["compare"]["places"]["B_tick"])
    state = viewer.settled("A and C are compared", lambda now: now["compare"]["cells"] and all(
        "change_3_ns" not in row for row in now["compare"]["cells"]))
    expect(cells(state, "gemm_kernel")["count_2"] == "1", f"{cells(state, 'gemm_kernel')}")
    viewer.click(*state["compare"]["places"]["A_letter"])
    viewer.settled("A is marked again", lambda now: now["view"]["marked"] == now["compare"]["parts"][0]["range"])
    viewer.click(*viewer.state()["compare"]["places"]["B_remove"])
    viewer.settled("B is forgotten", lambda now: letters(now) == "AC")
    viewer.key("alt+x")
    viewer.settled("nothing is kept", lambda now: letters(now) == "")
    viewer.key("alt+c")
    viewer.settled("the drawer closes", lambda now: not now["view"]["drawer"])


@check("two slices are marked A and B, and their contents and launched work are compared")
def compares_slices(room):
    events = [traces.slice_event("forward", 0, SECOND), traces.slice_event("forward", 2 * SECOND, SECOND)]
    for replay, launches in ((0, 1), (1, 3)):
        for i in range(launches):
            start, number = replay * 2 * SECOND + (i + 1) * 1_000_000, 10 * replay + i + 1
            events.append(traces.slice_event("cudaLaunchKernel", start, 5000, category="cuda_runtime", correlation=number))
            events.append(traces.kernel("gemm_kernel", 5 * SECOND + number * 10_000_000, 1_000_000, correlation=number))
    viewer = room.start(traces.write(room.folder / "forward.pt.trace.json", events))
    state = viewer.ready()
    lane = lanes(state, "python")[0]
    viewer.click(x_of(state, 0.5 * SECOND), lane["top"] + 8)
    viewer.settled("the first is selected", lambda now: now["view"]["selected_name"] == "forward")
    viewer.key("alt+a")
    viewer.settled("A is kept", lambda now: letters(now) == "A")
    viewer.key("bracketright")
    viewer.rest()
    viewer.key("alt+b")
    state = viewer.settled("they are compared", lambda now: letters(now) == "AB" and any(
        "change_2_ns" in row for row in now["compare"]["cells"]))
    gemm = cells(state, "gemm_kernel")
    expect((gemm["count_1"], gemm["count_2"], gemm["count_change_2"], gemm["change_2_ns"], gemm["change_share_2"])
           == ("1", "3", "2", "2 ms", "200.0 %"), f"{gemm}")


@check("Shift+F7 shows the file in a second pane with an independent view")
def second_pane(room):
    viewer = room.landmarks()
    state = viewer.state()
    mark(viewer, 1, 2)
    viewer.key("shift+F7")
    state = viewer.ready(2)
    viewer.settled("both panes show it", lambda now: now["split"]["mode"] == "stacked")
    panes = viewer.state()["split"]["panes"]
    expect(panes[0]["file"] == panes[1]["file"] and [pane["active"] for pane in panes] == [False, True], f"{panes}")
    area = viewer.state()["view"]["area"]
    viewer.point(area[0] + 300, area[1] + 40)
    before = viewer.rest()
    viewer.hold("w", "the second pane zooms", lambda now: span_ns(now) < span_ns(before) / 3)
    panes = viewer.rest()["split"]["panes"]
    expect(panes[0]["view"]["to_ns"] - panes[0]["view"]["from_ns"] > 9 * SECOND, "the first one zooms with it")
    viewer.key("l")
    state = viewer.settled("they are linked", lambda now: now["split"]["link"] != "none")
    expect(state["split"]["link"] == "edges", f"linked by {state['split']['link']}: each moment is beside itself")
    expect("(2)" in state["title"], f"the title is {state['title']}")
    viewer.key("ctrl+w")
    viewer.ready(1)
