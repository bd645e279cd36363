# Covers: job_panel, job_head, job_alignment, rank_tracks, messages_page, rank_memory_page, step_strip,
#   step_heat, message_table, pipeline_table
"""Checks of the UI test: the ranks of a job as one document."""

import json
import zipfile

import check_snapshot_sets
import traces
from checks import check, expect

RANKS, LATE, COLLECTIVES = 4, 2, 24


def shown(viewer, ranks=RANKS):
    return viewer.settled("the job is shown", lambda now: now["job"] and now["job"]["ranks"] == list(range(ranks)))


def row_at(state, row, share):
    """Returns a point in the lower lane of a row, at `share` of the width."""
    left, top, right, _ = state["job"]["lanes"]
    return left + (right - left) * share, top + state["job"]["row_height"] * (row + 0.75)


@check("a folder of ranks opens as one job with a verdict and waits; a rank opens in its own tab")
def folder_of_ranks(room):
    files = traces.job(room.folder / "job")
    viewer = room.start(room.folder / "job")
    state = shown(viewer)
    viewer.click(*state["job"]["drawer_tabs"]["ranks"])
    state = viewer.settled("the tables are open", lambda now: now["job"]["drawer_open"] and now["job"]["tables"]["rows"])
    job = state["job"]
    expect(job["drawer_notes"]["ranks"] == str(RANKS), f"the tabs are {job['drawer_notes']}")
    expect(len(state["documents"]) == 1 and state["title"].startswith("job"), f"the window is called {state['title']}")
    expect(job["verdict"].startswith(f"Rank {LATE} makes the others wait"), f"the verdict is {job['verdict']}")
    expect(job["tables"]["kind"] == "ranks" and job["tables"]["rows"] == RANKS,
           f"the tables show {job['tables']}")
    left, top, right, _ = job["labels"]
    y = top + job["row_height"] * (LATE + 0.5)
    viewer.click((left + right) / 2, y)
    viewer.settled("the row is selected", lambda now: now["job"]["rank"] == LATE)
    viewer.key("Return")
    state = viewer.ready(2)
    expect(state["documents"][1]["file"] == str(files[LATE]), f"these are open: {state['documents']}")
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("] visits the collectives by cost, G jumps to the last rank, Esc deselects")
def late_ones(room):
    traces.job(room.folder / "job")
    viewer = room.start(room.folder / "job")
    whole = shown(viewer)["job"]["ns_per_px"]
    viewer.key("bracketright")
    first = viewer.settled("one is selected", lambda now: now["job"]["collective"] is not None)["job"]
    expect(first["rank"] == LATE and first["ns_per_px"] < whole / 4, f"the page shows {first}")
    viewer.key("bracketright")
    viewer.settled("the next one", lambda now: now["job"]["collective"] != first["collective"])
    viewer.key("bracketleft")
    viewer.settled("the one before", lambda now: now["job"]["collective"] == first["collective"])
    viewer.key("Up")
    viewer.settled("the rank above", lambda now: now["job"]["rank"] == LATE - 1)
    viewer.key("g")
    viewer.settled("who came last", lambda now: now["job"]["rank"] == LATE)
    viewer.key("Escape")
    viewer.settled("nothing is selected",
                   lambda now: now["job"]["collective"] is None and now["job"]["rank"] is None)
    viewer.key("r")
    viewer.settled("all is seen", lambda now: abs(now["job"]["ns_per_px"] - whole) < whole / 1000)


@check("a click on a waiting kernel selects its collective on all ranks")
def click_collective(room):
    traces.job(room.folder / "job")
    viewer = room.start(room.folder / "job")
    state = shown(viewer)
    viewer.key("bracketright")
    state = viewer.settled("one is selected", lambda now: now["job"]["collective"] is not None)
    chosen = state["job"]["collective"]
    viewer.key("Escape")
    viewer.settled("none", lambda now: now["job"]["collective"] is None)
    viewer.click(*row_at(state, 0, 0.5))
    viewer.settled("the same one", lambda now: now["job"]["collective"] == chosen)


