# Covers: memory_plot, memory_rulers, treemap_view, allocator_facts, held_keys
"""Checks of the UI test: labels over a snapshot's plot, the advice against an OOM, a snapshot without a history."""

import pickle

import check_snapshots as snapshots
import traces
from check_search import search
from checks import check, expect

MEGA = snapshots.MEGA
AT_ONCE = ("--delay", "4")  # less than a frame; GLFW merges presses within one millisecond


def overlapping(labels):
    return [(a["words"], b["words"]) for i, a in enumerate(labels) for b in labels[i + 1:]
            if a["box"][0] < b["box"][2] and b["box"][0] < a["box"][2]
            and a["box"][1] < b["box"][3] and b["box"][1] < a["box"][3]]


def clipboard(viewer, begin):
    text = viewer.clipboard()
    expect(text.startswith(begin), f"the clipboard contains {text}")
    return text


def fragmented(path, settings=None):
    """Writes a snapshot with three OOMs, all at the peak. The free memory would suffice in one piece."""
    start = 1_700_000_000_000_000
    where = snapshots.frames("large")
    trace = [snapshots.entry("segment_alloc", 0x100000000, 400 * MEGA, start, where)]
    for i in range(20):
        trace.append(snapshots.entry("alloc", 0x100000000 + i * 20 * MEGA, 16 * MEGA, start + i, where))
    for i in range(3):
        trace.append({"action": "oom", "device_free": 5 * MEGA, "size": 64 * MEGA, "stream": 0,
                      "time_us": start + 100 + i, "frames": where})
    content = {"segments": [], "device_traces": [trace]}
    if settings is not None:
        content["allocator_settings"] = settings
    with open(path, "wb") as file:
        pickle.dump(content, file)
    return path


@check("labels of the peak, OOM errors, the capacity and strips do not overlap in any layout")
def labels(room):
    for size, larger in (("1280x720", 0), ("1600x900", 5)):
        viewer = room.start(fragmented(room.folder / "memory.pickle"), size=size)
        viewer.ready()
        for _ in range(larger):
            viewer.key("ctrl+equal")
        for layout in range(1, 8):
            viewer.key(f"ctrl+{layout}")
            state = viewer.settled("the labels are there", lambda now: now["snapshot"] and now["snapshot"]["labels"]
                                   and now["snapshot"]["layout"]["wanted"] == now["snapshot"]["layout"]["shown"])
            shown = state["snapshot"]["labels"]
            expect(not overlapping(shown), f"labels overlap: {overlapping(shown)}")
            words = " ".join(label["words"] for label in shown)
            expect("Peak" in words and "Out of memory" in words, f"there is only {words}")
            expect(layout > 1 or "reserved by PyTorch or free" in words, f"the capacity is not told: {words}")
        viewer.quit()


@check("expandable segments are advised together with the run's settings, ready to copy, unless they are enabled")
def advice(room):
    path = fragmented(room.folder / "off.pickle", {"PYTORCH_CUDA_ALLOC_CONF": "max_split_size_mb:64", "expandable_segments": False})
    viewer = room.start(path)
    viewer.ready()
    viewer.key("o")
    state = viewer.settled("the advice is there", lambda now: now["snapshot"]["tab"] == "oom" and now["snapshot"]["advice"])
    advised = state["snapshot"]["advice"][0]
    expect(advised["line"] == "PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:64,expandable_segments:True", f"it is {advised}")
    viewer.click(*advised["copy_at"])
    copied = clipboard(viewer, "PYTORCH")
    expect(copied == advised["line"], f"{copied} was copied")
    viewer.quit()
    viewer = room.start(fragmented(room.folder / "on.pickle", {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"}))
    viewer.ready()
    viewer.key("o")
    state = viewer.settled("the advice is there", lambda now: now["snapshot"]["tab"] == "oom" and now["snapshot"]["advice"])
    expect(state["snapshot"]["advice"][0]["line"] is None, f"it is {state['snapshot']['advice']}")


@check("a snapshot without a history is a treemap of its segments; a click selects a block")
def treemap(room):
    def block(at, size, state):
        return {"address": at, "size": size, "requested_size": size, "state": state, "frames": snapshots.frames(f"at{at:x}")}
    big = [block(0x1000000, 60 * MEGA, "active_allocated"), block(0x1000000 + 60 * MEGA, 20 * MEGA, "inactive"),
           block(0x1000000 + 80 * MEGA, 20 * MEGA, "active_pending_free")]
    small = [block(0x90000000, 20 * MEGA, "active_allocated")]
    content = {"device_traces": [[]], "segments": [
        {"device": 0, "address": blocks[0]["address"], "total_size": sum(b["size"] for b in blocks), "stream": 0,
         "allocated_size": 0, "active_size": 0, "segment_type": "large", "blocks": blocks} for blocks in (big, small)]}
    path = room.folder / "segments.pickle"
    with open(path, "wb") as file:
        pickle.dump(content, file)
    viewer = room.start(path)
    viewer.ready()
    state = viewer.settled("the treemap is there", lambda now: now["snapshot"]["treemap"])
    shown = state["snapshot"]["treemap"]
    expect((shown["segments"], shown["blocks"]) == (2, 4), f"it is {shown}")
    expect([box["bytes"] // MEGA for box in shown["first"]] == [60, 20, 20, 20], f"it is {shown}")
    expect(sum(box["used"] for box in shown["first"]) == 100 * MEGA, f"it is {shown}")
    viewer.point(*shown["first"][0]["at"])
    viewer.settled("it is hovered", lambda now: now["snapshot"]["hovered"] and now["snapshot"]["hovered"]["size"] == 60 * MEGA)
    viewer.click(*shown["first"][0]["at"])
    state = viewer.settled("it is selected", lambda now: now["snapshot"]["selected"])
    expect(state["snapshot"]["selected"]["place"] == "train.py:42 at1000000", f"{state['snapshot']['selected']}")
    expect(state["snapshot"]["tab"] == "selection", f"the tab is {state['snapshot']['tab']}")
    viewer.key("ctrl+shift+s")
    drawing = viewer.save()
    viewer.settled("it is saved", lambda now: "memory.svg" in now["snapshot"]["picture"])
    expect("at1000000" in drawing.read_text(), "the drawing does not name the block")
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("ten key presses between two frames are ten steps")
def strokes(room):
    viewer, state = snapshots.start(room)
    shown = state["snapshot"]
    viewer.click(snapshots.x_of(shown, 50), snapshots.y_of(shown, 20 * MEGA))
    at = viewer.settled("the cursor is there", lambda now: now["snapshot"]["cursor"] < 80)["snapshot"]["cursor"]
    viewer.tool("key", *AT_ONCE, *["alt+Right"] * 10)
    viewer.settled("ten events on", lambda now: now["snapshot"]["cursor"] == at + 10)
    viewer.tool("key", *AT_ONCE, *["alt+Left"] * 10)
    viewer.settled("ten events back", lambda now: now["snapshot"]["cursor"] == at)
    viewer.quit()
    viewer = room.start(traces.busy(room.folder / "busy.pt.trace.json"))
    viewer.ready()
    search(viewer, "kernel_3")
    viewer.key("Return")
    viewer.wait("the first hit", lambda now: now["search"]["current"] == 0)
    viewer.tool("key", *AT_ONCE, *["Return"] * 10)
    viewer.settled("ten hits on", lambda now: now["search"]["current"] == 10)
