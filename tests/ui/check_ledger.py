# Covers: ledger_panel, ledger_state, ledger_charts, roofline_chart
"""Checks of the UI test: the ledger page of a trace, its rows, steps and intervals, and the way back to the timeline."""

import traces
from checks import check, expect

LOADS_NS = [300_000_000, 100_000_000, 200_000_000]


@check("Alt+L shows where each nanosecond of a step went, and Enter shows an interval of a row in the timeline")
def ledger(room):
    viewer = room.start(traces.loader_steps(room.folder / "steps.json", LOADS_NS))
    viewer.ready()
    viewer.key("alt+l")
    state = viewer.settled("the ledger is computed", lambda now: now["ledger"] and now["ledger"]["computed"])
    ledger = state["ledger"]
    expect(state["view"] is None, "the timeline is shown, too")
    expect(ledger["steps"] == len(LOADS_NS), f"there are {ledger['steps']} steps")
    expect(sum(ledger["rows"].values()) == traces.SECOND, f"the rows add up to {sum(ledger['rows'].values())} ns")
    expect(ledger["rows"]["idle:loader"] == LOADS_NS[2] or ledger["step"] != 2, f"the rows are {ledger['rows']}")
    first = ledger["step"]
    viewer.key("p" if first > 0 else "n")
    state = viewer.settled("another step is shown", lambda now: now["ledger"]["step"] != first)
    expect(sum(state["ledger"]["rows"].values()) == traces.SECOND, "the rows do not add up to the other step")
    viewer.key("Up")
    state = viewer.settled("another row is selected", lambda now: now["ledger"]["row"] != ledger["row"])
    viewer.key("bracketright")
    viewer.settled("an interval is selected", lambda now: now["ledger"]["interval"] == 0)
    viewer.key("Return")
    state = viewer.settled("the timeline is shown", lambda now: now["view"] is not None)
    expect(state["ledger"] is None, "the ledger is shown, too")
    viewer.key("alt+l")
    viewer.settled("the ledger is shown again", lambda now: now["ledger"] and now["ledger"]["interval"] == 0)
    viewer.key("Escape")
    viewer.settled("Esc shows the timeline", lambda now: now["view"] is not None)


@check("a trace without GPU work says that there is no ledger, and how to record GPU work")
def no_gpu(room):
    events = [traces.slice_event("aten::mm", 0, traces.SECOND)]
    viewer = room.start(traces.write(room.folder / "cpu.json", events))
    viewer.ready()
    viewer.key("alt+l")
    state = viewer.settled("the page is computed", lambda now: now["ledger"] and now["ledger"]["computed"])
    expect(state["ledger"]["gpus"] == 0, f"there are {state['ledger']['gpus']} GPUs")
    expect(state["ledger"]["explains_recording"], "it does not say how to record GPU work")
