# Covers: language_choice, texts, font_atlas
"""Checks of the UI test: the language of the interface."""

import json

from checks import check, expect


def language_is(code):
    return lambda state: state["language"] == code


def choose(viewer, words):
    """Runs the command that the box finds for these words."""
    return viewer.take_from_box(words, "ctrl+p")


def legend(picture):
    """Returns the pixels of the legend left of the overview, which is never covered."""
    return [picture.row(0, y, 200) for y in range(36, 76)]


def saved(viewer):
    path = viewer.folder / "config" / "kinetoscope" / "settings.json"
    return json.loads(path.read_text(encoding="utf-8")).get("language") if path.exists() else None


@check("--language ja starts in Japanese, the box finds languages by their English title, and the window changes live")
def changes_live(room):
    viewer = room.landmarks(options=("--language", "ja"))
    expect(viewer.state()["language"] == "ja", f"the language is {viewer.state()['language']}")
    japanese = legend(viewer.resting_picture())
    expect(choose(viewer, "language english")["language"] == "en", "the box does not change the language")
    viewer.picture("the legend is in English", lambda picture: legend(picture) != japanese)
    expect(choose(viewer, "language japanese")["language"] == "ja", "the box does not change it back")
    viewer.picture("the legend is as before", lambda picture: legend(picture) == japanese)


@check("a chosen language is restored after a restart; a language from the command line is not")
def survives(room):
    viewer = room.landmarks(options=("--language", "ja"))
    expect(viewer.quit() == 0, "it does not end well")
    expect(saved(viewer) is None, f"the settings have {saved(viewer)}")
    viewer = room.landmarks()
    expect(viewer.state()["language"] == "en", "the language of the command line was kept")
    choose(viewer, "language chinese")
    viewer.settled("it is Chinese", language_is("zh"))
    expect(viewer.quit() == 0, "it does not end well")
    viewer = room.landmarks()
    expect(viewer.state()["language"] == "zh", f"after the restart it is {viewer.state()['language']}")


@check("by default the system's locale decides the language, and this choice can be restored")
def follows_locale(room):
    viewer = room.landmarks(environment={"LANG": "zh_CN.UTF-8"})
    expect(viewer.state()["language"] == "zh", f"with LANG=zh_CN.UTF-8 it is {viewer.state()['language']}")
    expect(choose(viewer, "language english")["language"] == "en", "English cannot be chosen")
    expect(choose(viewer, "language system")["language"] == "zh", "the system's language cannot be chosen again")


@check("if a language has no font, the window remains English and a note states the reason")
def says_font_is_missing(room):
    fonts = room.folder / "fonts.conf"
    fonts.write_text('<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig></fontconfig>')
    viewer = room.landmarks(options=("--language", "ja"), environment={"FONTCONFIG_FILE": str(fonts)})
    state = viewer.state()
    expect(state["language"] == "en", f"the language is {state['language']}")
    expect("Japanese" in state["note"], f"the note is '{state['note']}'")
    expect(choose(viewer, "language english")["note"] == "", "the note stays when English is chosen")
