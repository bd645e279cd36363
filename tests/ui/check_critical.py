# Covers: critical_panel, critical_content, critical_state, forecast_list, forecast_texts, path_lanes, path_table, setting_sliders
"""Checks of the UI test: the page of the critical path, its forecasts and settings, and the way back to the timeline."""

import traces
from checks import check, expect

MS = 1_000_000
STEP_NS = 600 * MS
STEPS = 4
LOAD_NS = 100 * MS
KERNEL_NS = 400 * MS


def waiting_steps(path):
    """Writes steps that load data, launch a kernel, wait for it, and then run an operator until the step ends."""
    events = []
    for number in range(STEPS):
        begin = number * STEP_NS
        launch = begin + LOAD_NS
        kernel = launch + 20_000
        waited = kernel + KERNEL_NS + 10_000
        events += [traces.slice_event(f"ProfilerStep#{number}", begin, STEP_NS, category="user_annotation"),
                   traces.slice_event(traces.LOADER, begin, LOAD_NS),
                   traces.slice_event("cudaLaunchKernel", launch, 10_000, category="cuda_runtime", correlation=number + 1),
                   traces.kernel("gemm_kernel", kernel, KERNEL_NS, correlation=number + 1),
                   traces.slice_event("cudaDeviceSynchronize", launch + 10_000, waited - launch - 10_000,
                                      category="cuda_runtime"),
                   traces.slice_event("aten::add_", waited, begin + STEP_NS - waited)]
    return traces.write(path, events)


@check("Alt+I shows the critical path by cause, X applies a forecast, and Enter shows a piece in the timeline")
def critical_path(room):
    viewer = room.start(waiting_steps(room.folder / "steps.json"))
    viewer.ready()
    viewer.key("alt+i")
    state = viewer.settled("the path and the forecasts are computed",
                           lambda now: now["critical"] and now["critical"]["computed"] and now["critical"]["forecasts"])
    page = state["critical"]
    expect(state["view"] is None, "the timeline is shown, too")
    expect(page["window_ns"] == STEPS * STEP_NS, f"the window is {page['window_ns']} ns")
    expect(sum(page["causes"].values()) == page["window_ns"], f"the causes are {page['causes']}")
    expect(page["causes"]["compute"] == STEPS * KERNEL_NS, f"the causes are {page['causes']}")
    expect(page["causes"]["loader"] == STEPS * LOAD_NS, f"the causes are {page['causes']}")
    expect(page["explained"] > 0.99, f"the explained share is {page['explained']}")
    expect("GPU work" in page["headline"], f"the verdict is {page['headline']}")
    rows = [row["setting"] for row in page["forecasts"]]
    expect("loader=0" in rows and "compute" in page["sliders"], f"the forecasts are {rows}")
    for _ in range(rows.index("loader=0") + 1):
        viewer.key("Down")
    viewer.key("x")
    page = viewer.settled("the setting is applied", lambda now: now["critical"]["retimed_ns"] is not None)["critical"]
    expect(page["settings"] == ["loader=0"], f"the settings are {page['settings']}")
    expect(page["retimed_ns"] == STEPS * (STEP_NS - LOAD_NS), f"the path takes {page['retimed_ns']} ns")
    viewer.key("0")
    viewer.settled("the settings are reset", lambda now: now["critical"]["retimed_ns"] is None)
    viewer.key("v")
    viewer.settled("another table is shown", lambda now: now["critical"]["table"] == "name")
    viewer.key("bracketright")
    viewer.settled("the longest piece is selected", lambda now: now["critical"]["piece"] == 0)
    viewer.key("Return")
    state = viewer.settled("the timeline is shown", lambda now: now["view"] is not None)
    expect(state["critical"] is None, "the page is shown, too")
    expect(state["view"]["selection"] is not None, "no slice is selected")
    viewer.key("alt+i")
    viewer.settled("the page is shown again", lambda now: now["critical"] and now["critical"]["piece"] == 0)
    viewer.key("Escape")
    viewer.settled("Esc shows the timeline", lambda now: now["view"] is not None)


@check("a click on the lane of the critical path shows the piece in the timeline")
def click_on_lane(room):
    viewer = room.start(waiting_steps(room.folder / "steps.json"))
    viewer.ready()
    viewer.key("alt+i")
    state = viewer.settled("the path is computed", lambda now: now["critical"] and now["critical"]["computed"])
    left, top, right, _ = state["critical"]["path_lane"]
    viewer.click(left + (right - left) * 0.08, top + 8)
    state = viewer.settled("the timeline is shown", lambda now: now["view"] is not None)
    expect(state["view"]["selection"] is not None, "no slice is selected")


@check("a trace whose path is mostly unexplained has no forecast, and says so")
def unexplained(room):
    events = [traces.slice_event("cudaLaunchKernel", 0, 10_000, category="cuda_runtime", correlation=1),
              traces.kernel("gemm_kernel", 800 * MS, 10 * MS, correlation=1)]
    viewer = room.start(traces.write(room.folder / "late.json", events))
    viewer.ready()
    viewer.key("alt+i")
    state = viewer.settled("the path is computed", lambda now: now["critical"] and now["critical"]["computed"])
    page = state["critical"]
    expect(page["explained"] < 0.9, f"the explained share is {page['explained']}")
    expect(page["forecasts"] == [], f"the forecasts are {page['forecasts']}")
    expect("Less than 90 %" in page["evidence"], f"the page says {page['evidence']}")
    expect(page["table"] == "name", f"the table is {page['table']}, so the reasons are not shown")
