# Covers: slice_style, slice_labels, presentation
"""Checks of the UI test: colors of slices and forms of their names."""

import traces
from checks import check, expect
from viewer import lanes, x_of


def color_at(viewer, state, time_ns, track, lane):
    return viewer.resting_picture().at(x_of(state, time_ns), lanes(state, track)[lane]["top"] + 2)


@check("C changes the attribute that colors slices, and a restart restores it")
def color_modes(room):
    viewer = room.landmarks()
    seen = {}
    for mode in ("kind", "stream", "module", "duration", "name"):
        viewer.key("c")
        state = viewer.settled(f"colored by {mode}", lambda now: now["color_by"] == mode and now["shown_color_by"] == mode)
        expect(state["view"]["legend_height"] > 0, f"there is no legend by {mode}")
        seen[mode] = (color_at(viewer, state, 6.6 * traces.SECOND, "python", 1),
                      color_at(viewer, state, 1.2 * traces.SECOND, "stream 7", 0))
    expect(seen["kind"][0] != seen["kind"][1], "an operator and a kernel have one kind")
    expect(seen["module"][0] == seen["module"][1], "what is in no module has two colors")
    expect(len({colors[1] for colors in seen.values()}) >= 4, f"the modes look alike: {seen}")
    viewer.key("c")
    viewer.settled("colored by kind", lambda now: now["shown_color_by"] == "kind")
    expect(viewer.quit() == 0, "quitting is an error")
    expect(room.landmarks().state()["color_by"] == "kind", "the choice is forgotten")


@check("Shift+N toggles full names on slices, and a restart restores it")
def full_names(room):
    path = traces.write(room.folder / "names.json", [
        traces.kernel("void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float> >(int)", 0,
                      traces.SECOND)])
    viewer = room.start(path)
    viewer.ready()
    brief = viewer.resting_picture()
    viewer.key("shift+n")
    viewer.settled("full names", lambda now: now["full_names"])
    viewer.picture("the label is another", lambda picture: 100 < picture.changed(brief) < 20_000)
    viewer.key("shift+n")
    viewer.settled("short names", lambda now: not now["full_names"])
    viewer.picture("the label is as before", lambda picture: picture.changed(brief) == 0)
    viewer.key("shift+n")
    viewer.settled("full names", lambda now: now["full_names"])
    expect(viewer.quit() == 0, "quitting is an error")
    expect(room.landmarks().state()["full_names"], "the choice is forgotten")


@check("unchanged frames are not rendered, and an exposed window is rendered again")
def renders_what_is_new(room):
    viewer = room.landmarks()
    before = viewer.rest()
    picture = viewer.resting_picture()
    viewer.key("Shift_L")
    after = viewer.wait("a frame takes the key", lambda now: now["frame"] > before["frame"] and now["settled"])
    expect(after["rendered"] == before["rendered"], f"{after['rendered'] - before['rendered']} frames repeat the one before")
    viewer.tool("windowunmap", viewer.window)
    viewer.picture("the window is gone", lambda now: now.changed(picture) > 0)
    viewer.tool("windowmap", viewer.window)
    viewer.tool("windowfocus", viewer.window)
    viewer.picture("the window is as it was", lambda now: now.changed(picture) == 0)
    expect(viewer.state()["rendered"] > after["rendered"], "what was uncovered was not rendered")


@check("a click on a kind in the legend dims the others, and another click undoes it")
def dims_other_kinds(room):
    viewer = room.landmarks()
    state = viewer.state()
    legend = {entry["text"]: entry for entry in state["legend"]["entries"]}
    slices = [text for text in legend if not text.startswith("idle: ")]
    expect(slices == ["compute", "operator"], f"the legend lists {list(legend)}")
    _, top, _, height = state["view"]["area"]
    place = legend["compute"]
    kernel = color_at(viewer, state, 1.2 * traces.SECOND, "stream 7", 0)
    operator = color_at(viewer, state, 6.6 * traces.SECOND, "python", 1)
    viewer.click((place["left"] + place["right"]) / 2, top + height + 10)
    viewer.settled("compute is chosen", lambda now: now["legend"]["chosen"] is not None)
    expect(color_at(viewer, state, 1.2 * traces.SECOND, "stream 7", 0) == kernel, "kernels are dimmed, too")
    expect(sum(color_at(viewer, state, 6.6 * traces.SECOND, "python", 1)) < sum(operator), "operators are not dimmed")
    viewer.click((place["left"] + place["right"]) / 2, top + height + 10)
    viewer.settled("nothing is chosen", lambda now: now["legend"]["chosen"] is None)
    expect(color_at(viewer, state, 6.6 * traces.SECOND, "python", 1) == operator, "operators are still dimmed")


@check("the legend has the reasons of the idle bands, and a click on one dims the slices")
def dims_by_reason(room):
    viewer = room.landmarks()
    state = viewer.settled("the bands are in the legend", lambda now: any(
        entry["text"].startswith("idle: ") for entry in now["legend"]["entries"]))
    legend = {entry["text"]: entry for entry in state["legend"]["entries"]}
    expect("idle: launch not recorded" in legend, f"the legend lists {list(legend)}")
    expect("idle: before the first work" in legend, f"the legend lists {list(legend)}")
    _, top, _, height = state["view"]["area"]
    place = legend["idle: launch not recorded"]
    kernel = color_at(viewer, state, 1.2 * traces.SECOND, "stream 7", 0)
    viewer.click((place["left"] + place["right"]) / 2, top + height + 10)
    viewer.settled("the reason is chosen", lambda now: now["legend"]["chosen"] is not None)
    expect(sum(color_at(viewer, state, 1.2 * traces.SECOND, "stream 7", 0)) < sum(kernel), "kernels are not dimmed")
    viewer.key("shift+u")
    viewer.settled("nothing is chosen", lambda now: now["legend"]["chosen"] is None)
    expect(color_at(viewer, state, 1.2 * traces.SECOND, "stream 7", 0) == kernel, "kernels are still dimmed")
