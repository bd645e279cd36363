# Covers: split_panes, split_view, byte_link, snapshot_overlay
"""Checks of the UI test: two documents side by side, and their linked times."""

import json

import traces
from check_snapshot_tables import two_recordings
from check_snapshots import MEGA
from check_snapshots import x_of as snapshot_x
from check_snapshots import y_of as snapshot_y
from checks import check, expect
from viewer import lanes, ns_per_px, span_ns, x_of

# Begin of the first rank's trace. The second one begins one second later.
BASE_NS = 1_743_406_976_000_000_000


def rank(folder, number, base_ns=None, shift_ns=0):
    """Writes a trace of ten seconds with a kernel at 2 s."""
    path = folder / f"rank{number}.json"
    traces.write(path, [traces.slice_event("whole", shift_ns, traces.LENGTH_NS),
                        traces.kernel(f"kernel_of_rank_{number}", shift_ns + 2 * traces.SECOND, traces.SECOND)])
    document = json.loads(path.read_text())
    # All have rank 0, since different ranks would open as a job.
    document["distributedInfo"] = {"rank": 0, "world_size": 3}
    if base_ns is not None:
        document["baseTimeNanoseconds"] = base_ns
    path.write_text(json.dumps(document))
    return path


def pane(state, index):
    """Returns the state with the view of a pane."""
    return {**state, "view": state["split"]["panes"][index]["view"]}


def unix_range(state, index):
    shown = state["split"]["panes"][index]
    return tuple(shown["origin_unix_ns"] + shown["view"][edge] for edge in ("from_ns", "to_ns"))


def same_time(state):
    """Returns whether both panes show the same range of Unix time within a tenth of a pixel."""
    slack = ns_per_px(pane(state, 0)) / 10 + 512  # a Unix time in ns has 61 bits, and JSON's doubles 53
    return all(abs(a - b) < slack for a, b in zip(unix_range(state, 0), unix_range(state, 1)))


def middle_of(state, index):
    left, top, width, height = pane(state, index)["view"]["area"]
    return left + width / 2, top + height / 2


def two_ranks(room, clock=True, **how):
    base = BASE_NS if clock else None
    viewer = room.start(rank(room.folder, 0, base), rank(room.folder, 1, base, traces.SECOND), **how)
    viewer.ready(2)
    viewer.key("F7")
    viewer.settled("two panes", lambda now: now["split"]["mode"] == "stacked" and len(now["split"]["panes"]) == 2)
    return viewer


@check("two documents are shown stacked, side by side, or one alone, each in its own pane")
def split_modes(room):
    viewer = two_ranks(room)
    for mode in ("stacked", "side by side"):
        state = viewer.settled(mode, lambda now: now["split"]["mode"] == mode)
        viewer.point(2, viewer.display.HEIGHT - 2)
        areas = [pane(state, i)["view"]["area"] for i in range(2)]
        if mode == "stacked":
            expect(areas[0][1] + areas[0][3] < areas[1][1], f"they overlap: {areas}")
            expect(areas[0][0] == areas[1][0] and areas[0][2] == areas[1][2], "their times are not one above the other")
        else:
            expect(areas[0][0] + areas[0][2] < areas[1][0], f"they overlap: {areas}")

        def kernels_are_lit(picture):
            for i in range(2):
                state_of = pane(state, i)
                y = lanes(state_of, "stream 7")[0]["top"] + 2
                # Times are relative to the begin of each trace.
                lit, dark = (picture.at(x_of(state_of, s * traces.SECOND), y) for s in (2.5, 1.5))
                if max(abs(a - b) for a, b in zip(lit, dark)) < 24:
                    return False
            return True
        viewer.picture(f"{mode}: each pane has its kernel", kernels_are_lit)
        viewer.key("ctrl+backslash")
    state = viewer.settled("one pane", lambda now: now["split"]["mode"] == "one")
    expect(len(state["split"]["panes"]) == 1, "two documents are shown")


