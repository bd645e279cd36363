#!/usr/bin/env python3
# Covers: serve_server, serve_command, page_connection, page_socket, page_session, session_process, session_folder,
#   session_memory, page_downloads, page_uploads, served_window, serve_page
"""Attacks `kinetoscope serve` with its own WebSocket client, and compares the page in a headless Chromium, if it is
installed, with the picture of `kinetoscope screenshot`.

    python3 tests/serve_test.py --kinetoscope build/release/kinetoscope
"""
import argparse
import io
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import zipfile

import png
from serve_client import (BINARY, CLOSE, Chromium, PATIENCE, SOURCE, Server, VERSION, WebSocket, is_a, is_frame, is_piece)

SAMPLE = SOURCE / "assets/sample/sample.pt.trace.json.gz"
SNAPSHOT = SOURCE / "tests/fuzz/seeds/snapshot_protocol4.pickle"


def check_page(server):
    answer, page = server.get()
    policy = answer.getheader("Content-Security-Policy")
    assert answer.status == 200 and len(page) < 40_000, (answer.status, len(page))
    nonce = re.search(r"script-src 'nonce-(\w{32})'", policy)[1]
    assert page.count(f'nonce="{nonce}"'.encode()) == 2 and b"NONCE" not in page and b"VERSION" not in page
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert policy.endswith("frame-ancestors 'self' http://localhost:* http://127.0.0.1:*"), "notebooks show it in a frame"
    assert not re.search(rb'(?:src|href)="(?!data:)', page), "the page must not load anything"
    assert answer.getheader("Cache-Control") == "no-store" and server.token.encode() not in page
    assert nonce not in server.get()[0].getheader("Content-Security-Policy"), "nonces must not repeat"
    assert server.get(method="HEAD")[1] == b""
    assert server.get("/../etc/passwd")[0].status == 404 and server.get("/favicon.ico")[0].status == 404
    assert server.get(method="POST")[0].status == 405
    for host in ("evil.example", f"127.0.0.1.evil.example:{server.port}", "", "10.0.0.1"):
        assert server.get(host=host or " ")[0].status in (400, 403), host
    assert server.get(host=f"localhost:{server.port}")[0].status == 200


def check_requests(server):
    """Requests that are too large, incomplete or malformed get no page, and delay nobody."""
    for request in (b"GET / HTTP/1.1\r\nHost: %b\r\nX: %b\r\n\r\n" % (server.host.encode(), b"x" * 9000),
                    b"GET / HTTP/1.1\r\nHost: %b\r\nContent-Length: 5\r\n\r\nhello" % server.host.encode(),
                    b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
                    b"GET / HTTP/1.1\r\n\r\n", b"\0" * 100, b"GET http://evil.example/ HTTP/1.1\r\n\r\n"):
        connection = server.connect()
        connection.sendall(request)
        try:
            answer = connection.recv(65536)
        except ConnectionError:
            answer = b""
        assert b" 200 " not in answer, request[:60]
        connection.close()
    assert server.get()[0].status == 200


def check_access(server):
    before = children(server.process.pid)
    for origin in ("http://evil.example", f"http://127.0.0.1:{server.port + 1}", "null", ""):
        assert server.websocket(origin=origin).status == 403, origin
    assert server.websocket(host="evil.example").status == 403
    assert server.websocket(path="/other").status == 404
    for token in ("", server.token[:-1], server.token[:-1] + "?", server.token.upper() + "0"):
        page = server.session(token=token)
        assert page.status == 101
        assert list(page.messages()) == [{"t": "end", "why": "token"}], token
    for first in (b"", b"{", b"[]", b'{"t":"in","e":[]}', b"x" * 20_000):
        page = server.websocket()
        page.send(first)
        assert not any(is_a("session")(message) for message in page.messages()), first[:20]
    assert list(server.session(version=VERSION + 1).messages()) == [{"t": "reload"}]
    assert server.websocket(host=f"LOCALHOST:{server.port}", origin=f"http://localhost:{server.port}").status == 101
    assert children(server.process.pid) == before, "a session starts only when a hello was accepted"


