#!/usr/bin/env python3
"""Converts the pages of the guide to HTML, with cmark-gfm (Debian: cmark-gfm).

    python3 assets/guide/make_html.py FOLDER

Writes FOLDER/guide/index.html for README.md, FOLDER/guide/NAME.html for the other pages, and copies the pictures to
FOLDER/screenshots. Headings get the ids that GitHub gives them, so links to sections work in both forms.
"""

import pathlib
import re
import shutil
import subprocess
import sys

GUIDE = pathlib.Path(__file__).resolve().parent
STYLE = """
body { font: 16px/1.55 Inter, system-ui, sans-serif; max-width: 54rem; margin: 2rem auto; padding: 0 1.2rem; color: #1c2024; }
h1, h2, h3 { line-height: 1.25; margin-top: 1.8em; }
code, pre { font: 0.88em/1.5 "JetBrains Mono", "DejaVu Sans Mono", monospace; background: #f2f3f5; border-radius: 4px; }
code { padding: 0.1em 0.3em; } pre { padding: 0.8em 1em; overflow-x: auto; } pre code { padding: 0; background: none; }
img { max-width: 100%; border-radius: 6px; } a { color: #0b62d6; }
table { border-collapse: collapse; display: block; overflow-x: auto; } th, td { border-bottom: 1px solid #dfe2e6; padding: 0.35em 0.9em 0.35em 0; text-align: left; vertical-align: top; }
@media (prefers-color-scheme: dark) { body { background: #15181c; color: #dde1e6; } code, pre { background: #22272d; } th, td { border-color: #343a42; } a { color: #79b0ff; } }
"""


def page_name(markdown):
    return "index.html" if markdown == "README.md" else markdown.removesuffix(".md") + ".html"


def with_id(heading):
    text = re.sub(r"<[^>]+>|&\w+;", "", heading[2])
    slug = re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")
    return f'<h{heading[1]} id="{slug}">{heading[2]}</h{heading[1]}>'


def main():
    folder = pathlib.Path(sys.argv[1])
    (folder / "guide").mkdir(parents=True, exist_ok=True)
    for page in sorted(GUIDE.glob("*.md")):
        body = subprocess.run(["cmark-gfm", "--extension", "table", "--unsafe", page], capture_output=True, text=True, check=True).stdout
        title = re.search(r"<h1>(.*?)</h1>", body)
        body = re.sub(r"<h([1-6])>(.*?)</h\1>", with_id, body)
        body = re.sub(r'href="([\w-]+\.md)(#[\w-]*)?"', lambda link: f'href="{page_name(link[1])}{link[2] or ""}"', body)
        home = "" if page.name == "README.md" else '<p><a href="index.html">Guide</a></p>\n'
        name = title[1] if title else "Kinetoscope"
        (folder / "guide" / page_name(page.name)).write_text(
            f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n'
            f"<title>{name}</title>\n<style>{STYLE}</style>\n{home}{body}</html>\n", encoding="utf-8")
    shutil.copytree(GUIDE.parent / "screenshots", folder / "screenshots", dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns("*.py", "__pycache__"))


if __name__ == "__main__":
    main()
