# Covers: layers_panel, layers_state, heat_strip, folded_lane, layers_list, folded_passes, comparison_pages
"""Checks of the UI test: the page of repeated layers, its outliers, and the way back to the timeline."""

import traces
from checks import check, expect

BODY = ["norm_kernel", "q_gemm", "flash_fwd", "o_gemm", "up_gemm", "down_gemm"]
LAYERS = 8
STEPS = 3
SLOW = 3


def write_layers(path, slow=SLOW, steps=STEPS):
    """Writes steps with eight equal layers each. One layer is 30 % slower in every step, unless `slow` is None."""
    events = []
    number = 0
    time_ns = 1_000_000
    for step in range(steps):
        begin_ns = time_ns
        for layer in range(LAYERS):
            for name in BODY:
                number += 1
                length_ns = 130_000 if layer == slow else 100_000
                events += [traces.slice_event("cudaLaunchKernel", time_ns, 1_000, category="cuda_runtime", correlation=number),
                           traces.kernel(name, time_ns + 2_000, length_ns, correlation=number)]
                time_ns += length_ns + 3_000
        events += [traces.slice_event("cudaLaunchKernel", time_ns, 1_000, category="cuda_runtime", correlation=10_000 + step),
                   traces.kernel("head_gemm", time_ns + 2_000, 500_000, correlation=10_000 + step),
                   traces.slice_event(f"ProfilerStep#{step}", begin_ns, time_ns + 510_000 - begin_ns, category="user_annotation")]
        time_ns += 600_000
    return traces.write(path, events)


@check("Z shows the repeated layers, ] goes to the slow one, and Enter shows it in the timeline")
def layers(room):
    viewer = room.start(write_layers(room.folder / "layers.json"))
    viewer.ready()
    viewer.key("z")
    state = viewer.settled("the layers are found", lambda now: now["layers"] and now["layers"]["computed"])
    shown = state["layers"]
    expect(state["view"] is None, "the timeline is shown, too")
    expect(shown["layers"] == LAYERS, f"there are {shown['layers']} layers")
    expect(shown["passes"] == STEPS, f"there are {shown['passes']} passes")
    expect(shown["slow_layers"] == [SLOW], f"slow layers are {shown['slow_layers']}")
    viewer.key("bracketright")
    viewer.settled("the slow layer is selected", lambda now: now["layers"]["selected"] is not None)
    viewer.key("Return")
    viewer.settled("the timeline is shown", lambda now: now["view"] is not None)
    viewer.key("z")
    viewer.settled("the layers are shown again", lambda now: now["layers"] is not None)
    viewer.key("Escape")
    viewer.settled("Esc shows the timeline", lambda now: now["view"] is not None)


@check("a comparison of two runs has a table with one row per layer, which is folded only when it is shown")
def compared_layers(room):
    before = write_layers(room.folder / "before.json", slow=None)
    viewer = room.start(before, write_layers(room.folder / "after.json"), options=("--diff",))
    viewer.settled("they are compared", lambda now: now["comparison"] and now["comparison"]["read"])
    for kind in ("causes", "ledger", "layers"):
        viewer.key("ctrl+Down")
        viewer.settled(f"the table {kind} is shown", lambda now: now["comparison"]["tables"]["kind"] == kind)
    viewer.settled("there is a row per layer", lambda now: now["comparison"]["tables"]["rows"] == LAYERS)


@check("a trace without repetition says that no layers were found")
def no_layers(room):
    viewer = room.start(traces.write(room.folder / "one.json", [traces.kernel("gemm", 0, traces.SECOND)]))
    viewer.ready()
    viewer.key("z")
    state = viewer.settled("the page is computed", lambda now: now["layers"] and now["layers"]["computed"])
    expect(state["layers"]["stacks"] == 0, f"there are {state['layers']['stacks']} stacks")


@check("Shift+Z folds each pass to one block, and a click unfolds it")
def folded_passes(room):
    passes = 3 * STEPS  # so many that their layers are narrow
    viewer = room.start(write_layers(room.folder / "folded.json", steps=passes))
    viewer.ready()
    viewer.key("shift+z")
    state = viewer.settled("the passes are folded", lambda now: len(now["folded"]["blocks"]) == passes)
    block = state["folded"]["blocks"][1]
    expect(block["label"].startswith(f"{LAYERS} layers, p50 60"), f"the block is {block['label']}")
    left, top, right, bottom = block["box"]
    viewer.click((left + right) / 2, (top + bottom) / 2)
    state = viewer.settled("the pass is unfolded", lambda now: not now["folded"]["blocks"])
    expect(state["view"]["selection"] is None, "a kernel below the block was selected")
    viewer.key("r")
    viewer.settled("the passes are folded again", lambda now: len(now["folded"]["blocks"]) == passes)
    viewer.key("shift+z")
    viewer.settled("nothing is folded", lambda now: not now["folded"]["blocks"] and not now["folded"]["on"])


@check("a timeline without repetition says that no layers were found")
def nothing_to_fold(room):
    viewer = room.start(traces.write(room.folder / "one.json", [traces.kernel("gemm", 0, traces.SECOND)]))
    viewer.ready()
    viewer.key("shift+z")
    viewer.settled("the note is shown", lambda now: now["folded"]["note"].startswith("No layers"))
