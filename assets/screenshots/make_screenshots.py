#!/usr/bin/env python3
"""Replaces the pictures of README.md and of assets/guide, drawn in the program's real window:

    python3 assets/screenshots/make_screenshots.py KINETOSCOPE DATA [NAME...]

DATA is the folder with the real files (../shared/data). growth.png is drawn from figures of the benchmark. Needs Xvfb and
xdotool, as the tests do, and for report.png a Chromium.
"""

import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent.parent / "tests" / "ui"), str(HERE.parent.parent / "tests")]

from check_search import search  # noqa: E402
from png import write_png  # noqa: E402
from viewer import Viewer, x_of  # noqa: E402
from virtual_display import VirtualDisplay  # noqa: E402

TRACE = "kineto/torchtitan-4rank-runB/rank000000_trace.json.gz"
JOB = "64 made ranks"
JOB_RECIPE = ("--tp", "8", "--dp", "8", "--steps", "14", "--cause", "17:2:gc:30000", "--cause", "42:*:slow:60", "--cause",
              "30:9:loader:15000", "--seed", "5")
RUNS = ("kineto/kineto/samples_resnet50_num_workers_0__worker0.pt.trace.json.gz",
        "kineto/kineto/samples_resnet50_num_workers_4__worker0.pt.trace.json.gz")
LAYERS = "kineto/tracelens/traces_h100__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz"
LEDGER = "kineto/modded-nanogpt/profile-rank0-trace.json.gz"
SNAPSHOT = "snapshot/Wedsonlin-assignment2-systems/medium_512_training_memory_snapshot.pickle"
MS = 1_000_000


def find(viewer, query):
    """Selects the first hit and leaves the search."""
    search(viewer, query)
    viewer.settled("there are hits", lambda state: state["search"]["hits"] > 0)
    viewer.key("Return")
    viewer.settled("the first is selected", lambda state: state["search"]["current"] == 0)
    viewer.key("ctrl+a", "Delete", "Escape")
    return viewer.settled("the search is over", lambda state: not state["search"]["open"])


def timeline(viewer):
    find(viewer, "flash_bwd_convert_dq_kernel")
    viewer.key("r")


def selection(viewer):
    find(viewer, "flash_fwd_kernel")
    viewer.key("f")


def marked_range(viewer):
    state = viewer.rest()
    y = state["view"]["area"][1] - 40
    viewer.point(x_of(state, 33 * MS), y)
    viewer.tool("mousedown", 1)
    viewer.point(x_of(state, 50 * MS), y)
    viewer.rest()
    viewer.point(x_of(state, 56 * MS), y)
    viewer.rest()
    viewer.tool("mouseup", 1)
    viewer.rest()


def hits(viewer):
    for _ in range(4):
        viewer.key("c")
    search(viewer, "all_gather dur>1ms")


def job(viewer):
    viewer.key("bracketright")
    viewer.settled("one is selected", lambda state: state["job"]["collective"] is not None)
    viewer.key("r")


def diff(viewer):
    viewer.settled("they are compared", lambda now: now["comparison"] and now["comparison"]["read"])


def tables(viewer):
    viewer.key("shift+t")
    state = viewer.settled("there is a table", lambda now: now["tables"]["rows"] > 0 or now["tables"]["kind"])
    while state["tables"]["kind"] != "operators":
        before = state["tables"]["kind"]
        viewer.key("ctrl+Down")
        state = viewer.settled("another table", lambda now: now["tables"]["kind"] != before)  # noqa: B023
    viewer.settled("its rows are there", lambda now: now["tables"]["rows"] > 0)


def snapshot(viewer):
    viewer.key("shift+f")
    viewer.settled("the flame graph is there", lambda state: state["snapshot"]["flame"])


def summary(viewer):
    viewer.key("ctrl+shift+2")
    viewer.settled("the summary is there", lambda now: now["summary"] and now["summary"]["computed"])


def layers(viewer):
    viewer.key("z")
    viewer.settled("the layers are there", lambda now: now["layers"] and now["layers"]["computed"])


def ledger(viewer):
    viewer.key("alt+l")
    viewer.settled("the ledger is there", lambda now: now["ledger"] and now["ledger"]["computed"])


PICTURES = {"timeline": (TRACE, (1600, 900), timeline), "selection": (TRACE, (1400, 800), selection),
            "range": (TRACE, (1400, 800), marked_range), "search": (TRACE, (1400, 800), hits),
            "tables": (TRACE, (1400, 800), tables),
            "diff": (RUNS, (1600, 1000), diff), "summary": (RUNS[0], (1600, 900), summary),
            "layers": (LAYERS, (1600, 900), layers), "ledger": (LEDGER, (1600, 900), ledger),
            "job": (JOB, (1600, 900), job), "snapshot": (SNAPSHOT, (1600, 900), snapshot)}


def picture_of_report(program, data, folder):
    """The begin of a page written by `kinetoscope report`, drawn by a browser."""
    page = pathlib.Path(folder) / "report.html"
    subprocess.run([program, "report", data / TRACE, page], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1400,900",
                    f"--screenshot={HERE / 'report.png'}", page.as_uri()], check=True, stderr=subprocess.DEVNULL)


def main():
    program, data, wanted = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:] or [*PICTURES, "report"]
    with tempfile.TemporaryDirectory(prefix="kinetoscope-pictures-") as folder:
        display = VirtualDisplay(folder)
        for name in wanted:
            if name == "report":
                picture_of_report(program, data, folder)
                continue
            file, (width, height), act = PICTURES[name]
            opened = [data / one for one in ((file,) if isinstance(file, str) else file)]
            if file == JOB:
                opened = [pathlib.Path(folder) / "64-ranks"]
                subprocess.run([sys.executable, data.parent / "tools" / "make_job.py", *JOB_RECIPE, *opened], check=True,
                               stdout=subprocess.DEVNULL)
            viewer = Viewer(program, None, display, pathlib.Path(folder) / name, opened,
                            ("--no-cache", "--scale", "1", "--size", f"{width}x{height}",
                             *(("--diff",) if len(opened) > 1 else ())))
            try:
                viewer.attach()
                viewer.point(2, display.HEIGHT - 2)
                if len(opened) == 1:
                    viewer.ready()
                act(viewer)
                viewer.point(2, display.HEIGHT - 2)
                viewer.rest()
                write_png(HERE / f"{name}.png", width, height, viewer.resting_picture().rgb(0, 0, width, height))
            finally:
                viewer.kill()
        display.close()


if __name__ == "__main__":
    main()
