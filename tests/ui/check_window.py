# Covers: window, session, overlays, theme, frame_report, file_dialog, program_dialog, load_job,
#   document
"""Checks of the window: sheets and themes, tabs, drops and dialogs, errors, and real traces."""

import time

import traces
from check_timeline import kernels_are_in_place, point_at_addmm
from checks import check, expect
from viewer import Viewer, span_ns, wait_until


# ---- The window ----

@check("? opens and closes the help sheet over the timeline, and Esc closes it")
def help_sheet(room):
    viewer = room.landmarks()
    before = viewer.resting_picture()
    viewer.key("question")
    viewer.wait("help is open", lambda state: state["help"])
    viewer.picture("the sheet is drawn", lambda picture: picture.changed(before) > 50_000)
    viewer.key("question")
    viewer.wait("help is closed", lambda state: not state["help"])
    viewer.picture("the timeline is back", lambda picture: picture.changed(before) == 0)
    viewer.key("F1")
    viewer.wait("help is open", lambda state: state["help"])
    viewer.key("Escape")
    viewer.wait("help is closed", lambda state: not state["help"])


@check("T changes between a dark and a light theme, and a restart restores it")
def theme(room):
    viewer = room.landmarks()
    expect(viewer.state()["theme"] == "dark", "the first theme is not dark")
    left, top, width, height = viewer.state()["view"]["area"]
    part = (left, top + height / 2, width, 200)
    dark = viewer.resting_picture().brightness(*part)
    viewer.key("t")
    viewer.settled("the theme is light", lambda state: state["theme"] == "light")
    viewer.picture("the window is light", lambda picture: picture.brightness(*part) > dark + 100)
    kernels_are_in_place(viewer, viewer.state())
    expect(viewer.quit() == 0, "quitting is an error")
    again = room.landmarks()
    expect(again.state()["theme"] == "light", "the theme is forgotten")


@check("F3 shows frame statistics")
def figures(room):
    viewer = room.landmarks()
    before = viewer.resting_picture()
    viewer.key("F3")
    viewer.wait("the figures are open", lambda state: state["debug"])
    viewer.picture("the figures are drawn", lambda picture: picture.changed(before) > 500)


@check("after resizing to 900x600 and back, everything fits and the mouse hits the right slices")
def resize(room):
    viewer = room.landmarks()
    for width, height in ((900, 600), (1600, 900), (640, 420), (1280, 720)):
        viewer.tool("windowsize", viewer.window, width, height)
        tabs = 30
        state = viewer.settled(f"the tracks, the legend and the tabs end at the window's edge, {width}", lambda now: (
            now["view"]["area"][0] + now["view"]["area"][2] == width
            and now["view"]["area"][1] + now["view"]["area"][3] + now["view"]["legend_height"] + tabs == height))
        expect(state["view"]["to_ns"] >= traces.LENGTH_NS, f"at {width}x{height} the end of the trace is cut off")
        kernels_are_in_place(viewer, state)

        def fills_the_window(picture):
            return picture.at(width - 3, height - 3) != (0, 0, 0) and picture.at(width + 3, height - 3) == (0, 0, 0)
        if width < 1600:
            viewer.picture("the window is drawn up to its corner", fills_the_window)
        point_at_addmm(viewer)
        viewer.wait("the slice under the mouse", lambda now: now["view"]["hovered_name"] == "aten::addmm")
        viewer.point(2, viewer.display.HEIGHT - 2)


@check("the window sleeps when nothing changes")
def idle(room):
    viewer = room.landmarks()
    viewer.rest()
    frame, spent, seconds = viewer.state()["frame"], viewer.cpu_seconds(), 2
    time.sleep(seconds)
    expect(viewer.state()["frame"] == frame, f"{viewer.state()['frame'] - frame} frames are drawn in {seconds} s")
    used = viewer.cpu_seconds() - spent
    expect(used < 0.05 * seconds, f"doing nothing for {seconds} s takes {used:.2f} s of processor time")


