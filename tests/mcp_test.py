#!/usr/bin/env python3
# Covers: mcp_command, mcp_server
"""Runs a session of the Model Context Protocol with `kinetoscope mcp`, and checks the answers."""
import argparse
import base64
import json
import os
import pathlib
import subprocess
import tempfile

SAMPLE = pathlib.Path(__file__).resolve().parent.parent / "assets/sample/sample.pt.trace.json.gz"


def request(number, method, **parameters):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters})


def call(number, name, **arguments):
    return request(number, "tools/call", name=name, arguments=arguments)


SESSION = [
    request(1, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "t", "version": "1"}),
    json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
    request(2, "tools/list"),
    call(3, "query", sql="SELECT 1"),
    call(4, "open", path=str(SAMPLE)),
    call(5, "query", sql="SELECT COUNT(*) AS n FROM slice"),
    call(6, "query", sql="SELECT id FROM slice", limit=3),
    call(7, "query", sql="ATTACH DATABASE 'x.db' AS x"),
    call(8, "tables"),
    call(9, "open", path="/no/such/file"),
    request(10, "no/such/method"),
    "{ no json",
    call(11, "no such tool"),
    request(12, "ping"),
    call(13, "picture"),
    call(14, "picture"),
    call(15, "verdict"),
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kinetoscope", required=True)
    program = parser.parse_args().kinetoscope
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program, "mcp"], input="\n".join(SESSION) + "\n", capture_output=True, text=True,
                              timeout=1500, check=True, cwd=folder, env={**os.environ, "XDG_CACHE_HOME": folder})
        written = [str(path) for path in pathlib.Path(folder).rglob("x.db*")]
        assert not written, written
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    by_id = {answer["id"]: answer for answer in answers}
    assert len(answers) == len(SESSION) - 1, len(answers)

    def text(number, error=False):
        result = by_id[number]["result"]
        assert result.get("isError", False) == error, result
        return result["content"][0]["text"]

    assert by_id[1]["result"]["serverInfo"]["name"] == "kinetoscope"
    assert [tool["name"] for tool in by_id[2]["result"]["tools"]] == ["open", "tables", "query", "picture", "findings",
                                                                       "verdict"]
    assert "Open a file first" in text(3, error=True)
    slices = json.loads(text(4))["slices"]
    counted = json.loads(text(5))
    assert counted["columns"] == ["n"] and counted["rows"][0][0] >= slices > 0
    assert len(json.loads(text(6))["rows"]) == 3 and json.loads(text(6))["more"]
    assert "refused" in text(7, error=True)
    assert "ts" in json.loads(text(8))["slice"] and "launch_delay" in json.loads(text(8))["kernel"]
    assert "/no/such/file" in text(9, error=True)
    assert by_id[10]["error"]["code"] == -32601 and by_id[None]["error"]["code"] == -32700
    text(11, error=True)
    assert by_id[12]["result"] == {}
    verdict = json.loads(text(15))
    assert verdict["kind"] == "trace" and verdict["sentence"] and verdict["findings"], verdict
    for number in (13, 14):  # the second needs another context of OpenGL in the same process
        image = by_id[number]["result"]["content"][0]
        assert image["mimeType"] == "image/png" and base64.b64decode(image["data"]).startswith(b"\x89PNG"), image


if __name__ == "__main__":
    main()
