# Covers: bookmarks, bookmark_files, bookmark_flags, bookmarks_page
"""Checks of the UI test: bookmarks and their notes."""

import json

import traces
from checks import check, expect
from viewer import lanes, span_ns, x_of

TRACE = "landmarks.pt.trace.json"


def marks(state):
    return state["bookmarks"]["list"]


def select(viewer, name, time_ns, lane):
    state = viewer.state()
    viewer.click(x_of(state, time_ns), lanes(state, "python")[lane]["top"] + 8)
    viewer.wait("the slice is selected", lambda now: now["view"]["selected_name"] == name)


def deselect(viewer):
    viewer.key("Escape")
    return viewer.settled("nothing is selected", lambda now: now["view"]["selected_name"] is None)


def write_note(viewer, note):
    """Types a note into the editor and accepts it."""
    viewer.settled("the note is being edited", lambda now: now["bookmarks"]["editing"])
    viewer.tool("type", "--delay", "20", note)
    viewer.key("Return")
    return viewer.settled("the note is kept", lambda now: not now["bookmarks"]["editing"]
                          and any(mark["text"] == note for mark in marks(now)))


def bookmark_addmm(viewer, note):
    select(viewer, "aten::addmm", 6.8 * traces.SECOND, 1)
    viewer.key("m")
    return write_note(viewer, note)


def notes_file(room):
    return next((room.folder / "viewer" / "data" / "kinetoscope" / "bookmarks").glob("*.json"))


@check("M bookmarks the selected slice with a note and a color, and a restart restores the bookmark")
def bookmark_slice(room):
    viewer = room.landmarks()
    before = viewer.resting_picture()
    select(viewer, "aten::addmm", 6.8 * traces.SECOND, 1)
    viewer.key("m")
    viewer.settled("the note is being edited", lambda now: now["bookmarks"]["editing"])
    viewer.key("ctrl+5")
    viewer.settled("it has the fifth color", lambda now: marks(now)[0]["color"] == 4)
    state = write_note(viewer, "why so slow?")
    expect(state["theme"] == "dark", "a letter of the note is a command")
    mark = marks(state)[0]
    expect((mark["number"], mark["slice"], mark["match"]) == (1, "aten::addmm", "exact"), f"it is {mark}")
    deselect(viewer)
    viewer.key("q")
    viewer.settled("the drawer is closed", lambda now: not now["view"]["drawer"])
    viewer.point(2, viewer.display.HEIGHT - 2)
    viewer.picture("a flag and a line are drawn", lambda picture: picture.changed(before) > 500)
    expect(viewer.quit() == 0, "quitting is an error")
    again = room.landmarks()
    state = again.settled("the bookmark is found", lambda now: marks(now) and marks(now)[0]["match"] == "exact")
    expect(marks(state) == [mark], f"it was {mark} and is {marks(state)}")
    expect(again.errors() == "", f"there are errors: {again.errors()}")


@check("Esc keeps a bookmark without a note; M on the same slice edits it instead of adding another")
def bookmark_edit(room):
    viewer = room.landmarks()
    select(viewer, "aten::addmm", 6.8 * traces.SECOND, 1)
    viewer.key("m")
    viewer.settled("the note is being edited", lambda now: now["bookmarks"]["editing"])
    viewer.tool("type", "--delay", "20", "nothing")
    viewer.key("Escape")
    state = viewer.settled("the editor is closed", lambda now: not now["bookmarks"]["editing"])
    expect([mark["text"] for mark in marks(state)] == [""], f"the bookmarks are {marks(state)}")
    expect(state["view"]["selected_name"] == "aten::addmm", "Esc in the editor lets the selection go, too")
    viewer.key("m")
    state = write_note(viewer, "a note after all")
    expect(len(marks(state)) == 1, f"the bookmarks are {marks(state)}")


