# Covers: job_siblings, inspector_frame, inspector_content, hang_content, job_inspector, rank_menu
"""Checks of the UI test: the job of an opened trace, and the inspectors of jobs and hung jobs."""

import check_hang
import check_job
import traces
from check_views import click
from checks import check, expect


@check("a trace with other ranks in its folder offers their job; the button opens it, and later shows its tab")
def siblings(room):
    files = traces.job(room.folder / "job")
    viewer = room.start(files[1])
    state = viewer.settled("the job is offered", lambda now: now["verdict"]["job"])
    expect(state["verdict"]["job_ranks"] == 4, f"{state['verdict']['job_ranks']} ranks are offered")
    click(viewer, state["verdict"]["job"])
    state = check_job.shown(viewer)
    expect(len(state["documents"]) == 2, f"these are open: {state['documents']}")
    viewer.key("ctrl+Tab")
    state = viewer.settled("the trace is back", lambda now: now.get("verdict") and now["verdict"]["job"])
    click(viewer, state["verdict"]["job"])
    state = check_job.shown(viewer)
    expect(len(state["documents"]) == 2, f"these are open: {state['documents']}")


@check("a trace alone in its folder offers no job")
def no_siblings(room):
    files = traces.job(room.folder / "job")
    for path in files[1:]:
        path.unlink()
    viewer = room.start(files[0])
    state = viewer.settled("the verdict is there", lambda now: now["verdict"]["text"])
    expect(state["verdict"]["job"] is None, "a job is offered")


@check("the inspector of a job sums the view, then shows the selected rank and collective, whose text can be copied")
def job_inspector(room):
    traces.job(room.folder / "job")
    viewer = room.start(room.folder / "job", inspector=True)
    check_job.shown(viewer)
    state = viewer.settled("the view is summed", lambda now: "Collectives in view" in now["job"]["inspector"]["text"])
    row = f"Rank {check_job.LATE}"
    expect(row in state["job"]["inspector"]["places"], f"the inspector shows {state['job']['inspector']}")
    click(viewer, state["job"]["inspector"]["places"][row])
    state = viewer.settled("the rank is shown", lambda now: now["job"]["inspector"]["title"] == row)
    expect(state["job"]["rank"] == check_job.LATE, f"rank {state['job']['rank']} is selected")
    viewer.key("bracketright")
    state = viewer.settled("the collective is shown", lambda now: now["job"]["inspector"]["title"] == "Collective")
    click(viewer, state["job"]["inspector"]["places"]["copy"])
    expect("arrived last" in viewer.clipboard(), f"the clipboard has {viewer.clipboard()}")
    viewer.key("Escape")
    viewer.settled("the view is summed again", lambda now: now["job"]["inspector"]["title"] == "In view")


@check("a right click on a rank opens its menu; a narrow window and the key have no inspector")
def job_menu(room):
    traces.job(room.folder / "job")
    viewer = room.start(room.folder / "job", inspector=True)
    state = check_job.shown(viewer)
    left, top, right, _ = state["job"]["labels"]
    viewer.click((left + right) / 4, top + state["job"]["row_height"] / 2, button=3)
    state = viewer.settled("the menu is open", lambda now: now["job"]["menu_items"] > 3)
    expect(state["job"]["rank"] == 0, f"rank {state['job']['rank']} is selected")
    viewer.key("Escape")
    viewer.key("ctrl+shift+i")
    viewer.settled("the inspector is closed", lambda now: now["job"]["inspector"] is None)
    viewer.quit()
    viewer = room.start(room.folder / "job", inspector=True, size="1280x720")
    expect(check_job.shown(viewer)["job"]["inspector"] is None, "there is an inspector")


@check("a hung job shows the command for the stack of its straggler, and an inspector of ranks")
def hang_inspector(room):
    folder = check_hang.folder_of(room)
    viewer = room.start(folder, inspector=True)
    state = viewer.settled("the dumps are shown", lambda now: now["hang"] and now["hang"]["copy"])
    click(viewer, state["hang"]["copy"][0])
    expect("RANK=1 " in viewer.clipboard(), f"the clipboard has {viewer.clipboard()}")
    expect(state["hang"]["inspector"]["title"] == "Overview", f"the inspector shows {state['hang']['inspector']}")
    click(viewer, state["hang"]["rank_places"][0])
    state = viewer.settled("the rank is shown", lambda now: now["hang"]["inspector"]["title"] == "Rank 1")
    expect("Rank 1 is stuck in" in state["hang"]["inspector"]["text"], f"the inspector shows {state['hang']['inspector']}")
    click(viewer, state["hang"]["inspector"]["places"]["Back to the overview"])
    viewer.settled("the overview is back", lambda now: now["hang"]["inspector"]["title"] == "Overview")
