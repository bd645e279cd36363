# Covers: view_bar, verdict_strip, trace_verdict, timeline_views, drawer, drawer_choice, page_view
"""Checks of the UI test: the bar with the views of a document, and the verdict above a timeline."""

import traces
from checks import check, expect

LOADS_NS = [300_000_000, 100_000_000, 200_000_000]


def click(viewer, place):
    """Hovers first, since buttons require it."""
    viewer.point(*place)
    viewer.rest()
    viewer.tool("click", 1)


def opened(room, *options):
    viewer = room.start(traces.loader_steps(room.folder / "steps.json", LOADS_NS), options=options)
    viewer.ready()
    return viewer, viewer.settled("the verdict is there", lambda now: now["verdict"]["findings"])


@check("a trace opens with its verdict, whose button and ] show the worst example of the first finding")
def verdict(room):
    viewer, state = opened(room)
    expect("data load" in state["verdict"]["text"], f"the verdict is {state['verdict']['text']}")
    expect(not state["view"]["drawer"] and state["view"]["marked"] is None, "something is selected already")
    click(viewer, state["verdict"]["worst"])
    state = viewer.settled("an example is shown", lambda now: now["view"]["marked"] and now["tables"]["examples"])
    length = state["view"]["marked"][1] - state["view"]["marked"][0]
    expect(length == max(LOADS_NS), f"the example takes {length} ns")
    viewer.key("Escape", "Escape")
    viewer.settled("nothing is marked", lambda now: now["view"]["marked"] is None)


@check("] shows the worst example of a trace that was just opened")
def next_example(room):
    viewer, _ = opened(room)
    viewer.key("bracketright")
    state = viewer.settled("an example is shown", lambda now: now["view"]["marked"])
    length = state["view"]["marked"][1] - state["view"]["marked"][0]
    expect(length == max(LOADS_NS), f"the example takes {length} ns")


@check("views are shown by a click, by Ctrl+Shift and their number, and by ` for the previous one; Esc returns to the tracks")
def views(room):
    viewer, state = opened(room)
    views = state["views"]
    expect(list(views)[:5] == ["main", "summary", "tables", "layers", "ledger"], f"the views are {list(views)}")
    click(viewer, views["summary"])
    viewer.settled("the summary fills the window", lambda now: now["view"]["full"] and now["view"]["tab"] == "summary")
    viewer.key("ctrl+shift+3")
    viewer.settled("a table fills the window", lambda now: now["view"]["full"] and now["tables"]["kind"] == "kernels")
    viewer.key("grave")
    viewer.settled("the summary is shown again", lambda now: now["view"]["full"] and now["view"]["tab"] == "summary")
    viewer.key("Escape")
    state = viewer.settled("the tracks are shown", lambda now: not now["view"]["full"])
    expect(not state["view"]["drawer"], "the drawer remained open")
    click(viewer, state["views"]["ledger"])
    viewer.settled("the ledger is shown", lambda now: now["ledger"] and now["ledger"]["computed"])
    viewer.key("ctrl+shift+1")
    viewer.settled("the tracks are shown", lambda now: now["view"] is not None and not now["view"]["full"])
    click(viewer, viewer.state()["views"]["memory"])
    state = viewer.rest()
    expect(state["view"] is not None, "a view without data was shown")


@check("a click on a tab opens the closed drawer, whose buttons let it fill the window and close it")
def tabs(room):
    viewer, state = opened(room)
    place = state["drawer_tabs"]["bookmarks"]
    click(viewer, place)
    viewer.settled("the bookmarks are shown", lambda now: now["view"]["drawer"] and now["view"]["tab"] == "bookmarks")
    viewer.key("q")
    state = viewer.settled("the drawer is closed", lambda now: not now["view"]["drawer"])
    expect(state["drawer_tabs"]["bookmarks"][1] == place[1], "the tabs moved")


@check("the verdict in one line is remembered")
def small_verdict(room):
    viewer, state = opened(room)
    top = state["view"]["area"][1]
    click(viewer, state["verdict"]["resize"])
    state = viewer.settled("the verdict is smaller", lambda now: now["view"]["area"][1] < top)
    viewer.quit()
    viewer, again = opened(room)
    expect(again["view"]["area"][1] == state["view"]["area"][1], "the verdict is large again")