@check("only the active pane gets keys; F6 and a click activate a pane")
def split_keys(room):
    viewer = two_ranks(room)
    before = viewer.state()
    active = [shown["active"] for shown in before["split"]["panes"]].index(True)
    viewer.point(*middle_of(before, active))
    after = viewer.hold("w", "the active pane is zoomed", lambda now: (
        span_ns(pane(now, active)) < span_ns(pane(before, active)) / 3))
    expect(span_ns(pane(after, 1 - active)) == span_ns(pane(before, 1 - active)), "the other pane is zoomed, too")
    viewer.key("F6")
    viewer.settled("the other pane is active", lambda now: now["split"]["panes"][1 - active]["active"])
    viewer.key("r")
    expect(span_ns(pane(viewer.rest(), active)) == span_ns(pane(after, active)), "R fits the pane without the keys")
    viewer.click(*middle_of(after, active))
    state = viewer.settled("the clicked pane is active", lambda now: now["split"]["panes"][active]["active"])
    expect(state["documents"][state["active"]]["file"] == state["split"]["panes"][active]["file"], "its tab is not")
    viewer.take_from_box("kernel")
    state = viewer.wait("the search is open", lambda now: pane(now, active)["view"]["search"])
    expect(not pane(state, 1 - active)["view"]["search"], "both panes search")


@check("a tab opens in the active pane, and closing a pane leaves its document open")
def split_tabs(room):
    viewer = two_ranks(room)
    viewer.drop(rank(room.folder, 2, BASE_NS))
    state = viewer.settled("three documents", lambda now: len(now["documents"]) == 3 and all(
        document["state"] == "ready" for document in now["documents"]))
    files = [shown["file"] for shown in state["split"]["panes"]]
    expect(sum("rank2" in file for file in files) == 1, f"the panes show {files}")
    active = [shown["active"] for shown in state["split"]["panes"]].index(True)
    expect("rank2" in files[active], "the new document is not in the active pane")
    viewer.key("ctrl+shift+w")
    state = viewer.settled("one pane", lambda now: now["split"]["mode"] == "one")
    expect(len(state["documents"]) == 3, "the document is closed")
    expect(state["split"]["panes"][0]["file"] == files[1 - active], "the wrong pane is closed")
    viewer.key("F7")
    viewer.settled("two panes", lambda now: len(now["split"]["panes"]) == 2)
    for left in (2, 1):
        viewer.key("ctrl+w")
        state = viewer.settled(f"{left} documents", lambda now: len(now["documents"]) == left)
    expect(state["split"]["mode"] == "one", "one document is split")


@check("L links two ranks by clock: zoom, pan, fit and undo move both, and a marked range is shared")
def link_clock(room):
    viewer = two_ranks(room)
    state = viewer.state()
    expect(not same_time(state), "they show the same time before they are linked")
    viewer.key("l")
    state = viewer.settled("linked by clock", lambda now: now["split"]["link"] == "clock" and same_time(now))
    wide = span_ns(pane(state, 0))
    for index in (0, 1):
        viewer.click(*middle_of(viewer.state(), index))
        viewer.settled("the pane is active", lambda now: now["split"]["panes"][index]["active"])
        state = viewer.hold("w", "both are zoomed", lambda now: all(span_ns(pane(now, i)) < wide / 4 for i in range(2)))
        expect(same_time(state), f"zoomed, they show {unix_range(state, 0)} and {unix_range(state, 1)}")
        state = viewer.hold("d", "moved", lambda now: pane(now, index)["view"]["from_ns"] > pane(state, index)["view"]["from_ns"])
        expect(same_time(state), f"moved, they show {unix_range(state, 0)} and {unix_range(state, 1)}")
        viewer.key("BackSpace")
        viewer.settled("back", lambda now: same_time(now) and unix_range(now, 0) != unix_range(state, 0))
        viewer.key("r")
        state = viewer.settled("all is in view", lambda now: span_ns(pane(now, index)) >= traces.LENGTH_NS)
        expect(same_time(state), f"fitted, they show {unix_range(state, 0)} and {unix_range(state, 1)}")
    first = pane(state, 0)
    ruler = first["view"]["area"][1] - 8
    viewer.point(x_of(first, 4e9), ruler)
    viewer.tool("mousedown", 1)
    viewer.point(x_of(first, 5e9), ruler)
    viewer.point(x_of(first, 6e9), ruler)
    viewer.tool("mouseup", 1)
    state = viewer.settled("both are marked", lambda now: all(pane(now, i)["view"]["marked"] for i in range(2)))
    ranges = [[state["split"]["panes"][i]["origin_unix_ns"] + edge for edge in pane(state, i)["view"]["marked"]]
              for i in range(2)]
    expect(ranges[0] == ranges[1], f"they are {ranges}")