def check_session(server):
    page = server.session()
    assert page.until(is_frame) is not None
    assert page.until(is_a("title")) is not None
    page.send({"t": "in", "e": [["m", 400, 300], ["w", 0, 1]]})
    assert page.until(is_frame) is not None
    # Invalid messages are ignored.
    for message in (b"{", b"[" * 200_000, b'{"t":"in","e":[["k",5]]}', b'{"t":"size","width":1e300,"height":[]}'):
        page.send(message)
    page.send({"t": "size", "width": 900, "height": 500, "ratio": 1})
    assert page.until(lambda message: is_frame(message) and struct.pack("<II", 900, 500) in message) is not None
    page.send({"t": "resend"})
    frame = page.until(lambda message: is_frame(message) and b"#version 300 es" in message)
    assert frame is not None and len(frame) > 100_000, "a complete frame has programs and the font"
    for wrong in (b"x" * 300_000, b"\xff\xfe"):  # too large; not UTF-8
        page = server.session()
        assert page.until(is_frame) is not None
        page.send(wrong)
        assert page.until(lambda message: False) is None
        page.close()


def press(page, *keys):
    """Presses keys, each as (key, position), and releases them."""
    page.send({"t": "in", "e": [["k", *key, True] for key in keys] + [["k", *key, False] for key in reversed(keys)]})


def carry_out(page, command):
    """Carries out a command by its title, in the command palette."""
    press(page, ("Control", "ControlLeft"), ("p", "KeyP"))
    assert page.until(is_frame) is not None
    page.send({"t": "in", "e": [["t", command]]})
    assert page.until(is_frame) is not None
    press(page, ("Enter", "Enter"))


def downloaded(page):
    """Returns the name and the content of the next downloaded file."""
    file = page.until(is_a("file"))
    content = b""
    while len(content) < file["size"]:
        piece = page.until(is_piece)
        assert 4 < len(piece) <= 4 + 65536
        content += piece[4:]
    assert len(content) == file["size"]
    return file["name"], content


def check_downloads(program, folder):
    """Saved files are downloaded, and nothing of them remains."""
    temporary, shared = folder / "temporary", folder / "downloads"
    temporary.mkdir()
    shared.mkdir()
    trace = shared / SAMPLE.name
    shutil.copy(SAMPLE, trace)

    def files():
        return [path for path in temporary.rglob("*") if path.is_file()]

    with Server(program, trace, environment={**os.environ, "TMPDIR": str(temporary)}) as server:
        page = server.session()
        name = page.until(is_a("session"))["id"]
        assert page.until(is_a("title", title="sample - Kinetoscope")) is not None
        carry_out(page, "Save a vector image")
        file, content = downloaded(page)
        assert file == f"{trace.name}.svg" and content.startswith(b"<svg") and content.rstrip().endswith(b"</svg>"), file
        carry_out(page, "Save all tables")
        file, content = downloaded(page)
        assert file == f"{trace.name}.tables.zip", file
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            assert archive.testzip() is None and "kernels.csv" in archive.namelist(), archive.namelist()
        carry_out(page, "Save an image")
        picture = page.until(is_a("picture"))
        assert picture["name"] == f"{trace.name}.png" and min(picture["area"][2:]) > 100, picture
        # A page that loses the connection before it has the whole file gets it again.
        carry_out(page, "Save a report")
        whole = page.until(is_a("file"))
        assert whole["size"] > 5 * 65536, whole
        assert page.until(is_piece) is not None
        assert all(path.stat().st_mode & 0o77 == 0 for path in temporary.iterdir()) and len(files()) == 1, files()
        page.close()
        page = server.session(session=name)
        file, content = downloaded(page)
        assert file == whole["name"] == f"{trace.name}.report.html" and b"</html>" in content[-100:], file
        await_true(lambda: not files(), "a downloaded file remains on the server")
        # The files of a session that has ended are removed.
        carry_out(page, "Save a report")
        assert page.until(is_a("file")) is not None and len(files()) == 1
        os.kill(children(server.process.pid).pop(), signal.SIGSEGV)
        await_true(lambda: not list(temporary.iterdir()), "the folder of a session that crashed remains")
        # A program that a session has started ends with it, and does not write to its folder any more.
        page = server.session()
        page.until(is_a("title", title="sample - Kinetoscope"))
        session = children(server.process.pid).pop()
        carry_out(page, "Save a report")
        writers = set()
        # Only acknowledges frames, since reading would wait for the file.
        await_true(lambda: page.send({"t": "ack"}) or writers.update(children(session)) or writers, "no report is written")
        writer = writers.pop()
        os.kill(session, signal.SIGSEGV)
        await_true(lambda: not pathlib.Path(f"/proc/{writer}").exists(), "the program that writes a report does not end")
        await_true(lambda: session not in children(server.process.pid), "the process that crashed is not reaped")
        assert not list(temporary.iterdir()), "the folder of a session that crashed was made again"
        page = server.session()
        page.until(is_a("title", title="sample - Kinetoscope"))
        carry_out(page, "Save a report")
        assert page.until(is_a("file")) is not None
    assert not list(temporary.iterdir()) and list(shared.iterdir()) == [trace]


