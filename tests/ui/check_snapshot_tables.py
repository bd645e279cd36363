# Covers: snapshot_tables_page, live_page, other_snapshot, snapshot_finder, categories_page,
#   categories_page
"""Checks of the UI test: search, tables and categories of allocator snapshots."""

import json
import subprocess

from check_language import choose
from check_snapshots import MEGA, STEPS, entry, frames, recording, start, write
from checks import check, expect


def snapshot(state):
    return state["snapshot"]


def table(viewer, what, holds):
    return snapshot(viewer.settled(what, lambda now: now["snapshot"] and holds(now["snapshot"]["tables"])))["tables"]


@check("Shift+T shows a snapshot's tables: live by stack, then with Ctrl+Down growth, segments, allocations, events")
def snapshot_tables(room):
    viewer, _ = start(room)
    viewer.key("shift+t")
    shown = table(viewer, "live memory is listed", lambda it: it["kind"] == "live" and it["rows"] == 3)
    expect(shown["names"] == ["train.py:42 large", "train.py:42 weight", "train.py:42 buffer"], f"it lists {shown['names']}")
    viewer.key("ctrl+Down")
    table(viewer, "growth is listed", lambda it: it["kind"] == "growth" and it["rows"] > 0)
    viewer.key("ctrl+Down", "ctrl+Down")
    shown = table(viewer, "allocations are listed", lambda it: it["kind"] == "allocations" and it["rows"] > 0)
    expect(shown["rows"] == STEPS + 2, f"there are {shown['rows']} allocations")
    viewer.click(*shown["first_row"])
    state = viewer.settled("the first one is selected", lambda now: now["snapshot"]["selected"])
    expect(snapshot(state)["selected"]["address"] == "0x10000000", f"{snapshot(state)['selected']} is selected")
    viewer.key("ctrl+Down")
    shown = table(viewer, "events are listed", lambda it: it["kind"] == "events" and it["rows"] > 0)
    expect(shown["names"][0] == "alloc", f"it lists {shown['names']}")
    viewer.click(*shown["controls"]["filter"])
    viewer.tool("type", "--delay", "20", "oom")
    shown = table(viewer, "only the error is listed", lambda it: it["rows"] == 1)
    viewer.click(*shown["controls"]["export"])
    shown = table(viewer, "the menu is open", lambda it: "save_csv" in it["controls"])
    viewer.click(*shown["controls"]["save_csv"])
    viewer.save()
    table(viewer, "it is saved", lambda it: it["message"].endswith(".events.csv"))
    lines = (room.folder / "memory.pickle.events.csv").read_text().splitlines()
    expect(len(lines) == 2 and lines[1].startswith('"oom"'), f"it says {lines}")


def two_recordings(room):
    """Writes two snapshots. The second one has no error, and an additional stack that remains live."""
    start_us = recording()[0]["time_us"]
    leak = [entry("alloc", 0x70000000 + i * 16 * MEGA, 8 * MEGA, start_us, frames("leak")) for i in range(20)]
    return (write(room.folder / "first.pickle", [recording()]),
            write(room.folder / "second.pickle", [leak + recording(oom=False)]))


def compared(room, there, here, at):
    command = [room.arguments.kinetoscope, "table", "compare", there, here, "--at", at, "--format", "csv"]
    return subprocess.run(command, check=True, capture_output=True, timeout=60).stdout


def saved_comparison(viewer, room):
    shown = table(viewer, "it is computed", lambda it: it["kind"] == "compare" and it["rows"] > 0)
    viewer.click(*shown["controls"]["export"])
    shown = table(viewer, "the menu is open", lambda it: "save_csv" in it["controls"])
    viewer.click(*shown["controls"]["save_csv"])
    viewer.save()
    path = room.folder / "first.pickle.compare.csv"
    viewer.settled("it is saved", lambda now: path.exists())
    content = path.read_bytes()
    path.unlink()
    return content


