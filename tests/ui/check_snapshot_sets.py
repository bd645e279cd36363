# Covers: snapshot_set_panel, snapshot_set_pages, batch_page, folder_feed
"""Checks of the UI test: many snapshots as one page."""

import pickle

from checks import check, expect

MEGA = 1 << 20
START = 1_700_000_000_000_000


def frames(line):
    return [{"name": "forward", "filename": "/home/me/model.py", "line": line}]


def rank(folder, number, more=0, oom=False):
    """Writes 10 ms with a weight, ten consecutive buffers, and `more` bytes of another line from 4.3 ms on."""
    def entry(action, addr, size, at, line):
        return {"action": action, "addr": addr, "size": size, "stream": 0, "time_us": START + number + at, "frames": frames(line)}

    trace = [entry("alloc", 0x10000000, 100 * MEGA, 0, 10)]
    for i in range(10):
        trace.append(entry("alloc", 0x20000000, 20 * MEGA, 1000 * i + 100, 20))
        if more and i == 4:
            trace.append(entry("alloc", 0x30000000, more, 4300, 120))
        trace.append(entry("free_completed", 0x20000000, 20 * MEGA, 1000 * i + 600, 20))
    if oom:
        trace.append({"action": "oom", "device_free": 5 * MEGA, "size": 512 * MEGA, "stream": 0, "time_us": START + number + 9950,
                      "frames": frames(130)})
    path = folder / f"rank{number}.pickle"
    with open(path, "wb") as file:
        pickle.dump({"segments": [], "device_traces": [trace]}, file)
    return path


def shown(viewer, what, holds=lambda state: True):
    return viewer.settled(what, lambda now: now["snapshots"] and now["snapshots"]["read"] and holds(now["snapshots"]))["snapshots"]


@check("a folder of snapshots opens as one page: verdict, outliers first, differences from the median, broken files")
def opens_folder(room):
    folder = room.folder / "ranks"
    folder.mkdir()
    for number in range(6):
        rank(folder, number, more=300 * MEGA if number == 4 else 0, oom=number == 4)
    whole = (folder / "rank5.pickle").read_bytes()
    (folder / "rank5.pickle").write_bytes(whole[:40])
    viewer = room.start(folder)
    viewer.ready()
    state = shown(viewer, "the set is shown", lambda it: it["selected"])
    expect(state["verdict"].startswith("Out of memory: rank 4. The failed allocation requested 537 MB with 5.24 MB free. "
                                       "The peak of this snapshot is 315 MB above"), state["verdict"])
    expect(state["order"][0] == "rank 4" and state["files"] == 6 and state["broken"] == 1, f"{state}")
    expect(any("rank5.pickle" in problem for problem in state["problems"]), f"{state['problems']}")
    expect(state["selected"] == "rank 4" and state["differences"][0] == ["model.py:120 forward", 300 * MEGA], f"{state['differences']}")
    expect(sum(it[1] for it in state["differences"]) == 300 * MEGA, f"{state['differences']}")
    expect(state["axis"] == "clock", state["axis"])
    viewer.key("x")
    shown(viewer, "each from its begin", lambda it: it["axis"] == "begins")
    viewer.key("x")
    shown(viewer, "along events", lambda it: it["axis"] == "events")
    viewer.key("y")
    shown(viewer, "differences by function", lambda it: it["by"] == 1 and it["differences"][0][0] == "forward")
    viewer.key("Down")
    second = shown(viewer, "the next one is selected", lambda it: it["selected"] != "rank 4")
    expect(second["selected"] == second["order"][1], f"{second}")
    viewer.key("bracketleft")
    shown(viewer, "and the one before", lambda it: it["selected"] == "rank 4")
    viewer.key("Return")
    state = viewer.settled("it is opened as a document", lambda now: len(now["documents"]) == 2 and now["snapshot"])
    expect(state["snapshot"]["devices"] == 1, f"{state['snapshot']}")


@check("three snapshots opened together are one page, two are two tabs; a click on a curve selects it")
def opens_files(room):
    files = [rank(room.folder, number, more=200 * MEGA if number == 1 else 0) for number in range(3)]
    viewer = room.start(*files)
    viewer.ready()
    state = shown(viewer, "they are one page", lambda it: it["axis"] == "clock")
    expect(state["verdict"].startswith("Outlier: rank 1. The peak of this snapshot is 210 MB above the median"), state["verdict"])
    viewer.key("Escape")
    shown(viewer, "nothing is selected", lambda it: it["selected"] is None)
    left, top, right, bottom = state["plot"]
    # Rank 1 has the highest curve. At 7.85 ms no buffer is live.
    x = left + (right - left) * 7850 / 9602
    y = bottom - (bottom - top) * 300 * MEGA / state["bytes"][1]
    viewer.click(x, y)
    shown(viewer, "the curve is selected", lambda it: it["selected"] == "rank 1")
    expect(viewer.quit() == 0, "quitting is an error")
    two = room.start(*files[:2])
    two.ready(2)
    two.settled("two snapshots are tabs", lambda now: len(now["documents"]) == 2 and now["snapshots"] is None)


@check("two snapshots with batch sizes in their names give a formula, and a capacity gives the size that fits")
def batch_sizes(room):
    folder = room.folder / "sizes"
    folder.mkdir()
    for number, size in enumerate((8, 16)):
        rank(folder, number, more=size * 10 * MEGA).rename(folder / f"bs{size}.pickle")
    viewer = room.start(folder)
    viewer.ready()
    shown(viewer, "the set is shown", lambda it: it["batch"]["offered"])
    state = shown(viewer, "nothing was computed while its tab is not shown")
    expect(state["batch"]["sizes"] == [], f"{state['batch']}")
    viewer.click(*state["drawer_tabs"]["batch"])
    state = shown(viewer, "the formula", lambda it: it["batch"]["sizes"] == [16, 8] or it["batch"]["sizes"] == [8, 16])
    expect(state["batch"]["refused"] == "" and state["batch"]["per_unit"] == 10 * MEGA, f"{state['batch']}")
    viewer.click(*state["batch"]["capacity_at"])
    viewer.tool("type", "1GiB")
    viewer.key("Return")
    # A weight of 100 MiB and a buffer of 20 MiB at any batch size.
    shown(viewer, "what fits", lambda it: it["batch"]["most_live"] == (1024 - 120) // 10)


@check("a window that watches a folder adds new snapshots and traces, and the visible page remains")
def watched(room):
    folder = room.folder / "run"
    folder.mkdir()
    viewer = room.start(folder, options=("--watch",))
    viewer.settled("it says so", lambda now: "Watching run" in now["told"])
    half = room.folder / "half"
    half.mkdir()
    rank(half, 0).rename(folder / "rank0.pickle")
    shown(viewer, "the first one is a page", lambda it: it["order"] == ["rank 0"])
    rank(half, 1, more=200 * MEGA).rename(folder / "rank1.pickle")
    rank(half, 2).rename(folder / "rank2.pickle")
    state = shown(viewer, "the others join it", lambda it: len(it["order"]) == 3)
    expect(state["selected"] is None, f"the view was stolen: {state['selected']}")
    now = viewer.settled("it says what came", lambda it: "New in run" in it["told"])
    expect(len(now["documents"]) == 1, f"{now['documents']}")
    viewer.key("shift+F5")
    viewer.settled("no longer", lambda it: "no longer watched" in it["told"])