# ---- Several files, drops and dialogs ----

@check("two files dropped on the empty window open as two tabs")
def drop_two(room):
    viewer = room.start()
    viewer.settled("the start page")
    first = traces.landmarks(room.folder / "rank 0 ü %41.json")
    second = traces.busy(room.folder / "rank1.json.gz", 1000, compressed=True)
    before = viewer.resting_picture()
    viewer.drop(first, second)
    state = viewer.ready(2)
    expect([document["file"] for document in state["documents"]] == [str(first), str(second)],
           f"the documents are {state['documents']}")
    expect(all(document["state"] == "ready" for document in state["documents"]), f"they are {state['documents']}")
    expect(state["active"] == 0, "the first of them is not in front")
    viewer.picture("a timeline is drawn", lambda picture: picture.changed(before) > 50_000)
    kernels_are_in_place(viewer, state)
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("a file dropped on an open trace opens in another tab; dropped again, its tab is activated")
def drop_again(room):
    viewer = room.landmarks()
    other = traces.busy(room.folder / "other.json", 1000)
    viewer.drop(other, at=(1200, 800))
    state = viewer.ready(2)
    expect(state["active"] == 1, "the dropped file is not in front")
    viewer.drop(room.folder / "landmarks.pt.trace.json")
    state = viewer.wait("the first file is in front", lambda state: state["active"] == 0)
    expect(len(state["documents"]) == 2, "a file that is open already opens once more")


@check("Ctrl+Tab visits the tabs, each keeps its view, Ctrl+W closes a tab")
def tabs(room):
    files = [traces.landmarks(room.folder / "a.json"), traces.busy(room.folder / "b.json", 500),
             traces.many_threads(room.folder / "c.json", 5)]
    viewer = room.start(*files)
    first = viewer.ready(3)
    viewer.point(700, 300)
    zoomed = viewer.hold("w", "the span has shrunk to a third", lambda state: span_ns(state) < span_ns(first) / 3)
    for active in (1, 2, 0):
        before = viewer.resting_picture()
        viewer.key("ctrl+Tab")
        state = viewer.settled(f"tab {active}", lambda state: state["active"] == active)
        viewer.picture("another trace is drawn", lambda picture: picture.changed(before) > 5000)
    expect(state["view"]["from_ns"] == zoomed["view"]["from_ns"] and span_ns(state) == span_ns(zoomed),
           "the first tab lost its view")
    viewer.key("ctrl+shift+Tab")
    viewer.settled("the last tab", lambda state: state["active"] == 2)
    for left in ([0, 1], [0], []):
        viewer.key("ctrl+w")
        state = viewer.settled(f"{len(left)} tabs are left", lambda state: len(state["documents"]) == len(left))
        expect([document["file"] for document in state["documents"]] == [str(files[i]) for i in left],
               f"the wrong tab is closed: {state['documents']}")
    expect(state["active"] is None, "without tabs one is active")


def fake_dialog(folder, script):
    """Makes a folder with a program `zenity` that runs `script`."""
    folder.mkdir()
    program = folder / "zenity"
    program.write_text("#!/bin/sh\n" + script)
    program.chmod(0o755)
    return folder


@check("Ctrl+O opens the file chosen in the dialog")
def dialog(room):
    files = [traces.landmarks(room.folder / "chosen 1.json"), traces.busy(room.folder / "chosen 2.json", 500)]
    lines = "".join(f"echo '{file}'\n" for file in files)
    viewer = room.landmarks(path=fake_dialog(room.folder / "bin", lines))
    viewer.key("ctrl+o")
    state = viewer.ready(3)
    expect([document["file"] for document in state["documents"][1:]] == [str(file) for file in files],
           f"the documents are {state['documents']}")


