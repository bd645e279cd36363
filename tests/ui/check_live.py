# Covers: document, load_job, document_bar, file_watch
"""Checks of the window while a file loads, and of files that change on disk."""

import shutil
import time

import traces
from checks import check, expect
from viewer import lanes, span_ns, wait_until, x_of

STREAM = "stream 7"
MEGABYTES = 3000  # of text, in a compressed file of a few MB


def first(state):
    return state["documents"][0]


def moments(state):
    """Returns the visible time range in the file's time."""
    view = state["view"]
    return view["from_ns"] + view["origin_unix_ns"], view["to_ns"] + view["origin_unix_ns"]


def expect_same_moments(before, after, what):
    slack = span_ns(before) / 1000
    for a, b in zip(moments(before), moments(after)):
        expect(abs(a - b) <= slack, f"{what}: the view went from {moments(before)} to {moments(after)}")


def select_and_fit(viewer, time_ns):
    """Selects the kernel at a time and fits it, also while a file loads. Returns the state once the view is at rest."""
    state = viewer.wait("the stream is drawn", lambda now: now["view"] and lanes(now, STREAM))
    lane = lanes(state, STREAM)[0]
    viewer.click(x_of(state, time_ns - state["view"]["origin_unix_ns"]), lane["top"] + lane["height"] / 2)
    viewer.wait("a kernel is selected", lambda now: now["view"]["selected_name"])
    viewer.key("f")
    seen = []

    def rests(now):
        seen.append((now["frame"], moments(now)))
        frames = {frame for frame, view in seen if view == moments(now)}
        return span_ns(now) < span_ns(state) / 5 and (now["settled"] or len(frames) >= 3)
    return viewer.wait("the kernel fills the view", rests)


def part(room):
    viewer = room.start(traces.growing(room.folder / "large.json.gz", MEGABYTES))
    state = viewer.wait("a part is shown", lambda now: now["documents"] and first(now).get("slices"))
    expect(first(state)["state"] == "loading", f"the document is {first(state)}")
    expect(first(state)["slices"] == 1000, f"{first(state)['slices']} slices instead of the first 1000")
    expect(first(state)["notice"].startswith("Partial: "), f"it is labelled '{first(state)['notice']}'")
    expect("(loading)" in state["title"], f"the window is called {state['title']}")
    return viewer


@check("while a large file loads, its first part is shown and labelled; then the whole is shown, and the view remains")
def part_then_whole(room):
    viewer = part(room)
    before = select_and_fit(viewer, 333.4e6)
    whole = viewer.settled("the whole is shown", lambda now: first(now)["state"] == "ready")
    expect(first(whole)["slices"] == 2000, f"{first(whole)['slices']} slices instead of 2000")
    expect(first(whole)["notice"] == "" and "(" not in whole["title"], f"it is still labelled: {first(whole)}")
    expect_same_moments(before, whole, "while it loaded")
    expect(whole["view"]["selected_name"] == before["view"]["selected_name"], "the selection is another one")
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("if the view is not moved while a file loads, it shows the whole file at the end")
def part_grows(room):
    viewer = part(room)
    expect(span_ns(viewer.state()) < 1.1 * traces.SECOND, "the first part does not fill the view")
    whole = viewer.settled("the whole is shown", lambda now: first(now)["state"] == "ready")
    expect(1.9 * traces.SECOND < span_ns(whole) < 2.2 * traces.SECOND, f"{span_ns(whole)} ns are in view")


