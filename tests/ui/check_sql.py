"""Checks of the UI test: a trace asked in SQL."""

from checks import check, expect


@check("Shift+Q asks in SQL: names are completed, rows lead to slices, an error is told, another query takes its place")
def asks_in_sql(room):
    viewer = room.landmarks()
    viewer.key("shift+q")
    viewer.settled("the page is shown", lambda now: now["view"]["tab"] == "sql")
    viewer.click(*viewer.state()["sql"]["editor"])
    viewer.key("ctrl+a")
    viewer.tool("type", "--delay", 20, "select id, ts, dur, name from kern")
    viewer.settled("a word is offered", lambda now: "kernel" in now["sql"]["words"])
    viewer.key("Tab")
    viewer.tool("type", "--delay", 20, " order by dur desc, ts desc")
    viewer.key("ctrl+Return")
    state = viewer.settled("there are rows", lambda now: now["sql"]["rows"] == 3)
    expect(state["sql"]["asked"] == "select id, ts, dur, name from kernel order by dur desc, ts desc", f"{state['sql']}")
    viewer.click(*state["sql"]["first_row"])
    state = viewer.settled("its row leads to a slice", lambda now: now["view"]["selected_name"])
    expect(state["view"]["selected_name"] == "gemm_kernel", f"{state['view']['selected_name']}")
    viewer.click(*state["sql"]["editor"])
    viewer.key("ctrl+a")
    viewer.tool("type", "--delay", 20, "select depth from nowhere")
    viewer.key("ctrl+Return")
    state = viewer.settled("what is wrong is told", lambda now: now["sql"]["problem"])
    expect("nowhere" in state["sql"]["problem"], f"{state['sql']['problem']}")
    viewer.key("ctrl+a")
    viewer.tool("type", "--delay", 20, "select count(*) as n from slice")
    viewer.key("ctrl+Return")
    viewer.settled("and the next is answered", lambda now: now["sql"]["rows"] == 1 and not now["sql"]["problem"])
    viewer.click(*viewer.state()["sql"]["editor"])
    viewer.key("End")
    viewer.tool("type", "--delay", 20, " limit 7")
    viewer.settled("it is typed", lambda now: now["sql"]["text"].endswith("slice limit 7"))
    viewer.key("Escape")
    state = viewer.rest()
    expect(state["sql"]["text"].endswith("slice limit 7"), f"Esc took the text back: {state['sql']['text']}")
    viewer.key("shift+t")
    state = viewer.settled("tables are shown", lambda now: now["view"]["tab"] == "tables")
    while state["tables"]["kind"] != "kernels":
        before = state["tables"]["kind"]
        viewer.key("ctrl+Down")
        state = viewer.settled("another table", lambda now: now["tables"]["kind"] != before)  # noqa: B023
    state = viewer.settled("kernels are there", lambda now: now["tables"]["rows"] > 0 and "sql" in now["tables"]["controls"])
    viewer.click(*state["tables"]["controls"]["sql"])
    state = viewer.settled("the table is asked in SQL", lambda now: now["view"]["tab"] == "sql" and now["sql"]["rows"] > 0)
    expect(state["sql"]["asked"] == "SELECT * FROM table_kernels", f"{state['sql']['asked']}")