@check("Ctrl+O and a cancelled dialog change nothing")
def dialog_cancelled(room):
    asked = room.folder / "asked"
    viewer = room.landmarks(path=fake_dialog(room.folder / "bin", f": > '{asked}'\nexit 1\n"))
    before = viewer.resting_picture()
    viewer.key("ctrl+o")
    wait_until("the dialog is started", asked.exists)
    state = viewer.rest()
    expect(len(state["documents"]) == 1, f"the documents are {state['documents']}")
    viewer.picture("the window looks as before", lambda picture: picture.changed(before) == 0)
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("Ctrl+O without a dialog program shows the built-in browser, and Esc closes it")
def browser(room):
    empty = room.folder / "bin"
    empty.mkdir()
    viewer = room.landmarks(path=empty)
    before = viewer.resting_picture()
    viewer.key("ctrl+o")
    viewer.picture("the browser is drawn", lambda picture: picture.changed(before) > 50_000)
    viewer.key("Escape")
    viewer.picture("the timeline is back", lambda picture: picture.changed(before) == 0)


# ---- Errors ----

@check("a file that is not a trace is reported in the window and once on stderr, and can be closed")
def not_a_trace(room):
    viewer = room.landmarks()
    broken = room.folder / "notes.txt"
    broken.write_text("These are notes about a trace, not a trace.\n" * 50)
    before = viewer.resting_picture()
    viewer.drop(broken)
    state = viewer.settled("the file failed", lambda state: [
        document["state"] for document in state["documents"]] == ["ready", "failed"])
    expect(state["documents"][1]["error"], "the document has no error")
    viewer.picture("the error is drawn", lambda picture: picture.changed(before) > 20_000)
    lines = viewer.errors().splitlines()
    expect(len(lines) == 1, f"stderr has {len(lines)} lines: {lines}")
    expect(str(broken) in lines[0], f"stderr does not name the file: {lines[0]}")
    viewer.key("ctrl+w")
    viewer.settled("the trace is back", lambda state: len(state["documents"]) == 1)
    expect(len(viewer.errors().splitlines()) == 1, "closing says it once more")


@check("a missing file is reported once in the window and once on stderr")
def missing(room):
    viewer = room.start(room.folder / "nowhere.json")
    state = viewer.settled("the file failed", lambda state: [
        document["state"] for document in state["documents"]] == ["failed"])
    expect(state["documents"][0]["error"], "the document has no error")
    lines = viewer.errors().splitlines()
    expect(len(lines) == 1 and "nowhere.json" in lines[0], f"stderr has {lines}")


@check("a truncated trace opens and is reported as truncated")
def cut_in_half(room):
    whole = traces.busy(room.folder / "whole.json", 4000)
    packed = traces.busy(room.folder / "packed.json.gz", 4000, compressed=True)
    viewer = room.start(traces.cut(room.folder / "half.json", whole), traces.cut(room.folder / "half.json.gz", packed))
    state = viewer.ready(2)
    for document in state["documents"]:
        expect(document["state"] == "ready", f"half a trace does not open: {document}")
        expect(1000 < document["slices"] < 3000, f"half of 4000 slices are {document['slices']}")
        expect(document["damage"] > 0, "the damage is not counted")
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("Esc cancels the load of a large file at once, and the window keeps responding")
def cancel(room):
    viewer = room.landmarks()
    large = traces.huge(room.folder / "large.json.gz", 2000)
    viewer.drop(large)
    viewer.wait("the large file is loading", lambda state: [
        document["state"] for document in state["documents"]] == ["ready", "loading"])
    viewer.key("Escape")
    viewer.key("shift+Escape")  # cancels the load if a part of the file is already shown, and keeps that part
    viewer.wait("the load is given up", lambda state: all(
        document["state"] != "loading" for document in state["documents"]))
    if len(viewer.state()["documents"]) > 1:
        viewer.key("ctrl+w")
    state = viewer.settled("the other trace is shown", lambda state: len(state["documents"]) == 1)
    expect(state["documents"][0]["state"] == "ready", f"the other trace is {state['documents'][0]}")
    kernels_are_in_place(viewer, state)
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")
    viewer.point(800, 300)
    viewer.hold("w", "the span has shrunk", lambda now: span_ns(now) < span_ns(state) / 2)


