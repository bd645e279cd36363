# Covers: hover_card, slice_labels, event_page, search_bar, track_layout
"""Checks of the UI test: hostile files that try to break the display."""

import traces
from checks import check, expect
from viewer import x_of

BAD = "%s%n##x###y\x1b[31m"
LONG = BAD + "A" * 1_000_000
SECOND = traces.SECOND


def hostile(path):
    """Writes a slice of ten seconds with a nested one, a kernel, an instant and a counter. Their names have a megabyte."""
    arguments = {LONG: LONG, BAD: [LONG, {LONG: 1}]}
    events = [traces.slice_event(BAD, 0, traces.LENGTH_NS, **arguments),
              traces.slice_event(LONG, SECOND, 8 * SECOND, category=LONG, **arguments),
              traces.kernel("k" + LONG, SECOND, 8 * SECOND, correlation=1),
              {"ph": "i", "s": "t", "name": LONG, "pid": traces.PID, "tid": traces.THREAD, "ts": 5},
              {"ph": "C", "name": LONG, "pid": traces.PID, "ts": 5, "args": {BAD: 5}},
              traces.metadata("process_name", traces.PID, name=LONG),
              traces.metadata("process_labels", traces.PID, labels=LONG),
              traces.metadata("thread_name", traces.PID, traces.THREAD, name=LONG)]
    return traces.write(path, events)


def places(state):
    """Returns a point on each visible lane of slices."""
    return [(x_of(state, 5 * SECOND), lane["top"] + 8) for lane in state["view"]["lanes"] if lane["row"] is not None]


@check("slices with names and arguments of a megabyte, %, ## and escapes can be hovered, selected, searched and bookmarked")
def hostile_names(room):
    viewer = room.start(hostile(room.folder / "hostile.pt.trace.json"))
    state = viewer.ready()
    expect(len(places(state)) == 3, f"{len(places(state))} lanes of slices")
    seen = set()
    for x, y in places(state):
        viewer.point(x, y)
        now = viewer.settled("another slice is hovered",
                             lambda now: (now["view"]["hovered_name"] or "")[:20] not in {"", *seen})
        name = now["view"]["hovered_name"][:20]
        seen.add(name)
        viewer.click(x, y)
        viewer.settled("it is selected", lambda now: (now["view"]["selected_name"] or "")[:20] == name)
        viewer.point(x + 5, y)
        viewer.rest()
    expect(seen == {BAD, LONG[:20], ("k" + LONG)[:20]}, f"seen: {seen}")
    for header in state["view"]["headers"]:
        viewer.point(60, header["top"] + 10)
        viewer.rest()
    viewer.key("m")
    viewer.settled("the note is being edited", lambda now: now["bookmarks"]["editing"])
    viewer.tool("type", "--delay", "20", "%n##note")
    viewer.key("Return")
    viewer.settled("the note is kept", lambda now: [mark["text"] for mark in now["bookmarks"]["list"]] == ["%n##note"])
    viewer.take_from_box("##x###y")
    found = viewer.settled("it is searched for", lambda now: now["search"]["query"] == "##x###y" and now["search"]["hits"])
    expect(found["search"]["hits"] >= 3, f"{found['search']['hits']} hits")
    viewer.key("Return")
    viewer.rest()
    expect(viewer.quit() == 0, "it does not end well")


@check("a trace with tens of thousands of tracks opens folded, and a group opens")
def many_tracks(room):
    events = [traces.slice_event("work", tid * 1000, 100_000_000, tid, tid % 20 + 1) for tid in range(1, 30_001)]
    viewer = room.start(traces.write(room.folder / "tracks.pt.trace.json", events))
    state = viewer.ready()
    expect(not [lane for lane in state["view"]["lanes"] if lane["row"] is not None], "tracks are shown")
    viewer.click(40, state["view"]["headers"][0]["top"] + 10)
    viewer.settled("tracks are shown", lambda now: [lane for lane in now["view"]["lanes"] if lane["row"] is not None])
