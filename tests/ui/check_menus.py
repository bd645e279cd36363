# Covers: window_menus, menu_view, share_commands, report_export, tool_bar, settings
"""Checks of the UI test: the menus of the window bar by keys and mouse, and settings that are stored at once."""

import json

import traces
from checks import check, expect
from viewer import span_ns


def row(state, name):
    return state["menus"]["rows"][name]


def open_by_button(viewer, button, menu):
    place = viewer.settled("the buttons are there", lambda now: now["menus"]["buttons"])["menus"]["buttons"][button]
    viewer.click(*place)
    return viewer.settled(f"the menu {menu} is open", lambda now: now["menus"]["open"] == menu)


def take_from_share(viewer, command):
    state = open_by_button(viewer, "share", "share")
    expect(row(state, command)["available"], f"{command} is unavailable: {row(state, command)['reason']}")
    viewer.click(*row(state, command)["place"])
    return viewer.wait("the menu is closed", lambda now: not now["menus"]["open"])


@check("F10 opens the menu, arrows move in it, Enter runs an entry, and Esc closes it with its submenu")
def menu_by_keys(room):
    viewer = room.landmarks()
    viewer.key("F10")
    state = viewer.settled("the first menu is chosen", lambda now: now["menus"]["open"] == "main"
                           and row(now, "file")["chosen"])
    expect(list(state["menus"]["rows"]) == ["file", "view", "go", "tools", "help", "settings"], f"{state['menus']}")
    viewer.key("Up")
    viewer.settled("the last menu is chosen", lambda now: row(now, "settings")["chosen"])
    viewer.key("Right")
    viewer.settled("its first entry is chosen",
                   lambda now: now["menus"]["rows"].get("toggle-theme", {}).get("chosen"))
    viewer.key("Return")
    state = viewer.settled("the theme is light", lambda now: now["theme"] == "light")
    expect(not state["menus"]["open"], "the menu is still open")
    viewer.key("F10", "Right", "Escape")
    state = viewer.settled("the menu is closed", lambda now: not now["menus"]["open"])
    viewer.point(800, 400)
    viewer.hold("w", "W zooms", lambda now: span_ns(now) < span_ns(state) / 2)


@check("an entry of the menu is grey with the reason until it has an effect, and a click elsewhere closes the menu")
def reasons(room):
    viewer = room.landmarks()
    state = open_by_button(viewer, "menu", "main")
    viewer.point(*row(state, "go")["place"])
    state = viewer.settled("the submenu is open", lambda now: "follow-flow" in now["menus"]["rows"])
    expect(row(state, "follow-flow")["reason"] == "Select a slice first", f"{row(state, 'follow-flow')}")
    expect(row(state, "fit-all")["available"], f"{row(state, 'fit-all')}")
    viewer.click(800, 780)
    viewer.settled("the menu is closed", lambda now: not now["menus"]["open"])
    viewer.take_from_box("gemm_kernel")
    viewer.key("Return")
    viewer.settled("a slice is selected", lambda now: now["view"]["selected_name"] == "gemm_kernel")
    state = open_by_button(viewer, "menu", "main")
    viewer.point(*row(state, "go")["place"])
    viewer.settled("the entry is available", lambda now: "follow-flow" in now["menus"]["rows"]
                   and row(now, "follow-flow")["available"])
    viewer.key("Escape")
    viewer.settled("the menu is closed", lambda now: not now["menus"]["open"])


@check("Share copies the verdict, and saves a table, all tables and the report")
def share(room):
    viewer = room.start(traces.loader_steps(room.folder / "steps.json", [300_000_000, 100_000_000, 200_000_000]))
    viewer.ready()
    state = viewer.settled("the verdict is there", lambda now: now["verdict"]["findings"])
    headline = state["verdict"]["text"]
    take_from_share(viewer, "copy-verdict")
    viewer.settled("it is copied", lambda now: "Copied" in now["told"])
    copied = viewer.clipboard()
    expect("steps.json" in copied and headline[:20] in copied, f"{copied!r} is copied, not {headline!r}")
    state = open_by_button(viewer, "share", "share")
    expect(row(state, "save-table")["reason"] == "Show a table first", f"{row(state, 'save-table')}")
    viewer.key("Escape")
    viewer.settled("the menu is closed", lambda now: not now["menus"]["open"])
    state = viewer.settled()
    viewer.click(*state["drawer_tabs"]["kernels"])
    viewer.settled("a table is shown", lambda now: now["view"]["tab"] == "tables" and now["tables"]["kind"] == "kernels")
    viewer.rest()
    take_from_share(viewer, "save-table")
    table = viewer.save("table.csv")
    viewer.settled("the table is saved", lambda now: table.exists())
    expect(table.read_text().startswith("name,") or "name" in table.read_text().splitlines()[0], table.read_text()[:200])
    take_from_share(viewer, "save-all-tables")
    folder = viewer.save("all")
    viewer.settled("all tables are saved", lambda now: str(folder) in now["told"])
    expect((folder / "kernels.csv").exists(), f"the folder has {list(folder.iterdir())}")
    take_from_share(viewer, "save-report")
    report = viewer.save("report.html")
    viewer.settled("the report is saved", lambda now: str(report) in now["told"])
    expect(report.read_text().startswith("<!"), report.read_text()[:200])


@check("Open lists the recent files below its entries, and Ctrl+R chooses the newest for Enter")
def open_menu(room):
    first = traces.busy(room.folder / "first.json", 500)
    viewer = room.start(first)
    viewer.ready()
    viewer.key("ctrl+w")
    viewer.settled("the start page", lambda now: not now["documents"])
    state = open_by_button(viewer, "open", "open")
    expect(list(state["menus"]["rows"])[:3] == ["open-files", "open-folder", "compare-files"], f"{state['menus']}")
    expect(len(state["menus"]["recent"]) == 1, f"{state['menus']}")
    viewer.key("Escape")
    viewer.settled("the menu is closed", lambda now: not now["menus"]["open"])
    viewer.key("ctrl+r")
    viewer.settled("the menu is open", lambda now: now["menus"]["open"] == "open")
    viewer.rest()
    viewer.key("Return")
    state = viewer.ready()
    expect(state["documents"][0]["file"] == str(first), f"{state['documents']}")


@check("theme and language are stored when they change, not only at exit")
def kept_at_once(room):
    viewer = room.landmarks()
    viewer.key("t")
    viewer.settled("it is light", lambda now: now["theme"] == "light")
    path = room.folder / "viewer" / "config" / "kinetoscope" / "settings.json"
    viewer.wait("it is written", lambda now: path.exists() and json.loads(path.read_text())["theme"] == "light")
    viewer.kill()
    viewer.window = None  # it did not exit normally
    again = room.landmarks()
    again.settled("it is light again", lambda now: now["theme"] == "light")