@check("missing, broken and foreign files of a job are reported, and the rest is shown")
def damaged_job(room):
    files = traces.job(room.folder / "job", 5, world=6)
    files[4].write_bytes(files[4].read_bytes()[:60] + b"]")
    viewer = room.start(room.folder / "job")
    state = viewer.settled("the job is shown", lambda now: now["job"] and now["job"]["ranks"] == [0, 1, 2, 3])
    expect(state["job"]["verdict"].startswith(f"Rank {LATE} makes the others wait: at least"),
           f"the verdict is {state['job']['verdict']}")
    expect(state["job"]["missing"] == [4, 5], f"these are missing: {state['job']['missing']}")


@check("M opens the snapshots of a job's ranks with a linked clock, J returns; the selected rank remains")
def snapshots_of_ranks(room):
    traces.job(room.folder / "job")
    for number in range(RANKS):
        check_snapshot_sets.rank(room.folder / "job", number)
    viewer = room.start(room.folder / "job")
    shown(viewer)
    viewer.settled("the memory of every rank", lambda now: now["job"]["rank_memory"] == RANKS)
    for row in range(2):
        viewer.key("Down")
    chosen = viewer.settled("a rank is selected", lambda now: now["job"]["rank"] is not None)["job"]["rank"]
    viewer.key("m")
    state = viewer.settled("the snapshots are shown", lambda now: now["snapshots"] and now["snapshots"]["read"]
                           and now["snapshots"]["selected"] == f"rank {chosen}")
    expect(len(state["documents"]) == 2 and len(state["snapshots"]["order"]) == RANKS, f"{state['documents']}")
    viewer.key("Down")
    other = viewer.settled("another one", lambda now: now["snapshots"]["selected"] != f"rank {chosen}")["snapshots"]["selected"]
    viewer.key("j")
    viewer.settled("its job, with that rank", lambda now: now["job"] and f"rank {now['job']['rank']}" == other)
    viewer.key("m")
    state = viewer.settled("the same page again", lambda now: now["snapshots"] and now["snapshots"]["read"])
    expect(len(state["documents"]) == 2, f"{state['documents']}")


@check("an archive of ranks opens as a job, and one of its ranks opens in a tab")
def archive_of_ranks(room):
    path = room.folder / "job.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in traces.job(room.folder / "job", 3):
            archive.write(file, file.name)
    viewer = room.start(path)
    state = shown(viewer, 3)
    viewer.key("Down", "Return")
    state = viewer.ready(2)
    expect(state["documents"][1]["file"] == f"{path}#rank0.json", f"these are open: {state['documents']}")


@check("ranks that are dropped together open as one job, a single rank in a tab")
def dropped_ranks(room):
    files = traces.job(room.folder / "job", 3)
    viewer = room.start()
    viewer.settled("the start page")
    viewer.drop(*files)
    state = shown(viewer, 3)
    expect(len(state["documents"]) == 1 and state["title"].startswith("rank0 + 2"),
           f"{state['title']}: these are open: {state['documents']}")
    viewer.drop(files[1])
    state = viewer.ready(2)
    expect(state["documents"][1]["file"] == str(files[1]), f"these are open: {state['documents']}")