@check("the window closes while a large file loads")
def quit_while_loading(room):
    viewer = room.start(traces.huge(room.folder / "large.json.gz", 2000))
    viewer.wait("the large file is loading", lambda state: state["documents"][0]["state"] == "loading")
    expect(viewer.quit() == 0, "quitting is an error")


@check("without a display the program suggests commands and ends with an error")
def no_display(room):
    class Nowhere:
        name = ":4999"
    viewer = Viewer(room.arguments.kinetoscope, room.arguments.xdnd_source, Nowhere, room.folder / "viewer")
    room.viewers.append(viewer)
    code = viewer.process.wait(60)
    expect(code == 1, f"the exit code is {code}")
    lines = viewer.errors().splitlines()
    expect(len(lines) == 2 and "kinetoscope info FILE" in lines[0] and "kinetoscope serve FILE" in lines[1],
           f"stderr has {lines}")


@check("without a display the program prints summaries of its files, and its exit code is that of the worst")
def summaries_without_display(room):
    class Nowhere:
        name = ":4999"
    good = traces.landmarks(room.folder / "good.json")
    for files, wanted in (((good, good), 0), ((good, room.folder / "missing.json"), 1)):
        output = room.folder / "printed.txt"
        viewer = Viewer(room.arguments.kinetoscope, room.arguments.xdnd_source, Nowhere, room.folder / "viewer", files,
                        output=output)
        room.viewers.append(viewer)
        code = viewer.process.wait(60)
        expect(code == wanted, f"the exit code is {code}")
        printed = output.read_text(encoding="utf-8")
        expect(printed.count("Time span") == files.count(good), f"it printed {printed}")
        expect("no display" in viewer.errors(), f"stderr has {viewer.errors()}")
        hints = [line for line in viewer.errors().splitlines() if "kinetoscope serve" in line]
        expect(len(hints) == 1 and str(good) in hints[0] and "missing" not in hints[0], f"stderr has {hints}")


# ---- Real traces ----

def real_files(data):
    wanted = ("kineto/hta/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz",
              "kineto/param-dlrm-8rank/worker0_step_12.1694128201545.pt.trace.json",
              "kineto/lightllm-decode-tp8/10-116-218-90_3090494.1743406976912802812.pt.trace.json",
              "kineto/kineto/worker0.1623143089861.pt.trace.json.gz")
    return [data / name for name in wanted if (data / name).is_file()]


@check("real traces open in tabs, are drawn, and can be navigated and inspected")
def real_traces(room):
    files = real_files(room.arguments.data) if room.arguments.data else []
    if not files:
        print("      (the real traces are not here: skipped)")
        return
    viewer = room.start(*files)
    viewer.ready(len(files))
    for tab in range(len(files)):
        whole = viewer.settled(f"tab {tab}", lambda state: state["active"] == tab)
        expect(whole["documents"][tab]["state"] == "ready", f"{whole['documents'][tab]}")
        area = whole["view"]["area"]
        viewer.picture("it has many colors", lambda picture: picture.colors(*area) > 60)
        viewer.point(area[0] + area[2] / 2, area[1] + 100)
        near = viewer.hold("w", "the span has shrunk to a fiftieth", lambda now: span_ns(now) < span_ns(whole) / 50)
        viewer.point(2, viewer.display.HEIGHT - 2)
        viewer.picture("something is in view", lambda picture: picture.colors(*area) > 8)
        viewer.hold("d", "half a view later", lambda now: (
            now["view"]["from_ns"] > near["view"]["from_ns"] + span_ns(near) / 2))
        viewer.key("r")
        viewer.settled("all is in view again", lambda now: span_ns(now) == span_ns(whole))
        viewer.key("ctrl+Tab")
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")