@check("a cancelled load keeps and labels the loaded part, and F5 loads the file again")
def stop(room):
    viewer = part(room)
    before = select_and_fit(viewer, 333.4e6)
    viewer.key("shift+Escape")
    state = viewer.settled("the load is stopped", lambda now: not first(now)["loading"])
    expect(first(state)["state"] == "failed" and first(state)["slices"] == 1000, f"the document is {first(state)}")
    expect("cancelled" in first(state)["notice"], f"it is labelled '{first(state)['notice']}'")
    expect("(partial)" in state["title"], f"the window is called {state['title']}")
    expect_same_moments(before, state, "when it was stopped")
    viewer.key("F5")
    whole = viewer.settled("the whole is shown", lambda now: first(now)["state"] == "ready")
    expect(first(whole)["slices"] == 2000, f"{first(whole)['slices']} slices instead of 2000")
    expect_same_moments(before, whole, "when it was loaded again")
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


def write_kernels(path, count):
    """Writes a kernel of half a second every second, from 1 s on."""
    return traces.write(path, [traces.kernel(f"kernel {i}", (i + 1) * traces.SECOND, traces.SECOND // 2)
                               for i in range(count)])


def changed(state):
    return first(state)["notice"] == "This file has changed on disk."


@check("a file that changed on disk is reported, and reloading keeps the view and the selection")
def reload(room):
    path = write_kernels(room.folder / "trace.json", 10)
    viewer = room.start(path)
    viewer.ready()
    before = select_and_fit(viewer, 3.2e9)
    expect(first(before)["notice"] == "", f"an unchanged file is labelled '{first(before)['notice']}'")
    write_kernels(path, 30)
    told = viewer.settled("the change is told", changed)
    expect(first(told)["slices"] == 10, "it was loaded again without being asked")
    viewer.key("F5")
    state = viewer.settled("the new trace is shown", lambda now: first(now)["slices"] == 30)
    expect(first(state)["notice"] == "", f"it is labelled '{first(state)['notice']}'")
    expect_same_moments(before, state, "on reloading")
    expect(state["view"]["selected_name"] == "kernel 2", f"'{state['view']['selected_name']}' is selected")
    expect(state["view"]["drawer"], "the drawer has closed")


@check("the notice of a change can be dismissed, reappears with the next change, and its button reloads")
def dismiss(room):
    path = write_kernels(room.folder / "trace.json", 10)
    viewer = room.start(path)
    viewer.ready()
    other = write_kernels(room.folder / "other.json", 20)
    shutil.copy(other, room.folder / "copy.json")
    (room.folder / "copy.json").rename(path)
    state = viewer.settled("the replaced file is told", changed)
    right, middle = sum(state["view"]["area"][::2]), state["view"]["panel_top"] - 16
    viewer.click(right - 40, middle)
    state = viewer.settled("the notice is gone", lambda now: first(now)["notice"] == "")
    expect(first(state)["slices"] == 10, "dismissing has loaded the file")
    time.sleep(1.5)
    expect(first(viewer.rest())["notice"] == "", "the dismissed notice has come back by itself")
    write_kernels(path, 40)
    viewer.settled("the next change is told", changed)
    viewer.click(right - 115, middle)
    viewer.settled("the new trace is shown", lambda now: first(now)["slices"] == 40 and not first(now)["notice"])


@check("a vanished file is reported and the loaded events remain, also when reloading fails")
def vanish(room):
    path = write_kernels(room.folder / "trace.json", 10)
    viewer = room.start(path)
    viewer.ready()
    path.unlink()
    state = viewer.settled("the file is reported as gone", lambda now: "no longer on disk" in first(now)["notice"])
    viewer.key("F5")
    state = viewer.settled("the reload fails", lambda now: "could not be reloaded" in first(now)["notice"])
    expect(first(state)["state"] == "ready" and first(state)["slices"] == 10, f"the document is {first(state)}")
    write_kernels(path, 12)
    viewer.key("F5")
    viewer.settled("it is loaded once it is there", lambda now: first(now)["slices"] == 12 and not first(now)["notice"])
    time.sleep(1.5)  # the next poll of the disk reports the state that F5 has read, once
    idle = viewer.rest()["frame"]
    wait_until("three looks at the disk", lambda: time.sleep(3) or True)
    expect(viewer.state()["frame"] < idle + 3, "looking at the disk draws frames")