@check("O sorts by straggler, H shows totals or steps, N visits the steps, a click on a cell jumps to its step")
def orders_and_steps(room):
    traces.job(room.folder / "job")
    viewer = room.start(room.folder / "job")
    job = shown(viewer)["job"]
    expect(job["steps"] == 3 and job["figure"] == 1, f"a heat map of three steps: {job}")
    expect(job["shown"] == [0, 1, 2, 3], f"the rows are {job['shown']}")
    viewer.key("o")
    viewer.settled("the late rank is first", lambda now: now["job"]["shown"][0] == LATE)
    left, top, right, _ = job["labels"]
    scale = job["row_height"] / 64 if job["row_height"] > 64 else 1
    viewer.click(left + (92 + 60) * scale, top + job["row_height"] / 2)  # the second step of the first row
    state = viewer.settled("its step fills the view", lambda now: now["job"]["ns_per_px"] < job["ns_per_px"] / 2)
    expect(state["job"]["rank"] == LATE, f"the rank is {state['job']['rank']}")
    width = job["lanes"][2] - job["lanes"][0]
    middle = state["job"]["begin_ns"] + state["job"]["ns_per_px"] * width / 2
    expect(10e6 < middle < 20e6, f"the middle is {middle}")
    viewer.key("n")
    viewer.settled("the third step", lambda now: 20e6 < now["job"]["begin_ns"] + now["job"]["ns_per_px"] * width / 2)
    viewer.key("p", "p")
    viewer.settled("the first step", lambda now: now["job"]["begin_ns"] + now["job"]["ns_per_px"] * width / 2 < 10e6)
    viewer.key("h", "h", "h", "h")
    viewer.settled("sums again", lambda now: now["job"]["figure"] == 0)
    viewer.key("o", "o", "o")
    viewer.settled("by number", lambda now: now["job"]["shown"] == [0, 1, 2, 3])
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("E shows a rank's tracks inline, Shift+E the streams of all ranks; Alt+C aligns clocks by hand, Shift+C undoes it")
def tracks_in_place(room):
    traces.job(room.folder / "job")
    viewer = room.start(room.folder / "job")
    shown(viewer)
    viewer.key("Down", "Down", "e")
    state = viewer.settled("its tracks are there", lambda now: now["job"]["tracks"].get("1") == 3)
    expect(list(state["job"]["tracks"]) == ["1"], f"the tracks are {state['job']['tracks']}")
    viewer.key("shift+e")
    viewer.settled("those of all", lambda now: set(now["job"]["tracks"].values()) == {3} and len(now["job"]["tracks"]) == RANKS)
    viewer.key("shift+e", "e")
    viewer.settled("none", lambda now: not now["job"]["tracks"])
    viewer.key("bracketright", "alt+c")
    viewer.settled("aligned by hand", lambda now: now["job"]["by_hand"])
    viewer.key("shift+c")
    viewer.settled("as they were", lambda now: not now["job"]["by_hand"])
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("pages show the messages of a pipeline and the memory of its stages")
def pipeline_pages(room):
    viewer = room.start(traces.pipeline(room.folder / "pipeline"))
    state = shown(viewer, 2)
    expect(state["job"]["rank_memory"] == 2, f"ranks whose memory is known: {state['job']['rank_memory']}")
    viewer.click(*state["job"]["drawer_tabs"]["messages"])
    state = viewer.settled("the pairs are listed", lambda now: now["job"]["messages"]["channels"] > 0)
    expect(state["job"]["messages"] == {"channels": 2, "pipelines": 1}, f"it tells of {state['job']['messages']}")
    viewer.click(*state["job"]["drawer_tabs"]["rank-memory"])
    viewer.settled("the memory is shown")
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("the ranks of a pipeline are grouped by stage, Y changes the grouping; a click selects a step or a cell")
def stages_and_steps(room):
    traces.job(room.folder / "job", stages=2)
    viewer = room.start(room.folder / "job", size="1280x720")
    job = shown(viewer)["job"]
    expect(job["groups"] == 2 and job["grouping"] == 2, f"the groups are {job['groups']} of {job['grouping']}")
    left, top, right, _ = job["lanes"]
    viewer.click((left + right) / 2, top - 10)  # the strip of steps is between the ruler and the rows
    viewer.settled("the step is selected", lambda now: now["job"]["step"] == 1)
    viewer.key("Escape")
    viewer.settled("none is", lambda now: now["job"]["step"] is None)
    viewer.key("y")
    viewer.settled("not grouped", lambda now: now["job"]["groups"] == 0)
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("files that were dropped together are one entry of the recent files, which opens as the same job")
def recent_job(room):
    files = traces.job(room.folder / "job", 3)
    viewer = room.start()
    viewer.settled("the start page")
    viewer.drop(*files)
    title = shown(viewer, 3)["title"]
    viewer.key("ctrl+w")
    viewer.settled("the start page", lambda now: not now["documents"])
    recent = json.loads((viewer.folder / "state" / "kinetoscope" / "recent.json").read_text())["files"]
    expect(len(recent) == 1 and recent[0]["files"] == [str(file) for file in files], f"the recent files are {recent}")
    viewer.key("ctrl+r")
    state = viewer.settled("the menu is open", lambda now: now["menus"]["recent"])
    viewer.click(*state["menus"]["recent"][0])
    state = shown(viewer, 3)
    expect(state["title"] == title, f"the window is called {state['title']}, not {title}")
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")
