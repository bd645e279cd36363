# Covers: trace_chooser, folder_pages, contained_traces
"""Checks of the UI test: archives, folders, pipes and the standard input."""

import os
import zipfile

import traces
from checks import check, expect

RANKS = 4


def ranks(folder, count=RANKS):
    """Writes `count` traces whose kernels contain their rank, and a file that is not a trace."""
    folder.mkdir(exist_ok=True)
    (folder / "notes.txt").write_text("no trace")
    return [traces.write(folder / f"rank{i}.json", [traces.slice_event("whole", 0, traces.LENGTH_NS),
                                                    traces.kernel(f"kernel_of_rank_{i}", traces.SECOND, traces.SECOND)])
            for i in range(count)]


def archive_of(room, count=RANKS):
    path = room.folder / "ranks.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in ranks(room.folder / "ranks", count):
            archive.write(file, f"run/{file.name}")
        archive.writestr("run/notes.txt", "no trace")
    return path


def asked(viewer, count=RANKS):
    return viewer.wait("the sheet lists the traces",
                       lambda now: now["choosing"] and len(now["choosing"]["traces"]) == count)


def files_of(state):
    return [document["file"] for document in state["documents"]]


@check("an archive with several traces lists them, and the marked ones open in separate tabs")
def choose_some(room):
    archive = archive_of(room)
    viewer = room.start(archive)
    state = asked(viewer)
    expect([trace["name"] for trace in state["choosing"]["traces"]] == [f"run/rank{i}.json" for i in range(RANKS)],
           f"it lists {state['choosing']}")
    expect(state["documents"] == [], "the archive itself has a tab")
    viewer.key("Down", "space", "Down", "Down", "space")
    viewer.wait("two are marked", lambda now: [trace["marked"] for trace in now["choosing"]["traces"]] ==
                [False, True, False, True])
    viewer.key("Return")
    state = viewer.ready(2)
    expect(files_of(state) == [f"{archive}#run/rank1.json", f"{archive}#run/rank3.json"], f"these are open: {files_of(state)}")
    expect(all(document["state"] == "ready" and document["slices"] == 2 for document in state["documents"]),
           f"they are {state['documents']}")
    expect(state["choosing"] is None and state["title"].startswith("rank1"), f"the window is called {state['title']}")
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("Enter opens the trace at the cursor, Ctrl+A marks all, Esc opens none")
def choose_by_keys(room):
    archive = archive_of(room)
    viewer = room.start(archive)
    asked(viewer)
    viewer.key("Escape")
    viewer.settled("the start page", lambda now: now["choosing"] is None and not now["documents"])
    viewer.drop(archive)
    asked(viewer)
    viewer.key("Down", "Return")
    state = viewer.ready(1)
    expect(files_of(state) == [f"{archive}#run/rank1.json"], f"these are open: {files_of(state)}")
    viewer.drop(archive)
    asked(viewer)
    viewer.key("ctrl+a", "Return")
    state = viewer.ready(RANKS)
    expect(len(set(files_of(state))) == RANKS, f"these are open: {files_of(state)}")


@check("a dropped folder lists its traces; a click marks one, 'Open all' opens all")
def drop_folder(room):
    files = ranks(room.folder / "ranks")
    viewer = room.start()
    viewer.settled("the start page")
    viewer.drop(room.folder / "ranks")
    state = asked(viewer)
    expect([trace["name"] for trace in state["choosing"]["traces"]] == [file.name for file in files],
           f"it lists {state['choosing']}")
    state = viewer.rest()  # the sheet is laid out
    left, top, width, height = state["choosing"]["area"]
    viewer.click(left + width / 2, top + height * 0.4)
    viewer.wait("a line is marked", lambda now: sum(trace["marked"] for trace in now["choosing"]["traces"]) == 1)
    x, y = state["choosing"]["open_all"]
    viewer.click(x, y)
    state = viewer.ready(RANKS)
    expect(files_of(state) == [str(file) for file in files], f"these are open: {files_of(state)}")


@check("an archive with one trace opens at once; a folder without traces is reported in one sentence")
def one_or_none(room):
    archive = archive_of(room, 1)
    (room.folder / "empty").mkdir()
    viewer = room.start(archive, room.folder / "empty")
    state = viewer.ready(2)
    one, none = state["documents"]
    expect(one["file"] == str(archive) and one["state"] == "ready" and one["slices"] == 2, f"the archive is {one}")
    expect(none["state"] == "failed" and "no trace in this folder" in none["error"], f"the folder is {none}")


@check("a named pipe loads once data is written to it; until then the window responds and Esc cancels")
def named_pipe(room):
    pipe = room.folder / "pipe.json"
    os.mkfifo(pipe)
    viewer = room.start(pipe)
    viewer.wait("it is loading", lambda now: [document["state"] for document in now["documents"]] == ["loading"])
    viewer.key("Escape")
    viewer.settled("the start page", lambda now: not now["documents"])
    viewer.drop(pipe)
    viewer.wait("it is loading", lambda now: [document["state"] for document in now["documents"]] == ["loading"])
    pipe.write_bytes(ranks(room.folder / "ranks")[0].read_bytes())
    state = viewer.ready(1)
    expect(state["documents"][0]["slices"] == 2, f"the pipe gave {state['documents']}")