def upload(page, content, name="dropped.json", declared=None, last=True):
    """Uploads a file as the page does; returns the last answer."""
    def answer():
        return page.until(is_a("upload"))["state"]

    page.send({"t": "upload", "name": name, "bytes": len(content) if declared is None else declared, "last": last})
    state = answer()
    for at in range(0, len(content), 131072):
        if state in ("send", "taken"):
            page.send(content[at:at + 131072], BINARY)
            state = answer()
    return answer() if state == "taken" and declared is None else state


def check_uploads(program, folder):
    """Dropped files are opened, belong to one session, and are removed with it."""
    temporary, shared = folder / "uploads", folder / "empty"
    temporary.mkdir()
    shared.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary), "XDG_CACHE_HOME": str(folder / "upload-cache")}
    event = b'{"ph":"X","name":"dropped kernel","pid":1,"tid":1,"ts":1,"dur":5},\n'
    trace = b'{"traceEvents":[' + event * 6000 + event.rstrip(b",\n") + b"]}"

    def uploaded():
        return [path for path in temporary.rglob("*") if path.is_file()]

    with Server(program, shared, environment=environment) as server:
        page = server.session()
        page.send(b"no upload", BINARY)
        assert upload(page, trace) == "done"
        assert page.until(is_a("title", title="dropped - Kinetoscope")) is not None
        file = uploaded()
        assert len(file) == 1 and file[0].read_bytes() == trace and file[0].stat().st_mode & 0o77 == 0, file
        other = server.session(open=[str(file[0])])
        assert other.until(is_a("refused")) is not None, "another session opens an uploaded file"
        other.close()
        # A name with folders stays in the folder of the session.
        assert upload(page, trace, "../../../evil.json") == "done"
        assert len(uploaded()) == 2 and not (folder / "evil.json").exists()
        for declared, content, state in ((5 << 30, b"", "limit"), (10, trace[:100], "failed"), (1e300, b"", "limit")):
            assert upload(page, content, declared=declared) == state, declared
        assert len(uploaded()) == 2
        # Incomplete files are removed.
        assert upload(page, trace[:1000], declared=2000) == "taken"
        assert len(uploaded()) == 3
        page.send({"t": "cancel"})
        await_true(lambda: len(uploaded()) == 2, "an incomplete upload remains")
        assert upload(page, trace, "a.json", last=False) == "done"
        assert upload(page, trace, "b.json") == "done"
        assert page.until(is_a("title", title="a - Kinetoscope")) is not None
        page.send(struct.pack(">H", 1001), CLOSE)  # the tab is closed
        assert page.until(lambda message: False) is None
        page.close()
        await_true(lambda: not list(temporary.iterdir()), "the uploads of a closed tab remain")
    with Server(program, shared, "--upload-limit", "0", environment=environment) as server:
        assert upload(server.session(), trace) == "limit"
    assert not list(temporary.iterdir())
    assert not [path for path in (folder / "upload-cache").rglob("*") if "dropped" in path.name], "an upload is cached"


