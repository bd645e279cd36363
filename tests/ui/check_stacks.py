# Covers: flame_page, stack_flame, table_grid, report_command
"""Checks of the UI test: flame graphs of a timeline, modules, and column filters of tables."""

import subprocess

from check_tables import KERNELS, choose, click, open_tables
from checks import check, expect
import traces
from traces import SECOND


def flame_of(viewer, what, holds):
    return viewer.settled(what, lambda now: now["flame"] and holds(now["flame"]))["flame"]


@check("Shift+F shows CPU time by stack, Shift+V GPU time, Shift+B flips the graph; a marked range restricts it")
def stack_flame(room):
    viewer = room.landmarks()
    viewer.key("shift+f")
    flame = flame_of(viewer, "the flame graph is there", lambda now: now["boxes"] and now["time"] == "cpu")
    expect(flame["total"] == 10 * SECOND, f"it sums up {flame['total']}")
    names = [place[0] for place in flame["boxes"]]
    expect(names[:3] == ["All", "whole", "aten::addmm"], f"the boxes are {names}")
    _, x, y, _ = next(place for place in flame["boxes"] if place[0] == "aten::addmm")
    viewer.click(x, y)
    flame_of(viewer, "it is zoomed to", lambda now: now["focus"] == "aten::addmm")
    viewer.key("shift+b")
    flame_of(viewer, "it is turned over", lambda now: now["bottom_up"])
    viewer.key("shift+v")
    flame_of(viewer, "it is of the GPU", lambda now: now["time"] == "device" and now["total"] < 10 * SECOND)
    viewer.key("shift+f")
    viewer.settled("the drawer is closed", lambda now: not now["view"]["drawer"])
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("the table of modules is a tree; Shift+K shows a filter row, whose filters select rows")
def modules_and_conditions(room):
    events = [traces.slice_event("nn.Module: Net_0", 0, SECOND, category="python_function"),
              traces.slice_event("nn.Module: Linear_0", 1000, SECOND // 4, category="python_function"),
              traces.slice_event("aten::linear", 2000, SECOND // 8)]
    viewer = room.start(traces.write(room.folder / "modules.json", events))
    viewer.ready()
    open_tables(viewer)
    state = choose(viewer, "modules", ["Net_0", "Linear_0"])
    expect(state["tables"]["depths"] == [0, 1], f"the depths are {state['tables']['depths']}")
    viewer.key("shift+k")
    state = viewer.settled("there are fields", lambda now: "host_total_ns" in now["tables"]["filters"])
    click(viewer, state["tables"]["filters"]["host_total_ns"])
    viewer.tool("type", "--delay", "20", "<500ms")
    viewer.settled("one module is left", lambda now: now["tables"]["names"] == ["Linear_0"])
    viewer.key("Escape")
    click(viewer, state["tables"]["controls"]["filters"])
    viewer.settled("without fields there are no conditions", lambda now: now["tables"]["names"] == ["Net_0", "Linear_0"])
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")


@check("the menu of a cell copies it, or filters rows by its value")
def cell_menu(room):
    viewer = room.landmarks()
    open_tables(viewer)
    state = choose(viewer, "kernels", KERNELS)

    def pick(item):
        viewer.point(*state["tables"]["first_row"])
        viewer.rest()
        viewer.tool("click", 3)
        menu = viewer.settled("the menu is open", lambda now: item in now["tables"]["cell_items"])
        click(viewer, menu["tables"]["cell_items"][item])

    pick("copy_cell")
    click(viewer, state["tables"]["controls"]["filter"])
    viewer.key("ctrl+v")
    viewer.settled("its text was copied", lambda now: now["tables"]["filter"] == "gemm_kernel")
    viewer.key("ctrl+a")
    viewer.key("Delete")
    viewer.key("Escape")
    viewer.settled("all rows are there", lambda now: now["tables"]["names"] == KERNELS)
    pick("only_like_this")
    viewer.settled("one row is left", lambda now: now["tables"]["names"] == ["gemm_kernel"])


@check("kinetoscope report writes a page without external resources")
def report(room):
    trace = traces.landmarks(room.folder / "landmarks.pt.trace.json")
    page = room.folder / "report.html"
    done = subprocess.run([room.arguments.kinetoscope, "report", str(trace), str(page)], capture_output=True, text=True, check=False)
    expect(done.returncode == 0 and done.stderr == "", f"it says {done.stderr}")
    text = page.read_text()
    expect("gemm_kernel" in text and "<h2 id=\"kernels\">" in text, "the kernels are not on the page")
    expect("data:image/png;base64," in text, "there is no picture of the timeline")
    expect("<script" not in text and "http://" not in text and "https://" not in text, "the page loads something")
    none = subprocess.run([room.arguments.kinetoscope, "report", str(room.folder / "absent.json"), str(page)],
                          capture_output=True, text=True, check=False)
    expect(none.returncode == 1 and none.stderr.startswith("kinetoscope: "), f"without a file it says {none.stderr}")
