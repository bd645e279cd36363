# Covers: drawer, table_counts, table_scope, facts_line, inspector_frame, snapshot_inspector, comparison_inspector, top_list
"""Checks of the UI test: tabs with numbers of rows, the scope of the tables, and the panels on the right."""

import check_comparison
import check_snapshots
from checks import check, expect

HEIGHT = 900


@check("the tabs of a closed drawer show numbers of rows, and a click opens the table at 27 % of the height")
def tabs(room):
    viewer = room.landmarks()
    state = viewer.settled("rows are counted", lambda now: now["drawer_notes"].get("kernels") == "2")
    expect(not state["view"]["drawer"], "the drawer is open")
    expect(list(state["drawer_tabs"])[:3] == ["selection", "kernels", "operators"], f"the tabs are {state['drawer_tabs']}")
    expect("collectives" not in state["drawer_tabs"], "there is a tab without rows")
    viewer.click(*state["drawer_tabs"]["kernels"])
    state = viewer.settled("the kernels are shown", lambda now: now["view"]["drawer"] and now["view"]["tab"] == "tables"
                           and now["tables"]["kind"] == "kernels" and now["tables"]["rows"] == 2)
    page = HEIGHT - state["views"]["main"][1]
    height = HEIGHT - state["drawer_tabs"]["kernels"][1]
    expect(0.2 < height / page < 0.3, f"the drawer takes {height} of {page}")
    viewer.click(*state["drawer_tabs"]["gaps"])
    viewer.settled("the gaps are shown", lambda now: now["tables"]["kind"] == "gaps")


@check("Shift+R changes what all tables cover, and the chip in the view bar shows it")
def scope(room):
    viewer = room.landmarks()
    state = viewer.settled("rows are counted", lambda now: now["drawer_notes"].get("kernels") == "2")
    expect(state["scope_chip"] != [0, 0], "there is no chip")
    viewer.key("shift+t", "shift+r", "shift+r", "shift+r")
    viewer.settled("they cover what is in view", lambda now: now["tables"]["scope"] == "view"
                   and now["drawer_notes"].get("kernels") == "2")


@check("the panel of a snapshot sums the memory at the cursor, and shows the block that is clicked; Q hides both panels")
def snapshot_panel(room):
    path = check_snapshots.write(room.folder / "memory.pickle", [check_snapshots.recording()])
    viewer = room.start(path, inspector=True)
    viewer.ready()
    state = viewer.settled("the memory is summed", lambda now: now["snapshot"] and now["snapshot"]["inspector"]
                           and now["snapshot"]["inspector"]["live_bytes"])
    panel = state["snapshot"]["inspector"]
    expect(panel["width"] == 324 and panel["left"] == 1600 - 324, f"the place is {panel}")
    expect(panel["live_bytes"] == 352 * check_snapshots.MEGA and panel["largest"] == 3, f"it is {panel}")
    expect(not state["snapshot"]["drawer"], "the drawer is open")
    viewer.click(*check_snapshots.large_buffer(state["snapshot"]))
    viewer.settled("the block is shown", lambda now: now["snapshot"]["inspector"]["selected"])
    viewer.key("Escape")
    viewer.settled("the memory is summed again", lambda now: not now["snapshot"]["inspector"]["selected"])
    viewer.key("q")
    viewer.settled("the drawer is open", lambda now: now["snapshot"]["drawer"] and now["snapshot"]["inspector"])
    viewer.key("q")
    viewer.settled("both are hidden", lambda now: not now["snapshot"]["drawer"] and now["snapshot"]["inspector"] is None)


@check("the panel of a comparison lists the largest changes, then shows the selected row in both runs")
def comparison_panel(room):
    before = check_comparison.run_of(room.folder / "before.pt.trace.json", 20)
    after = check_comparison.run_of(room.folder / "after.pt.trace.json", 30, extra=True)
    viewer = room.start(before, after, inspector=True)
    viewer.ready(2)
    viewer.key("ctrl+shift+d")
    state = viewer.settled("they are compared", lambda now: now["comparison"] and now["comparison"]["read"])
    expect(state["comparison"]["inspector"]["width"] == 324, f"{state['comparison']['inspector']}")
    expect(not state["comparison"]["inspector"]["selected"], "a row is selected")
    viewer.key("Tab")
    viewer.settled("the row is shown", lambda now: now["comparison"]["inspector"]["selected"])
