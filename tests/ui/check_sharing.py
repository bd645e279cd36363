# Covers: timeline_sharing, timeline_svg, moment_link, note, capsule_export, text_export
"""Checks of the UI test: pictures, links, notes, traces and capsules to share a timeline."""

import gzip
import json
import xml.dom.minidom

import traces
from checks import check, expect
from viewer import lanes, span_ns, x_of

TRACE = "landmarks.pt.trace.json"


def select_addmm(viewer):
    state = viewer.state()
    viewer.click(x_of(state, 6.8 * traces.SECOND), lanes(state, "python")[1]["top"] + 8)
    return viewer.settled("the slice is selected", lambda now: now["view"]["selected_name"] == "aten::addmm")


def zoom_in(viewer):
    whole = span_ns(viewer.state())
    viewer.key("f")
    return viewer.settled("it is in view", lambda now: span_ns(now) < whole / 2)


def clipboard(viewer, text=None):
    return viewer.clipboard()


@check("Ctrl+S saves a picture of the timeline at the chosen path, Ctrl+Shift+S a drawing with its names")
def timeline_pictures(room):
    viewer = room.landmarks()
    viewer.key("ctrl+s")
    picture = viewer.save("picture.png")
    viewer.settled("the picture is saved", lambda now: str(picture) in now["told"])
    expect(picture.read_bytes()[:4] == b"\x89PNG", "it is no PNG")
    viewer.key("ctrl+shift+s")
    drawing = viewer.save("drawing.svg")
    viewer.settled("the drawing is saved", lambda now: str(drawing) in now["told"])
    text = drawing.read_text()
    xml.dom.minidom.parseString(text)
    for name in ("aten::addmm", "gemm_kernel", "stream 7"):
        expect(name in text, f"the drawing has no {name}")
    viewer.key("ctrl+s")
    state = viewer.settled("it asks", lambda now: now["browser"] and now["browser"]["name"])
    viewer.key("Escape")
    viewer.settled("it is not asked any more", lambda now: now["browser"] is None)
    expect(not (room.folder / state["browser"]["name"]).exists(), "a cancelled picture is written")


@check("an existing file is replaced only after a confirmation")
def replacing(room):
    viewer = room.landmarks()
    (room.folder / "there.svg").write_text("before")
    viewer.key("ctrl+shift+s")
    target = viewer.save("there.svg")
    viewer.settled("it asks again", lambda now: now["browser"] and now["browser"]["confirms"])
    expect(target.read_text() == "before", "it is replaced unasked")
    viewer.key("Return")
    viewer.settled("it is saved", lambda now: str(target) in now["told"])
    expect(target.read_text().startswith("<svg"), "it is not replaced")


@check("a copied link shows its moment when pasted into a window or given on the command line")
def links(room):
    viewer = room.landmarks()
    select_addmm(viewer)
    there = zoom_in(viewer)
    viewer.key("ctrl+shift+l")
    viewer.settled("it says so", lambda now: "clipboard" in now["told"])
    link = clipboard(viewer)
    expect(str(room.folder) in link and "slice=" in link, f"the link is {link}")
    viewer.key("Escape")
    viewer.key("r")
    viewer.settled("all is in view", lambda now: span_ns(now) > 2 * span_ns(there))
    viewer.key("ctrl+v")

    def shows(now):
        return (now["view"]["selected_name"] == "aten::addmm"
                and abs(span_ns(now) - span_ns(there)) <= span_ns(there) * 0.01)

    viewer.settled("the moment is back", shows)
    expect(viewer.quit() == 0, "quitting is an error")
    viewer = room.start(link)
    viewer.ready()
    viewer.settled("the moment is shown at once", shows)


@check("a dropped note opens its trace and restores view, selection, pins, saved ranges and search")
def notes(room):
    viewer = room.landmarks()
    select_addmm(viewer)
    there = zoom_in(viewer)
    viewer.key("k")
    viewer.settled("its track is pinned", lambda now: now["view"]["pinned"]["height"] > 0)
    viewer.key("m")
    viewer.settled("the bookmark is being edited", lambda now: now["bookmarks"]["editing"])
    viewer.key("Return")
    viewer.settled("it is kept", lambda now: len(now["bookmarks"]["list"]) == 1)
    viewer.key("alt+a")
    viewer.settled("the slice is kept", lambda now: len(now["compare"]["parts"]) == 1)
    viewer.key("ctrl+m")
    note = viewer.save("shown.json")
    viewer.settled("the note is saved", lambda now: str(note) in now["told"])
    read = json.loads(note.read_text())
    expect(read["path"].endswith(TRACE) and len(read["bookmarks"]) == 1 and read["tracks"], f"the note is {read}")
    expect(read["ranges"][0]["name"] == "aten::addmm", f"the note is {read}")
    expect(viewer.quit() == 0, "quitting is an error")
    for kept in (room.folder / "state").rglob("*.json"):
        if kept.parent.name == "tracks":
            kept.unlink()
    for kept in (room.folder / "data").rglob("*.json"):
        kept.unlink()
    viewer = room.start()
    viewer.settled("it runs")
    viewer.drop(note)
    viewer.settled("all of it is back", lambda now: now["view"] and now["view"]["selected_name"] == "aten::addmm"
                   and abs(span_ns(now) - span_ns(there)) <= span_ns(there) * 0.01
                   and now["view"]["pinned"]["height"] > 0
                   and len(now["bookmarks"]["list"]) == 1
                   and [part["name"] for part in now["compare"]["parts"]] == ["aten::addmm"])


@check("the marked range is saved as a separate trace")
def trimmed(room):
    viewer = room.landmarks()
    viewer.key("ctrl+t")
    viewer.settled("it says that no range is marked", lambda now: "No range" in now["told"])
    state = select_addmm(viewer)
    y = state["view"]["area"][1] - 8
    viewer.point(x_of(state, 6.5 * traces.SECOND), y)
    viewer.tool("mousedown", 1)
    viewer.point(x_of(state, 6.8 * traces.SECOND), y)
    viewer.point(x_of(state, 7 * traces.SECOND), y)
    viewer.tool("mouseup", 1)
    viewer.settled("a range is marked", lambda now: now["view"]["marked"])
    viewer.key("ctrl+t")
    part = viewer.save("part.json.gz")
    viewer.settled("it is saved", lambda now: str(part) in now["told"])
    events = json.loads(gzip.decompress(part.read_bytes()))["traceEvents"]
    names = {event.get("name") for event in events}
    expect("aten::addmm" in names and "process_name" in names, f"the part has {names}")


@check("Ctrl+Shift+K packs the trace into a capsule at the chosen path, which opens like the trace")
def packs_trace(room):
    viewer = room.landmarks()
    before = viewer.state()["view"]["tracks"]
    viewer.key("ctrl+shift+k")
    capsule = viewer.save("landmarks.kino")
    state = viewer.settled("it is packed", lambda now: str(capsule) in now["told"])
    expect("Capsule saved" in state["told"], f"the window says {state['told']}")
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")
    viewer.quit()
    other = room.start(capsule)
    other.ready()
    expect(other.state()["view"]["tracks"] == before, f"it shows {other.state()['view']['tracks']} and not {before}")
