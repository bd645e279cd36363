# Covers: critical_panel, critical_view, job_path_page, path_ranks, rank_reading, critical_content, critical_state, forecast_list, forecast_texts, path_lanes, path_table, setting_sliders
"""Checks of the UI test: the page of the critical path, its forecasts and settings, the way back to the timeline,
and the view of a job."""

import json

import traces
from check_views import click
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


def late_job(folder):
    """Writes two ranks with rounds of 1 ms: an operator that ends with the launch of an all-reduce, and a call that waits
    for it. The operator of rank 1 is 400 us longer."""
    folder.mkdir()
    files = []
    for rank, operator in enumerate((200_000, 600_000)):
        events = []
        for number in range(STEPS):
            begin = number * MS + 1000
            start = begin + operator + 5_000
            events += [traces.slice_event("aten::mm", begin, operator),
                       traces.slice_event("cudaLaunchKernel", begin + operator - 10_000, 10_000, category="cuda_runtime",
                                          correlation=number + 1),
                       traces.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", start, begin + 700_000 - start,
                                     correlation=number + 1, **{
                                         "Collective name": "allreduce", "In msg nelems": 1000, "Out msg nelems": 1000,
                                         "Group size": 2, "dtype": "Float", "Process Group Name": "0",
                                         "Process Group Ranks": "[0, 1]", "Seq": number}),
                       traces.slice_event("cudaDeviceSynchronize", begin + operator, 705_000 - operator,
                                          category="cuda_runtime"),
                       traces.slice_event("aten::item", begin + 705_000, 295_000)]
        path = folder / f"rank{rank}.json"
        head = {**traces.HEAD, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 2}}
        path.write_text(json.dumps({**head, "traceEvents": traces.NAMES + events, "traceName": path.name}))
        files.append(path)
    return files


@check("the view of a job has its critical path through all ranks; a click on a row opens the trace of its rank")
def path_of_job(room):
    files = late_job(room.folder / "job")
    viewer = room.start(room.folder / "job", size="1280x800")
    state = viewer.settled("the job is shown", lambda now: now["job"] and now["job"]["ranks"] == [0, 1])
    expect(state["job"]["critical_path"]["read"] == 0, "the traces are read although the view is not shown")
    click(viewer, state["views"]["critical-path"])
    state = viewer.settled("the path and the forecasts are computed",
                           lambda now: now["job"]["critical_path"].get("forecasts"))
    page = state["job"]["critical_path"]
    expect(page["window_ns"] == STEPS * MS, f"the window is {page['window_ns']} ns")
    expect(sum(row["time_ns"] for row in page["ranks"]) == page["window_ns"], f"the rows are {page['ranks']}")
    expect(page["ranks"][1]["time_ns"] > page["ranks"][0]["time_ns"], f"the rows are {page['ranks']}")
    expect("Rank 1 has the longest part" in page["evidence"], f"the page says {page['evidence']}")
    rows = [row["setting"] for row in page["forecasts"]]
    expect("rank:1=median" in rows, f"the forecasts are {rows}")
    left, top, _, bottom = page["ranks_box"]
    expect(bottom > top, f"the rows of the ranks have no room: {page['ranks_box']}")
    viewer.click(left + 40, top + 1.5 * (bottom - top) / 2.5)
    state = viewer.ready(2)
    expect(state["documents"][1]["file"] == str(files[1]), f"these are open: {state['documents']}")
    expect(viewer.errors() == "", f"there are errors: {viewer.errors()}")