@check("the wheel over the inactive pane moves both linked panes; an unlinked pane moves alone")
def link_wheel(room):
    viewer = two_ranks(room)
    viewer.key("l")
    state = viewer.settled("linked", lambda now: now["split"]["link"] == "clock" and same_time(now))
    other = [shown["active"] for shown in state["split"]["panes"]].index(False)

    def zoom():
        before = span_ns(pane(viewer.state(), other))
        viewer.point(*middle_of(viewer.state(), other))
        viewer.tool("keydown", "ctrl")
        viewer.wheel(up=True, notches=3)
        viewer.wait("it is zoomed", lambda now: span_ns(pane(now, other)) < before / 1.5)
        viewer.tool("keyup", "ctrl")
        return viewer.rest()
    state = zoom()
    expect(same_time(state), f"they show {unix_range(state, 0)} and {unix_range(state, 1)}")
    expect(not state["split"]["panes"][other]["active"], "the wheel gives the keys")
    viewer.key("l")
    viewer.settled("unlinked", lambda now: now["split"]["link"] == "none")
    state = zoom()
    expect(not same_time(state), "unlinked panes move together")


@check("traces without a common clock are linked by their left edges")
def link_edges(room):
    viewer = two_ranks(room, clock=False)
    state = viewer.state()
    viewer.point(*middle_of(state, 0))
    viewer.click(*middle_of(state, 0))
    viewer.settled("the first is active", lambda now: now["split"]["panes"][0]["active"])
    before = viewer.hold("w", "zoomed", lambda now: span_ns(pane(now, 0)) < 3 * traces.SECOND)
    edges = [pane(before, i)["view"]["from_ns"] for i in range(2)]
    viewer.key("l")

    def aligned(now):
        shift = pane(now, 1)["view"]["from_ns"] - pane(now, 0)["view"]["from_ns"]
        return (abs(shift - (edges[1] - edges[0])) < ns_per_px(pane(now, 0)) / 10
                and abs(span_ns(pane(now, 0)) / span_ns(pane(now, 1)) - 1) < 1e-9)
    viewer.settled("linked", lambda now: now["split"]["link"] == "edges" and aligned(now))
    state = viewer.hold("d", "moved", lambda now: pane(now, 0)["view"]["from_ns"] > edges[0] + span_ns(pane(now, 0)) / 3)
    expect(aligned(state), "they do not move together")


@check("linked panes show the time under the mouse as a line in the other pane")
def link_mouse(room):
    viewer = two_ranks(room)
    viewer.key("l")
    state = viewer.settled("linked", lambda now: now["split"]["link"] == "clock" and same_time(now))
    viewer.point(2, viewer.display.HEIGHT - 2)
    before = viewer.resting_picture()
    x, y = middle_of(state, 0)
    left, top, width, height = pane(state, 1)["view"]["area"]
    viewer.point(x + 37, y + 40)

    def line_is_there(picture):
        return all(picture.at(x + 37, top + height - 20 - i) != before.at(x + 37, top + height - 20 - i) for i in range(8))
    viewer.picture("the line is in the other pane", line_is_there)


@check("a window that is too small for two panes shows one, and two again when it grows")
def split_small(room):
    viewer = two_ranks(room)
    viewer.tool("windowsize", viewer.window, 700, 420)
    viewer.settled("one document", lambda now: len(now["split"]["panes"]) == 1 and now["split"]["mode"] == "stacked")
    viewer.tool("windowsize", viewer.window, 1280, 720)
    viewer.settled("two documents", lambda now: len(now["split"]["panes"]) == 2)
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


