# Covers: what_if_page, what_if_work, what_if_line, what_if_table
"""Checks of the UI test: memory that other allocator settings would have reserved, drawn over the plot."""

import pickle

import check_snapshots as snapshots
from check_snapshot_plot import clipboard, fragmented
from checks import check, expect

MEGA = 1 << 20
START = 1_700_000_000_000_000


def replayed(path):
    """Makes allocator events: 4 + 4 MiB in a segment of 20 MiB, one freed, 2 MiB in its place, then 30 MiB more."""
    a, b = 0x10000000000, 0x10000000000 - 30 * MEGA
    rows = [("segment_alloc", a, 20), ("alloc", a, 4), ("alloc", a + 4 * MEGA, 4), ("free_requested", a, 4),
            ("free_completed", a, 4), ("alloc", a, 2), ("segment_alloc", b, 30), ("alloc", b, 30)]
    trace = [snapshots.entry(action, addr, size * MEGA, START + i, snapshots.frames(f"f{i}"))
             for i, (action, addr, size) in enumerate(rows)]

    def segment(addr, blocks):
        at, made = addr, []
        for size, used in blocks:
            made.append({"address": at, "size": size * MEGA, "requested_size": size * MEGA if used else 0,
                         "state": "active_allocated" if used else "inactive", "frames": []})
            at += size * MEGA
        used = sum(block["requested_size"] for block in made)
        return {"device": 0, "address": addr, "total_size": at - addr, "stream": 0, "allocated_size": used,
                "active_size": used, "segment_type": "large", "blocks": made}

    content = {"segments": [segment(b, [(30, True)]), segment(a, [(2, True), (2, False), (4, True), (12, False)])],
               "device_traces": [trace],
               "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "expandable_segments": False}}
    with open(path, "wb") as file:
        pickle.dump(content, file)
    return path


@check("settings are simulated after a verification, the best can be copied, and a row adds a line to the plot")
def what_if(room):
    for size in ("1280x720", "1600x900"):
        viewer = room.start(replayed(room.folder / "memory.pickle"), size=size)
        viewer.ready()
        viewer.key("alt+w")
        state = viewer.settled("all settings have been run", lambda now: now["snapshot"]["tab"] == "what-if"
                               and now["snapshot"]["what_if"] and now["snapshot"]["what_if"]["best"])
        shown = state["snapshot"]["what_if"]
        expect(shown["refused"] == "", f"it is refused: {shown['refused']}")
        peaks = {row["setting"]: row["peak"] for row in shown["rows"]}
        expect(peaks[""] == 50 * MEGA and peaks["expandable_segments:True"] == 40 * MEGA, f"peaks are {peaks}")
        expect(shown["rows"][0]["setting"] == "" and shown["best"] == "expandable_segments:True", f"rows are {shown['rows']}")
        viewer.click(*shown["places"]["expandable_segments:True"])
        state = viewer.settled("its curve is drawn", lambda now: now["snapshot"]["what_if"]["curve_peak"] == 40 * MEGA)
        words = " ".join(label["words"] for label in state["snapshot"]["labels"])
        expect("expandable_segments:True" in words, f"labels are {words}")
        viewer.click(*state["snapshot"]["what_if"]["places"]["capacity"])
        viewer.tool("type", "45MiB")
        viewer.key("Return")
        state = viewer.settled("it runs out as it was set", lambda now: now["snapshot"]["what_if"]["rows"]
                               and now["snapshot"]["what_if"]["rows"][0]["oom"] == 7
                               and now["snapshot"]["what_if"]["known"] == len(now["snapshot"]["what_if"]["rows"]))
        viewer.click(*state["snapshot"]["what_if"]["places"]["copy"])
        copied = clipboard(viewer, "PYTORCH")
        expect(copied == "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True", f"{copied} was copied")
        viewer.key("Escape")
        viewer.click(*state["snapshot"]["what_if"]["places"]["advice"])
        viewer.settled("what would help is listed", lambda now: now["snapshot"]["tab"] == "tables")
        expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")
        viewer.quit()
    viewer = room.start(fragmented(room.folder / "refused.pickle"))
    viewer.ready()
    viewer.key("alt+w")
    state = viewer.settled("it is refused", lambda now: now["snapshot"]["what_if"] and now["snapshot"]["what_if"]["refused"])
    expect(state["snapshot"]["what_if"]["rows"] == [], "rows of a file that is not repeated")
