# Covers: serving_panel, serving_content, serving_state, serving_verdict, iteration_plot, serving_lists, part_chart
"""Checks of the UI test: the page of the iterations of an inference engine, its stalls, and the way to the timeline."""

import traces
from checks import check, expect

MS = 1_000_000
DECODE_NS = 10 * MS
PREFILL_NS = 40 * MS
DECODES = 8
STALLED = (4, 9)  # indices of the prefills


def engine(path):
    """Writes iterations that follow each other without gaps, each with a mark, a launch and a kernel."""
    events = []
    now = 0
    for number in range(DECODES + len(STALLED) + 1):
        prefill = number in STALLED
        length = PREFILL_NS if prefill else DECODE_NS
        name = "execute_context_2(200)_generation_0(0)" if prefill else "execute_context_0(0)_generation_4(4)"
        events += [traces.slice_event(name, now, MS, category="user_annotation"),
                   traces.slice_event("cudaLaunchKernel", now + 10_000, 10_000, category="cuda_runtime",
                                      correlation=number + 1),
                   traces.kernel("nvjet_gemm", now + 50_000, length, correlation=number + 1)]
        now += length
    return traces.write(path, events)


def opened(room):
    viewer = room.start(engine(room.folder / "engine.json"))
    viewer.ready()
    viewer.key("alt+v")
    return viewer, viewer.settled("the iterations are found", lambda now: now["serving"] and now["serving"]["computed"])


@check("Alt+V shows the iterations of an engine, ] and [ go from stall to stall, and Enter shows one in the timeline")
def serving(room):
    viewer, state = opened(room)
    page = state["serving"]
    expect(state["view"] is None, "the timeline is shown, too")
    expect(page["iterations"] == DECODES + len(STALLED) + 1, f"there are {page['iterations']} iterations")
    expect(page["used"] == page["iterations"] - 1, f"the statistics have {page['used']} iterations")
    expect([stall["iteration"] for stall in page["stalls"]] == list(STALLED), f"the stalls are {page['stalls']}")
    expect(all(stall["ns"] == PREFILL_NS for stall in page["stalls"]), f"the stalls are {page['stalls']}")
    expect("Prefill stalls decode" in page["headline"], f"the headline is {page['headline']}")
    for group in page["groups"]:
        expect(group["parts_ns"] == group["total_ns"], f"the parts do not add up: {group}")
    decode = next(group for group in page["groups"] if group["phase"] == "decode")
    expect(decode["n"] == DECODES and decode["p50_ns"] == DECODE_NS, f"the group of decode is {decode}")
    viewer.key("bracketright")
    viewer.settled("the first stall is selected", lambda now: now["serving"]["iteration"] == STALLED[0])
    viewer.key("bracketright")
    viewer.settled("the second stall is selected", lambda now: now["serving"]["iteration"] == STALLED[1])
    viewer.key("bracketleft")
    viewer.settled("the first stall is selected again", lambda now: now["serving"]["iteration"] == STALLED[0])
    viewer.key("n")
    viewer.settled("the next iteration is selected", lambda now: now["serving"]["iteration"] == STALLED[0] + 1)
    viewer.key("Down")
    viewer.settled("a group is selected", lambda now: now["serving"]["group"] is not None)
    viewer.key("Return")
    state = viewer.settled("the timeline is shown", lambda now: now["view"] is not None)
    expect(state["serving"] is None, "the page is shown, too")
    expect(state["view"]["selection"] is not None, "no slice is selected")
    viewer.key("alt+v")
    viewer.settled("the page is shown again", lambda now: now["serving"] and now["serving"]["iteration"] == STALLED[0] + 1)
    viewer.key("Escape")
    viewer.settled("Esc shows the timeline", lambda now: now["view"] is not None)


@check("a click on a bar of the serving page shows the iteration in the timeline")
def click_on_bar(room):
    viewer, state = opened(room)
    left, top, right, bottom = state["serving"]["plot"]
    pitch = (right - left) / state["serving"]["bars"]
    viewer.click(left + pitch * (STALLED[0] + 0.5), (top + bottom) / 2)
    state = viewer.settled("the timeline is shown", lambda now: now["view"] is not None)
    expect(state["view"]["selection"] is not None, "no slice is selected")


@check("a trace without iterations has the reason on the serving page, and how to record them")
def no_iterations(room):
    viewer = room.start(traces.landmarks(room.folder / "landmarks.json"))
    viewer.ready()
    viewer.key("alt+v")
    state = viewer.settled("the search ends", lambda now: now["serving"] and now["serving"]["computed"])
    page = state["serving"]
    expect(page["iterations"] == 0 and "No iterations" in page["headline"], f"the page says {page['headline']}")
    expect("record_function" in page["advice"], f"the advice is {page['advice']}")
