# Covers: segments_page, segment_view, event_list
"""Checks of the UI test: segments and events of a snapshot at the cursor."""

import check_snapshots
from checks import check, expect

MEGA = check_snapshots.MEGA


def start(room):
    viewer, _ = check_snapshots.start(room)
    viewer.key("shift+m")
    return viewer, viewer.settled("segments are shown", lambda now: now["snapshot"]["tab"] == "segments"
                                  and now["snapshot"]["segments"] and now["snapshot"]["segments"]["rows"])["snapshot"]


@check("Shift+M shows the segments at the cursor and follows it; a click on a block selects its allocation")
def segments(room):
    viewer, shown = start(room)
    found = shown["segments"]
    expect((found["segments"], found["reserved"], found["allocated"]) == (1, 64 * MEGA, 64 * MEGA), f"it is {found}")
    viewer.click(check_snapshots.x_of(shown, 300), check_snapshots.y_of(shown, 20 * MEGA))
    viewer.settled("the weight is selected", lambda now: now["snapshot"]["selected"])
    viewer.key("shift+m")
    at = viewer.settled("its block is marked", lambda now: now["snapshot"]["tab"] == "segments" and now["snapshot"]["segments"]
                        and now["snapshot"]["segments"]["selected_at"])["snapshot"]["segments"]["selected_at"]
    viewer.key("Escape")
    viewer.settled("nothing is selected", lambda now: now["snapshot"]["selected"] is None)
    viewer.click(*at)
    state = viewer.settled("the block selects it", lambda now: now["snapshot"]["selected"])
    expect(state["snapshot"]["selected"]["place"] == "train.py:42 weight", f"{state['snapshot']['selected']}")
    expect(state["snapshot"]["tab"] == "segments", f"the tab is {state['snapshot']['tab']}")


@check("the event list finds events; Alt with arrows visits the listed events, ] and [ those of one block")
def events(room):
    viewer, shown = start(room)
    everything = shown["segments"]["listed"]
    viewer.key("shift+e")
    viewer.tool("type", "--delay", "20", "large")
    viewer.settled("four events are listed", lambda now: now["snapshot"]["segments"]["listed"] == 4)
    before = viewer.state()["frame"]
    viewer.key("Return")
    viewer.settled("the field has given the keyboard back", lambda now: now["frame"] > before + 1)
    peak = shown["peak"]["event"]
    viewer.key("alt+Left")
    state = viewer.settled("the cursor is at the one before", lambda now: now["snapshot"]["cursor"] < peak)
    begin = state["snapshot"]["cursor"]
    expect(state["snapshot"]["selected"]["place"] == "train.py:42 large", f"{state['snapshot']['selected']} is selected")
    viewer.key("alt+Right")
    viewer.settled("the cursor is at its free", lambda now: now["snapshot"]["cursor"] > peak)
    viewer.key("bracketleft")
    viewer.settled("the cursor is at its begin", lambda now: now["snapshot"]["cursor"] == begin)
    viewer.key("bracketright")
    viewer.settled("the cursor is at its free again", lambda now: now["snapshot"]["cursor"] > peak)
    viewer.key("shift+e")
    viewer.key("Escape")
    viewer.settled("all are listed", lambda now: now["snapshot"]["segments"]["listed"] == everything)
