# Covers: comparison_panel, comparison_head, comparison_charts, comparison_pages, comparison_state,
#   compared_sides
"""Checks of the UI test: the page that compares two runs."""

import traces
from checks import check, expect

SECOND = traces.SECOND
MILLISECOND = 1_000_000


def run_of(path, gemm_ms, extra=False, gpu="A100"):
    """Writes six steps of 100 ms with one kernel each, or two with `extra`. Kernels of later steps are slightly longer."""
    events = []
    for step in range(6):
        begin = step * 100 * MILLISECOND
        number = 10 * step + 1
        events.append(traces.slice_event(f"ProfilerStep#{step}", begin, 100 * MILLISECOND, category="user_annotation"))
        for i in range(2 if extra else 1):
            launch = begin + (1 + 40 * i) * MILLISECOND
            events.append(traces.slice_event("aten::mm", launch, 2 * MILLISECOND, category="cpu_op"))
            events.append(traces.slice_event("cudaLaunchKernel", launch + MILLISECOND, MILLISECOND // 2,
                                             category="cuda_runtime", correlation=number + i))
            length = (gemm_ms if i == 0 else 3) * MILLISECOND + step * 1000
            events.append(traces.kernel("gemm_kernel" if i == 0 else "other_kernel", launch + 2 * MILLISECOND, length,
                                        correlation=number + i))
    return traces.write(path, events, deviceProperties=[{"id": 0, "name": gpu}])


@check("two open traces are compared: verdict, waterfall, ribbons, rows; Tab visits changes, X swaps, Enter opens the trace")
def compares_runs(room):
    a = run_of(room.folder / "before.pt.trace.json", 20)
    b = run_of(room.folder / "after.pt.trace.json", 30, extra=True)
    viewer = room.start(a, b)
    viewer.ready(2)
    viewer.key("ctrl+shift+d")
    state = viewer.settled("they are compared", lambda now: now["comparison"] and now["comparison"]["read"])
    shown = state["comparison"]
    expect(shown["sides"] == ["before", "after"] and shown["step"]["n"] == [6, 6], f"{shown}")
    expect(abs(shown["waterfall"]["compute"] - 13 * MILLISECOND) < 10_000, f"compute changed by {shown['waterfall']}")
    expect(abs(sum(shown["waterfall"].values())) < 1, "steps of one length changed")
    expect(shown["ribbons"]["count"] > 0, "nothing is joined")
    viewer.key("Tab")
    state = viewer.settled("the largest change is selected", lambda now: now["comparison"]["row"])
    expect(state["comparison"]["row"] == "gemm_kernel", f"{state['comparison']['row']}")
    viewer.key("Tab")
    viewer.settled("and the next", lambda now: now["comparison"]["row"] == "other_kernel")
    viewer.key("x")
    state = viewer.settled("they are swapped", lambda now: now["comparison"]["sides"] == ["after", "before"]
                           and abs(now["comparison"]["waterfall"]["compute"] + 13 * MILLISECOND) < 10_000)
    viewer.key("y")
    viewer.settled("rows are joined otherwise", lambda now: now["comparison"]["key"] == "short")
    viewer.key("Tab")
    viewer.settled("a row is selected", lambda now: now["comparison"]["row"])
    viewer.key("Return")
    viewer.settled("its kernel is shown in its trace", lambda now: now["view"] and now["view"]["selected_name"] == "gemm_kernel")


@check("runs on different GPUs are refused with the checks; Ctrl+Enter forces the comparison; --diff opens both")
def refuses_runs(room):
    a = run_of(room.folder / "a100.pt.trace.json", 20)
    b = run_of(room.folder / "h100.pt.trace.json", 10, gpu="H100")
    viewer = room.start(a, b, options=("--diff",))
    state = viewer.settled("they are refused", lambda now: now["comparison"] and now["comparison"]["read"])
    expect(state["comparison"]["refused"] and not state["comparison"]["forced"], f"{state['comparison']}")
    expect("%" not in state["comparison"]["verdict"] + state["comparison"]["statistics"], f"{state['comparison']}")
    expect(state["comparison"]["tables"]["kind"] == "checks", f"{state['comparison']['tables']}")
    viewer.key("ctrl+Return")
    state = viewer.settled("they are compared", lambda now: now["comparison"]["forced"])
    expect(state["comparison"]["verdict"].startswith("No significant"), f"{state['comparison']['verdict']}")
    viewer.settled("what changed is shown", lambda now: now["comparison"]["tables"]["kind"] == "changes")


@check("two jobs are compared rank by rank: the head names the rank whose own work changed, Enter on a row opens its trace")
def compares_jobs(room):
    traces.job(room.folder / "before", late=2)
    traces.job(room.folder / "after", late=1)
    viewer = room.start(room.folder / "before", room.folder / "after", options=("--diff",))
    state = viewer.settled("they are compared", lambda now: now["comparison"] and now["comparison"]["read"])
    shown = state["comparison"]
    expect(shown["sides"] == ["before", "after"] and not shown["refused"], f"{shown}")
    expect(shown["ribbons"]["count"] > 0, "nothing is joined")
    viewer.key("ctrl+Up")
    state = viewer.settled("the ranks are listed", lambda now: now["comparison"]["tables"]["kind"] == "rank-changes"
                           and now["comparison"]["tables"]["rows"] == 4)
    viewer.key("x")
    viewer.settled("they are swapped, and the tab says so",
                   lambda now: now["comparison"]["sides"] == ["after", "before"] and "after ↔ before" in now["title"])
    viewer.key("Tab")
    viewer.settled("a row is selected", lambda now: now["comparison"]["row"])
    viewer.key("Return")
    state = viewer.ready(4)
    expect("rank" in state["documents"][-1]["file"], f"{state['documents']}")
