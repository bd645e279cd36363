# Covers: start_page, recent_list, file_browser
"""Checks of the UI test: the start page, and the program's own dialog for files and folders."""

import os

import traces
from checks import check, expect
from viewer import span_ns


def without_dialogs(room):
    """Returns a folder without programs for dialogs, so that the program shows its own."""
    empty = room.folder / "bin"
    empty.mkdir(exist_ok=True)
    return empty


@check("the start page lists the last trace with its verdict, and names the folder of a file that is gone")
def recent_verdicts(room):
    gone = room.folder / "gone"
    gone.mkdir()
    first = traces.loader_steps(room.folder / "steps.json", [400_000_000] * 4)
    second = traces.busy(gone / "busy.json", 500)
    viewer = room.start(second, first)
    viewer.ready(2)
    viewer.key("ctrl+Tab")
    viewer.settled("the second trace is shown", lambda now: now["active"] == 1)
    viewer.settled("its verdict is known", lambda now: now["verdict"]["text"])
    expect(viewer.quit() == 0, "quitting is an error")
    second.unlink()
    gone.rmdir()
    viewer = room.start()
    state = viewer.settled("the file that is gone is noticed", lambda now: now["start"] and any(
        file["missing"] for file in now["start"]["recent"]))
    files = {file["path"]: file for file in state["start"]["recent"]}
    expect("data loader" in files[str(first)]["verdict"], f"{files}")
    expect(files[str(first)]["kind"] == "timeline" and not files[str(first)]["missing"], f"{files}")
    expect(files[str(second)]["missing"] == str(gone), f"{files}")
    viewer.click(*files[str(first)]["place"])
    state = viewer.ready(1)
    expect(state["documents"][0]["file"] == str(first), f"{state['documents']}")


@check("buttons of the start page open a folder as a job, and change theme and language")
def begins(room):
    traces.job(room.folder / "job", 3)
    viewer = room.start(path=without_dialogs(room), environment={"HOME": str(room.folder)}, size="1280x720")
    state = viewer.settled("the start page", lambda now: now["start"]["places"])
    viewer.click(*state["start"]["places"]["theme"])
    viewer.settled("the theme is light", lambda now: now["theme"] == "light")
    viewer.click(*state["start"]["places"]["folder"])
    state = viewer.settled("the browser is open", lambda now: now["browser"])
    viewer.click(*state["browser"]["home"])
    viewer.settled("the home folder is listed", lambda now: now["browser"]["folder"] == str(room.folder)
                   and "job" in now["browser"]["entries"])
    viewer.tool("type", "--delay", 20, "~/job/")
    viewer.key("Return")
    state = viewer.settled("the typed folder is listed", lambda now: now["browser"]["folder"].endswith("/job")
                           and len(now["browser"]["entries"]) == 3)
    viewer.click(*state["browser"]["choose_folder"])
    state = viewer.settled("the job is open", lambda now: now["job"] and now["job"]["verdict"])
    expect(state["documents"][0]["file"] == str(room.folder / "job"), f"{state['documents']}")


@check("a typed folder is opened by a second Enter, or by the button, which follows the typed path")
def typed_folder(room):
    for name in ("job", "other"):
        traces.job(room.folder / name, 3)
    (room.folder / "job" / "more").mkdir()
    for name, keys in (("job", 2), ("other", 0)):
        viewer = room.start(path=without_dialogs(room), environment={"HOME": str(room.folder)}, size="1280x720")
        state = viewer.settled("the start page", lambda now: now["start"] and now["start"]["places"])
        viewer.click(*state["start"]["places"]["folder"])
        viewer.settled("the browser is open", lambda now: now["browser"] and now["browser"]["entries"])
        viewer.tool("type", "--delay", 20, f"~/{name}")
        state = viewer.rest()
        if keys == 0:
            viewer.click(*state["browser"]["choose_folder"])
        else:
            viewer.key("Return")
            viewer.settled("the typed folder is listed", lambda now: now["browser"]["folder"].endswith("/job")
                           and now["browser"]["entries"][0] == "more")
            viewer.key("Return")
        state = viewer.settled("the job is open", lambda now: now["job"] and now["job"]["verdict"])
        expect(state["documents"][0]["file"] == str(room.folder / name), f"{state['documents']}")
        viewer.quit()


@check("the program's own dialog lists the newest file first, and opens a typed path")
def newest_first(room):
    for age, name in enumerate(("b.json", "c.json", "a.json")):
        os.utime(traces.busy(room.folder / name, 500), (10_000_000 - age * 100_000,) * 2)
    viewer = room.start(room.folder / "a.json", path=without_dialogs(room))
    viewer.ready()
    viewer.key("ctrl+o")
    state = viewer.settled("the files are listed", lambda now: now["browser"] and "a.json" in now["browser"]["entries"])
    viewer.click(*state["browser"]["date"])

    def json_files(now):
        return [name for name in now["browser"]["entries"] if name.endswith(".json")]
    viewer.settled("the newest is first", lambda now: json_files(now) == ["b.json", "c.json", "a.json"])
    viewer.tool("type", "--delay", 20, str(room.folder / "c.json"))
    viewer.key("Return")
    state = viewer.ready(2)
    expect(state["documents"][1]["file"] == str(room.folder / "c.json"), f"{state['documents']}")


@check("A does not move the view if it was pressed with Ctrl, even after Ctrl is released before it")
def ctrl_a(room):
    viewer = room.landmarks()
    whole = viewer.rest()
    viewer.point(900, 300)
    before = viewer.hold("w", "the span has shrunk", lambda now: span_ns(now) < span_ns(whole) / 4)
    viewer.tool("keydown", "ctrl")
    viewer.tool("keydown", "a")
    viewer.tool("keyup", "ctrl")
    state = viewer.rest()
    viewer.tool("keyup", "a")
    expect(state["view"]["from_ns"] == before["view"]["from_ns"], "the view has moved")
    viewer.hold("a", "without Ctrl it moves", lambda now: now["view"]["from_ns"] < before["view"]["from_ns"])
