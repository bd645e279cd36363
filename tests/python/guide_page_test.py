# Covers: no unit
"""The examples of the guide's page on Python."""
import pathlib
import re

import kinetoscope

PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "assets/guide/python.md"


def test_every_example_runs(files, monkeypatch):
    text = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    plain = [block for block in blocks if not block.startswith("%")]  # magic_test.py runs the magic
    assert len(plain) >= 7 and len(blocks) - len(plain) == 2
    monkeypatch.chdir(files)
    variables = {}
    for block in plain:
        exec(compile(block, "python.md", "exec"), variables)
    kinetoscope.view("trace.json.gz").stop()