@check("M without a selection bookmarks the time under the mouse, or the marked range")
def bookmark_time_and_range(room):
    viewer = room.landmarks()
    state = viewer.state()
    area = state["view"]["area"]
    x = round(x_of(state, 4.5 * traces.SECOND))
    viewer.point(x, area[1] + area[3] - 40)
    viewer.key("m")
    state = write_note(viewer, "here")
    mark = marks(state)[0]
    expect(mark["begin_ns"] == mark["end_ns"] and mark["slice"] is None, f"it is no point in time: {mark}")
    expect(abs(x_of(state, mark["begin_ns"]) - x) <= 1, f"it is at x {x_of(state, mark['begin_ns']):.1f}, not {x}")
    # On the ruler, which is directly above the tracks, since there is no row of steps.
    ruler, begin, end = area[1] - 8, x_of(state, 7.2 * traces.SECOND), x_of(state, 8.6 * traces.SECOND)
    viewer.point(begin, ruler)
    viewer.tool("mousedown", 1)
    viewer.point((begin + end) / 2, ruler)
    viewer.point(end, ruler)
    viewer.tool("mouseup", 1)
    viewer.settled("the range's tab is open", lambda now: now["view"]["tab"] == "range")
    viewer.key("m")
    mark = marks(write_note(viewer, "idle"))[1]
    expect(abs(mark["end_ns"] - mark["begin_ns"] - 1.4e9) < 5e7, f"the range is {mark}")


@check("Shift+M lists the bookmarks; Alt with a digit, comma or dot jumps to one")
def bookmark_jump(room):
    viewer = room.landmarks()
    bookmark_addmm(viewer, "slow")
    select(viewer, "aten::mm", 3.5 * traces.SECOND, 1)
    viewer.key("m")
    write_note(viewer, "fast")
    deselect(viewer)
    viewer.key("shift+m")
    state = viewer.settled("the list is open", lambda now: now["view"]["drawer"] and now["view"]["tab"] == "bookmarks")
    wide = span_ns(state)
    viewer.point(x_of(state, 0.5 * traces.SECOND), state["view"]["area"][1] + 60)
    viewer.hold("w", "the span has shrunk", lambda now: span_ns(now) < wide / 8)
    for keys, name, time_ns in (("alt+1", "aten::addmm", 6e9), ("comma", "aten::mm", 3.5e9),
                                ("period", "aten::addmm", 6e9), ("alt+2", "aten::mm", 3.5e9)):
        viewer.key(keys)
        state = viewer.settled(f"{keys} selects {name}", lambda now: now["view"]["selected_name"] == name)
        expect(state["view"]["from_ns"] < time_ns < state["view"]["to_ns"], f"{keys} does not show the slice")
    expect(state["view"]["tab"] == "bookmarks", "the list is gone")


@check("the table of bookmarks can be sorted and filtered, its rows jump to slices, and notes are edited in it")
def bookmark_list(room):
    viewer = room.landmarks()
    bookmark_addmm(viewer, "slow")
    select(viewer, "aten::mm", 3.5 * traces.SECOND, 1)
    viewer.key("m")
    write_note(viewer, "fast")
    deselect(viewer)
    viewer.key("shift+m")
    shown = viewer.settled("both are listed", lambda now: now["bookmark_table"]["names"] == ["1", "2"])["bookmark_table"]
    viewer.click(*shown["headers"]["note"])
    viewer.settled("notes come in order", lambda now: now["bookmark_table"]["names"] == ["2", "1"])
    viewer.click(*shown["controls"]["filter"])
    viewer.tool("type", "--delay", "20", "slow")
    viewer.settled("one has that note", lambda now: now["bookmark_table"]["names"] == ["1"])
    viewer.click(*shown["first_row"])
    viewer.settled("its slice is selected", lambda now: now["view"]["selected_name"] == "aten::addmm")
    viewer.click(shown["headers"]["note"][0], shown["first_row"][1])
    viewer.key("ctrl+a")
    viewer.tool("type", "--delay", "20", "slowest")
    viewer.key("Return")
    state = viewer.settled("the note is another one", lambda now: "slowest" in [mark["text"] for mark in marks(now)])
    expect([mark["text"] for mark in marks(state)] == ["slowest", "fast"], f"they are {marks(state)}")


