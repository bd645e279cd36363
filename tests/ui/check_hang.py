# Covers: hang_panel, flight_counters
"""Checks of the UI test: the dumps of a hung job, alone and together with traces of its ranks."""

import json

import traces
from checks import check, expect

START_NS = 1_700_000_000_000_000_000
MS = 1_000_000


def dump(rank, enqueued):
    """Makes a dump with `enqueued` all-reduces, 1 ms apart from 5 ms on. The last one is not completed."""
    entries = [{"pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": i + 1,
                "profiling_name": "nccl:all_reduce", "state": "started" if i + 1 == enqueued else "completed",
                "is_p2p": False, "input_sizes": [[1_000_000]], "output_sizes": [[1_000_000]], "input_dtypes": ["Float"],
                "output_dtypes": ["Float"], "time_created_ns": START_NS + (5 + i) * MS,
                "time_discovered_completed_ns": None if i + 1 == enqueued else START_NS + (5 + i) * MS + MS // 2,
                "frames": [{"name": "train_step", "filename": "/job/train.py", "line": 12}]} for i in range(enqueued)]
    return {"version": "2.10", "rank": rank, "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}},
            "pg_status": {"0": {"last_enqueued_collective": enqueued, "last_completed_collective": enqueued - 1}},
            "entries": entries}


def folder_of(room, ranks=2):
    """Writes a hung job: rank 0 waits in a collective that rank 1 has not enqueued."""
    folder = room.folder / "hung"
    for path in traces.job(folder, ranks=ranks):
        content = json.loads(path.read_text())
        path.write_text(json.dumps({**content, "baseTimeNanoseconds": START_NS}))
    for rank in range(2):
        (folder / f"nccl_trace_rank_{rank}.json").write_text(json.dumps(dump(rank, 10 - rank)))
    return folder


@check("dumps and traces of a folder open side by side, and a rank's trace has a counter of its outstanding collectives")
def beside_traces(room):
    folder = folder_of(room)
    viewer = room.start(folder, size="1280x720")
    state = viewer.settled("the dumps come first", lambda now: now["hang"] and len(now["documents"]) == 2)
    expect(state["hang"]["beside"] == ["rank0.json", "rank1.json"], f"beside them lie {state['hang']['beside']}")
    expect("hung · flight recorder" in state["title"], f"the window is called {state['title']}")
    expect(state["hang"]["culprits"] == [1], f"culprits are {state['hang']['culprits']}")
    expect(state["hang"]["link"] == [0, 0], "no trace of one rank is open")
    viewer.key("ctrl+Tab")
    viewer.settled("the job is behind", lambda now: now["job"] and now["hang"] is None)
    viewer.quit()

    viewer = room.start(folder, folder / "rank0.json", size="1280x720")
    state = viewer.settled("the dumps know the trace", lambda now: now["hang"] and now["hang"]["link"] != [0, 0])
    viewer.click(*state["hang"]["link"])
    state = viewer.settled("the trace is shown", lambda now: now["view"] is not None)
    names = [header["name"] for header in state["view"]["headers"]]
    expect("Outstanding operations, nccl_trace_rank_0.json" in names, f"headers are {names}")