def await_true(holds, sentence):
    for _ in range(100 * PATIENCE):
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError(sentence)


def check_reconnecting(server):
    page = server.session()
    name = page.until(is_a("session"))["id"]
    page.until(is_frame)
    page.close()
    again = server.session(session=name)
    assert again.until(is_a("session"))["id"] == name
    assert b"#version 300 es" in again.until(is_frame)
    other = server.session(session=name)
    assert again.until(is_a("end", why="moved")) is not None
    assert other.until(is_frame) is not None
    other.close()
    assert server.session(session="0" * 32).until(is_a("session"))["id"] != name


def check_keys(server):
    """The served window has keys that browsers pass to pages, such as Alt+Q instead of Ctrl+W."""
    page = server.session()
    assert page.until(lambda message: is_a("title")(message) and message["title"] != "Kinetoscope") is not None
    for key, position, down in (("Alt", "AltLeft", True), ("q", "KeyQ", True), ("q", "KeyQ", False), ("Alt", "AltLeft", False)):
        page.send({"t": "in", "e": [["k", key, position, down]]})
    assert page.until(is_a("title", title="Kinetoscope")) is not None, "Alt+Q does not close the tab"
    page.close()


def check_crash(server):
    before = children(server.process.pid)
    page = server.session()
    page.until(is_frame)
    new = children(server.process.pid) - before
    assert len(new) == 1
    crashed = new.pop()
    os.kill(crashed, signal.SIGSEGV)
    assert page.until(is_a("end", why="crash")) is not None
    assert server.session().until(is_frame) is not None, "other sessions go on"
    for _ in range(600):
        if crashed not in children(server.process.pid):
            break
        time.sleep(0.1)
    else:
        raise AssertionError("the process that crashed is not reaped")


def check_end(program):
    """The end of the server ends its sessions."""
    with Server(program, SAMPLE) as server:
        server.session().until(is_frame)
        sessions = children(server.process.pid)
        assert len(sessions) == 1
    for _ in range(600):
        if not any(pathlib.Path(f"/proc/{process}").exists() for process in sessions):
            return
        time.sleep(0.1)
    raise AssertionError("sessions outlive the server")


def check_proxies(program):
    with Server(program, SAMPLE, "--base-path", "user/anna", "--allow-host", "hub.example:8443") as server:
        assert f":{server.port}/user/anna/#token=" in server.url, server.url
        # Some proxies remove the prefix.
        assert server.get("/user/anna/")[0].status == server.get("/")[0].status == 200
        answer = server.get("/user/anna")[0]
        assert answer.status == 307 and answer.getheader("Location") == "/user/anna/", answer.status
        assert server.get("/user/")[0].status == server.get("/user/anna/other")[0].status == 404
        assert server.get(host="hub.example:8443")[0].status == 200
        for path, host in (("/user/anna/session", "hub.example:8443"), ("/session", server.host)):
            page = server.websocket(host, "https://hub.example:8443", path)
            page.send(server.hello())
            assert page.until(is_frame) is not None, (path, host)
        for origin in ("https://hub.example", "https://evil.hub.example:8443", f"http://localhost:{server.port}"):
            assert server.websocket(origin=origin, path="/user/anna/session").status == 403, origin


def check_ipv6(program):
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        print("skipped: the server on ::1, since there is no IPv6")
        return
    with Server(program, SAMPLE, "--host", "::1") as server:
        assert server.url.startswith(f"http://[::1]:{server.port}/#token="), server.url
        assert server.session().until(is_frame) is not None
        assert server.get(host=f"[::2]:{server.port}")[0].status == 403


def children(process):
    return {int(name) for file in pathlib.Path(f"/proc/{process}/task").glob("*/children") for name in file.read_text().split()}