@check("Ctrl+Z restores a deleted bookmark with its number and note")
def bookmark_delete(room):
    viewer = room.landmarks()
    before = marks(bookmark_addmm(viewer, "slow"))
    viewer.key("Delete")
    viewer.settled("it is deleted", lambda now: marks(now) == [])
    viewer.key("ctrl+z")
    state = viewer.settled("it is back", lambda now: marks(now) and marks(now)[0]["match"] == "exact")
    expect(marks(state) == before, f"it was {before} and is {marks(state)}")
    kept = json.loads(notes_file(room).read_text(encoding="utf-8"))
    expect([mark["text"] for mark in kept["bookmarks"]] == ["slow"], f"kept is {kept}")


@check("the right button sets a bookmark on the ruler, and its flag takes clicks")
def bookmark_mouse(room):
    viewer = room.landmarks()
    state = viewer.state()
    x, ruler = round(x_of(state, 4.5 * traces.SECOND)), state["view"]["area"][1] - 22
    viewer.click(x, ruler, button=3)
    state = write_note(viewer, "by mouse")
    expect(abs(x_of(state, marks(state)[0]["begin_ns"]) - x) <= 1, f"it is {marks(state)}")
    wide = viewer.state()
    viewer.point(x + 60, ruler + 100)
    near = viewer.hold("w", "the span has shrunk to a half", lambda now: span_ns(now) < span_ns(wide) / 2)
    viewer.click(x_of(near, marks(near)[0]["begin_ns"]) + 4, ruler)
    state = viewer.settled("the view is around it", lambda now: abs(
        now["view"]["from_ns"] + span_ns(now) / 2 - marks(now)[0]["begin_ns"]) < span_ns(now) / 100)
    expect(len(marks(state)) == 1, "the click on the flag sets another one")


@check("unreadable bookmarks are reported and kept in another file")
def bookmark_corrupt(room):
    viewer = room.landmarks()
    bookmark_addmm(viewer, "slow")
    expect(viewer.quit() == 0, "quitting is an error")
    file = notes_file(room)
    file.write_text("{\"version\": 1, \"bookmarks\": [", encoding="utf-8")
    viewer = room.landmarks()
    state = viewer.settled("the trace is shown", lambda now: now["bookmarks"] and now["bookmarks"]["message"])
    expect(".bad" in state["bookmarks"]["message"], f"it says {state['bookmarks']['message']}")
    expect(marks(state) == [], f"there are {marks(state)}")
    expect(file.with_name(file.name + ".bad").exists(), "the damaged file is gone")


@check("another recording at the same path keeps the bookmarks and reports that their slice is missing")
def bookmark_other_file(room):
    viewer = room.landmarks()
    bookmark_addmm(viewer, "slow")
    expect(viewer.quit() == 0, "quitting is an error")
    traces.busy(room.folder / TRACE, 50)
    viewer = room.start(room.folder / TRACE)
    state = viewer.settled("the bookmark is looked for", lambda now: now["bookmarks"] and marks(now)
                           and marks(now)[0]["match"] == "lost")
    expect(marks(state)[0]["text"] == "slow" and not marks(state)[0]["inside"], f"it is {marks(state)}")


@check("a note is saved at the chosen path, and another window can import it")
def bookmark_export(room):
    viewer = room.landmarks()
    bookmark_addmm(viewer, "slow")
    viewer.key("ctrl+m")
    exported = viewer.save("shared.json")
    state = viewer.settled("it is saved", lambda now: "Saved" in now["told"])
    expect(exported == room.folder / "shared.json" and exported.exists() and str(exported) in state["told"],
           f"it says {state['told']}")
    expect(not list(room.folder.glob("*.note*")), "something is written beside the trace unasked")
    expect(viewer.quit() == 0, "quitting is an error")
    notes_file(room).unlink()
    programs = room.folder / "bin"
    programs.mkdir()
    (programs / "zenity").write_text(f"#!/bin/sh\necho '{exported}'\n")
    (programs / "zenity").chmod(0o755)
    viewer = room.landmarks(path=programs)
    expect(marks(viewer.state()) == [], "the bookmark is there without its file")
    viewer.key("ctrl+shift+m")
    state = viewer.settled("it is imported", lambda now: marks(now) and marks(now)[0]["match"] == "exact")
    expect(marks(state)[0]["text"] == "slow" and len(state["documents"]) == 1, f"it is {state['bookmarks']}")