def snapshots_in(state):
    return [shown["snapshot"] for shown in state["split"]["panes"]]


def one_scale(state):
    return state["split"]["bytes_shared"] and snapshots_in(state)[0]["bytes"] == snapshots_in(state)[1]["bytes"]


def two_snapshots(room):
    viewer = room.start(*two_recordings(room))
    viewer.ready(2)
    viewer.key("F7")
    viewer.settled("stacked", lambda now: now["split"]["mode"] == "stacked")
    viewer.key("F7")
    return viewer, viewer.settled("side by side", lambda now: now["split"]["mode"] == "side by side" and all(
        shown and shown["live"] for shown in snapshots_in(now)))


@check("two snapshots side by side have one scale of bytes, which zooms both; Alt+Y and a button separate the scales")
def one_scale_of_bytes(room):
    viewer, state = two_snapshots(room)
    state = viewer.settled("one scale", one_scale)
    highest = max(shown["peak"]["bytes"] for shown in snapshots_in(state))
    expect(snapshots_in(state)[0]["bytes"][1] >= highest, f"{snapshots_in(state)[0]['bytes']} does not fit {highest}")
    viewer.key("shift+w", "shift+w")
    state = viewer.settled("both are zoomed", lambda now: one_scale(now) and snapshots_in(now)[1]["bytes"][1] < highest)
    viewer.key("F6")
    viewer.key("r")
    viewer.settled("both fit again", lambda now: one_scale(now) and snapshots_in(now)[0]["bytes"][1] >= highest)
    viewer.key("alt+y")
    state = viewer.settled("each its own", lambda now: not now["split"]["bytes_shared"]
                           and snapshots_in(now)[0]["bytes"] != snapshots_in(now)[1]["bytes"])
    expect(not state["split"]["bytes_wanted"], "the link is still wanted")
    viewer.click(*state["split"]["bytes_button"])
    state = viewer.settled("one scale again", one_scale)
    by_name = {shown["file"].rsplit("/", 1)[-1]: shown["snapshot"] for shown in state["split"]["panes"]}
    first, second = by_name["first.pickle"], by_name["second.pickle"]

    def weight_has_one_color(picture):
        # The second one has twenty buffers of 8 MB below the weight, so the weight's stack has another index.
        here = picture.at(snapshot_x(first, 60), snapshot_y(first, 32 * MEGA))
        there = picture.at(snapshot_x(second, 80), snapshot_y(second, 192 * MEGA))
        leak = picture.at(snapshot_x(second, 80), snapshot_y(second, 76 * MEGA))
        return here == there and here != leak
    viewer.picture("the weight has one color in both", weight_has_one_color)


@check("Alt+O toggles the curves and the peak of the other snapshot over the plot")
def overlay(room):
    viewer, state = two_snapshots(room)
    active = [shown["active"] for shown in state["split"]["panes"]].index(True)
    before = snapshots_in(state)[active]
    expect(before["overlay"] is None, f"{before['overlay']} is drawn")
    viewer.key("alt+o")
    state = viewer.settled("the curves are there", lambda now: (snapshots_in(now)[active]["overlay"] or {}).get("highest"))
    drawn = snapshots_in(state)[active]["overlay"]
    other = state["split"]["panes"][1 - active]
    expect(drawn["of"].split(".")[0] in other["file"] and drawn["problem"] == "", f"{drawn} is drawn")
    expect(drawn["highest"] == other["snapshot"]["peak"]["bytes"], f"its peak is {drawn['highest']}")
    expect(snapshots_in(state)[1 - active]["overlay"] is None, "both have one")
    viewer.key("x")
    viewer.settled("along time", lambda now: snapshots_in(now)[active]["axis"] == "time"
                   and snapshots_in(now)[active]["overlay"]["highest"] == drawn["highest"])
    viewer.key("ctrl+7")
    viewer.settled("it tells why not", lambda now: snapshots_in(now)[active]["overlay"]["problem"] != "")
    viewer.key("alt+o")
    viewer.settled("it is gone", lambda now: snapshots_in(now)[active]["overlay"] is None)