def check_paths(program, folder):
    shared, secret = folder / "shared", folder / "secret.json"
    shared.mkdir()
    trace = b'{"traceEvents":[{"ph":"X","name":"secret kernel","pid":1,"tid":1,"ts":1,"dur":5}]}'
    secret.write_bytes(trace)
    (shared / "inside.json").write_bytes(trace)
    (shared / "link.json").symlink_to(secret)
    with Server(program, shared) as server:
        for name in ("../secret.json", str(secret), "link.json", "/etc/passwd", "../shared/../secret.json"):
            page = server.session(open=[name])
            assert page.until(lambda message: is_a("refused", path=name)(message) or is_a("title")(message)) == {
                "t": "refused", "path": name}, name
            title = page.until(is_a("title"))["title"]
            assert title == "Kinetoscope", title
            page.close()
        page = server.session(open=["inside.json"])
        assert page.until(is_a("title", title="inside - Kinetoscope")) is not None


def check_limits(program):
    with Server(program, SAMPLE) as server:
        pages = [server.session() for _ in range(16)]
        names = [page.until(is_a("session"))["id"] for page in pages]
        assert len(set(names)) == 16
        assert list(server.session().messages()) == [{"t": "end", "why": "full"}]
        # A page without a connection makes room for a new one.
        pages[3].close()
        for _ in range(100):
            page = server.session()
            if page.until(lambda message: is_a("session")(message) or is_a("end")(message))["t"] == "session":
                break
            time.sleep(0.1)
        else:
            raise AssertionError("a lost session blocks new ones")
        # Clients that send nothing do not delay other clients.
        idle = [server.connect() for _ in range(60)]
        assert server.get()[0].status == 200
        for connection in idle:
            connection.close()


def memory_limit(process):
    return re.search(r"Max data size +(\S+)", pathlib.Path(f"/proc/{process}/limits").read_text())[1]


def check_memory(program):
    """A session that reaches its memory limit ends with a message that has the limit."""
    with Server(program, SAMPLE, "--session-memory", "0") as server:
        server.session().until(is_frame)
        assert memory_limit(*children(server.process.pid)) == memory_limit("self")
    with Server(program, SAMPLE, "--session-memory", "1GiB") as server:
        page = server.session()
        page.until(is_frame)
        process, = children(server.process.pid)
        assert memory_limit(process) == str(1 << 30), memory_limit(process)
        assert memory_limit(server.process.pid) == memory_limit("self"), "only sessions are limited"
        resource.prlimit(process, resource.RLIMIT_DATA, (1 << 20, 1 << 30))  # less than it uses
        page.send(b'{"t":"in","e":[' + b"[]," * 80_000 + b"0]}")  # a vector of 2 MiB, and 80,000 small blocks
        assert page.until(is_a("end")) == {"t": "end", "why": "memory", "limit": "1.00 GiB"}
        assert server.session().until(is_frame) is not None, "new sessions start"


def check_socket(program, folder):
    path = folder / "window.sock"
    with Server(program, SAMPLE, "--socket", path) as server:
        assert path.stat().st_mode & 0o777 == 0o600
        assert f"-L {server.port}:{path} " in server.ssh, server.ssh
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(str(path))
        page = WebSocket(connection, server.host, "/session", f"http://{server.host}")
        page.send(server.hello())
        assert page.until(is_frame) is not None
        refused = subprocess.run([program, "serve", "--socket", path], capture_output=True, text=True)
        assert refused.returncode == 1 and "already serves" in refused.stderr, refused
    assert not path.exists()


def check_command(program):
    missing = subprocess.run([program, "serve", "/missing"], capture_output=True, text=True)
    assert missing.returncode == 1 and "no such file" in missing.stderr, missing
    with Server(program, SAMPLE, "--no-token") as server:
        assert "#" not in server.url and server.session(token="").until(is_frame) is not None
        taken = subprocess.run([program, "serve", "--port", str(server.port)], capture_output=True, text=True)
        assert taken.returncode == 1 and "port cannot be used" in taken.stderr, taken
        assert "without a token" in server.stop()