@check("two open snapshots are compared by stack like `table compare`; a row is highlighted in both")
def snapshot_comparison(room):
    first, second = two_recordings(room)
    viewer = room.start(first, second)
    viewer.ready(2)
    viewer.key("shift+t", "ctrl+Up")
    shown = table(viewer, "they are compared", lambda it: it["kind"] == "compare" and it["rows"] == 4)
    expect(shown["names"][0] == "train.py:42 leak", f"it lists {shown['names']}")
    state = viewer.settled()
    expect(state["snapshot"]["compared_with"] == "second", f"it is {state['snapshot']['compared_with']}")
    expect(saved_comparison(viewer, room) == compared(room, second, first, "peak"), "the peaks are others than the command's")
    for side in ("here", "there"):
        shown = table(viewer, "the choice is there", lambda it: side in it["controls"])
        viewer.click(*shown["controls"][side])
        viewer.point(*(at + 1 for at in shown["controls"][side]))  # a list is positioned in the frames after its first one
        shown = table(viewer, "moments to choose from", lambda it: f"{side} 1" in it["controls"]
                      and abs(it["controls"][f"{side} 1"][0] - it["controls"][side][0]) < 40)
        viewer.click(*shown["controls"][f"{side} 1"])
        table(viewer, "the list is closed", lambda it: f"{side} 1" not in it["controls"])
    table(viewer, "the ends are compared", lambda it: it["rows"] == 2)
    expect(saved_comparison(viewer, room) == compared(room, second, first, "end"), "the ends are others than the command's")
    viewer.key("F7", "F7")  # side by side: a stacked pane has little room for rows
    viewer.settled("two panes", lambda now: len(now["split"]["panes"]) == 2 and now["split"]["mode"] == "side by side")
    table(viewer, "the first row is in sight", lambda it: it["first_row"][1] > 0 and it["rows"] == 2)
    viewer.settled()  # the panes get their final heights after the first frame
    shown = table(viewer, "the first row is in place", lambda it: it["first_row"][1] > 0 and it["rows"] == 2)
    viewer.click(*shown["first_row"])
    viewer.settled("nothing of that stack is here", lambda now: now["snapshot"]["selected"] is None)
    viewer.key("ctrl+Tab")
    state = viewer.settled("it is selected there", lambda now: now["snapshot"]["selected"])
    expect(snapshot(state)["selected"]["place"] == "train.py:42 leak", f"{snapshot(state)['selected']} is selected")
    viewer.key("ctrl+w")
    viewer.settled("it is closed", lambda now: len(now["documents"]) == 1)
    shown = table(viewer, "the one that is left says how to get another", lambda it: "another snapshot" in it["problem"])
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("/ finds allocations by size and frame; N jumps to the next one, Shift+O lists them, Esc ends it")
def snapshot_search(room):
    viewer, _ = start(room)
    viewer.tool("type", "--delay", "0", "/large >100MB")  # letters typed before the box has the focus also belong to it
    viewer.wait("it is typed", lambda now: now["box"].get("text") == "large >100MB")
    viewer.key("Return")
    state = viewer.settled("one is found", lambda now: now["snapshot"]["find"].get("allocations") == 1)
    expect(snapshot(state)["find"]["bytes"] == 256 * MEGA, f"it is {snapshot(state)['find']}")
    left, top, width, _ = snapshot(state)["area"]
    viewer.click(left + width * 0.9, top - 10)  # focuses the plot
    viewer.settled("the cursor is there", lambda now: now["snapshot"]["cursor"] > 500)
    viewer.key("n")
    state = viewer.settled("it is selected", lambda now: now["snapshot"]["selected"])
    expect(snapshot(state)["selected"]["size"] == 256 * MEGA, f"{snapshot(state)['selected']} is selected")
    viewer.key("shift+o")
    table(viewer, "it is listed", lambda it: it["kind"] == "allocations" and it["rows"] == 1)
    viewer.take_from_box("large >nonsense")
    viewer.settled("it says why", lambda now: "not a valid number" in now["snapshot"]["find"].get("problem", ""))
    viewer.key("Escape", "Escape")  # the first one clears the selection
    viewer.settled("the search is over", lambda now: not now["snapshot"]["find"]["open"])
    table(viewer, "all are listed", lambda it: it["rows"] == STEPS + 2)
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("C colors bands by category; the rules are listed, and are read from categories.json if it exists")
def snapshot_categories(room):
    viewer, _ = start(room)
    viewer.key("c", "shift+c")
    state = viewer.settled("categories are summed up", lambda now: now["snapshot"]["coloring"] == "category"
                           and now["snapshot"]["categories"] and now["snapshot"]["legend"])
    sums = snapshot(state)["categories"]
    expect(sum(sums.values()) == 352 * MEGA, f"they are {sums}")
    expect(set(sums) <= set(snapshot(state)["legend"]), f"the legend is {snapshot(state)['legend']}")
    folder = viewer.folder / "config" / "kinetoscope"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "categories.json").write_text(json.dumps([{"category": "Mine", "find": "large"}]))
    viewer.key("F5")
    state = viewer.settled("the person's rules count", lambda now: now["snapshot"] and "Mine" in now["snapshot"]["categories"])
    expect(snapshot(state)["categories"] == {"Mine": 256 * MEGA, "Other": 96 * MEGA}, f"they are {snapshot(state)['categories']}")
    viewer.key("c")
    viewer.settled("the legend has them", lambda now: "Mine" in now["snapshot"]["legend"])
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("Ctrl+S saves the plot as PNG at the chosen path, Ctrl+Shift+S as SVG; both report the path")
def snapshot_pictures(room):
    viewer, _ = start(room)
    viewer.key("ctrl+s")
    viewer.save()
    viewer.settled("the picture is saved", lambda now: now["snapshot"]["picture"].endswith(".memory.png"))
    expect((room.folder / "memory.pickle.memory.png").read_bytes()[:4] == b"\x89PNG", "it is no PNG")
    viewer.key("ctrl+shift+s")
    viewer.save()
    viewer.settled("the drawing is saved", lambda now: now["snapshot"]["picture"].endswith(".memory.svg"))
    drawing = (room.folder / "memory.pickle.memory.svg").read_text()
    expect(drawing.startswith("<svg") and drawing.rstrip().endswith("</svg>"), "it is no SVG")
    expect("369 MB" in drawing and drawing.count("<path stroke=\"none\" fill=") >= 3, "it has no peak or bands")


@check("bytes change between GB and GiB in the window and its tables at once, and a restart restores the choice")
def units_of_bytes(room):
    viewer, _ = start(room)
    viewer.key("shift+t")
    shown = table(viewer, "live memory is listed", lambda it: it["kind"] == "live" and it["rows"] == 3)
    expect("369 MB" in shown["notes"], f"its notes are {shown['notes']}")
    choose(viewer, "bytes in gib")
    table(viewer, "the table has the new units", lambda it: "352 MiB" in it["notes"])
    expect(viewer.state()["units"] == "GiB", f"the units are {viewer.state()['units']}")
    expect(viewer.quit() == 0, "it does not end well")
    viewer = room.landmarks()
    expect(viewer.state()["units"] == "GiB", f"after the restart they are {viewer.state()['units']}")
    choose(viewer, "bytes in gb")
    viewer.settled("they are as before", lambda state: state["units"] == "GB")