def difference(a, b):
    """Returns the share of pixels that differ by more than 2 of 255 in a channel, and the largest difference."""
    (width, height, first), (other_width, other_height, second) = a, b
    assert (width, height) == (other_width, other_height), (width, height, other_width, other_height)
    differences = [max(abs(first[i + c] - second[i + c]) for c in range(3)) for i in range(0, len(first), 3)
                   if first[i:i + 3] != second[i:i + 3]]
    return sum(value > 2 for value in differences) / (width * height), max(differences, default=0)


def check_use(chromium):
    """Input changes the picture, a window at rest sends nothing, and a lost connection or WebGL context is replaced."""
    before = chromium.evaluate("kinetoscope.frames")
    for _ in range(5):
        chromium.call("Input.dispatchMouseEvent", type="mouseWheel", x=700, y=400, deltaX=0, deltaY=-100, modifiers=2)
    chromium.picture()
    frames = chromium.evaluate("kinetoscope.frames")
    assert frames > before, "the wheel changes nothing"
    time.sleep(1)
    assert chromium.evaluate("kinetoscope.frames") == frames, "a window at rest sends frames"
    chromium.evaluate("socket.close()")
    time.sleep(1)
    chromium.picture()
    assert chromium.evaluate("kinetoscope.frames") > frames and chromium.evaluate("note.hidden"), "the page does not reconnect"
    frames = chromium.evaluate("kinetoscope.frames")
    chromium.evaluate("window.loss = gl.getExtension('WEBGL_lose_context'); loss.loseContext()")
    chromium.call("Input.dispatchMouseEvent", type="mouseWheel", x=700, y=400, deltaX=0, deltaY=100, modifiers=2)
    time.sleep(1)
    chromium.evaluate("loss.restoreContext()")
    time.sleep(1)
    chromium.picture()
    assert chromium.evaluate("kinetoscope.frames") > frames, "the page does not replace a lost context"


def check_pictures(program, folder):
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        print("skipped: the page in a browser, since Chromium is not installed")
        return
    width, height = 1280, 800
    environment = {**os.environ, "XDG_CONFIG_HOME": str(folder / "config"), "XDG_CACHE_HOME": str(folder / "cache")}
    for file in (SAMPLE, SNAPSHOT):
        picture = folder / "picture.png"
        subprocess.run([program, "screenshot", file, picture, "--size", f"{width}x{height}", "--language", "en"],
                       check=True, env=environment)
        with Server(program, file, "--base-path", "/user/anna/", environment=environment) as server:
            chromium = Chromium(browser, server.url, width, height, folder / "profile")
            try:
                seen = folder / f"{file.stem}.png"
                seen.write_bytes(chromium.picture())
                check_use(chromium)
            finally:
                chromium.close()
        share, most = difference(png.read_png(picture), png.read_png(seen))
        # Software drivers interpolate the texture of the font differently: 0.12 % of the pixels differ, by at most 9.
        assert share <= 0.002 and most <= 16, f"{file.name}: {100 * share:.3f} % of the pixels differ, by up to {most}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kinetoscope", type=pathlib.Path, required=True)
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the pictures")
    options = parser.parse_args()
    program = options.kinetoscope.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = options.keep or pathlib.Path(name)
        folder.mkdir(exist_ok=True)
        with Server(program, SAMPLE) as server:
            assert re.fullmatch(r"ssh -N -L \d+:127\.0\.0\.1:\d+ \S+", server.ssh), server.ssh
            assert re.fullmatch(r"[0-9a-f]{32}", server.token), server.url
            for check in (check_page, check_requests, check_access, check_session, check_reconnecting, check_keys, check_crash):
                check(server)
        check_command(program)
        check_end(program)
        check_proxies(program)
        check_ipv6(program)
        check_paths(program, folder)
        check_downloads(program, folder)
        check_uploads(program, folder)
        check_limits(program)
        check_memory(program)
        check_socket(program, folder)
        check_pictures(program, folder)


if __name__ == "__main__":
    sys.exit(main())
