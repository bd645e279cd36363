# Covers: no unit
"""The window in a notebook: the server, its address and its end."""
import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import time

import pytest

import kinetoscope
from kinetoscope import KinetoscopeError, jupyter_proxy, surroundings
from serve_client import VERSION, WebSocket, is_a, is_frame

PATIENCE_S = 60


def status_of(port, path="/"):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    connection.request("GET", path)
    return connection.getresponse().status


def refuses(port):
    """Waits until nothing listens on the port."""
    for _ in range(PATIENCE_S * 10):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return True
        time.sleep(0.1)
    return False


def first_message(port, token, prefix=""):
    host = f"127.0.0.1:{port}"
    page = WebSocket(socket.create_connection(("127.0.0.1", port), PATIENCE_S), host, prefix + "/session", f"http://{host}")
    page.send({"t": "hello", "version": VERSION, "token": token, "width": 400, "height": 300, "ratio": 1, "texture": 4096,
               "language": "en"})
    found = page.until(lambda message: is_frame(message) or is_a("end")(message))
    page.close()
    return found


def test_shows_the_window_with_its_token_and_ends(trace):
    view = trace.view(height=500, proxy=False)
    port, token = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/#token=(\w{32})", view.url).groups()
    html = view._repr_html_()
    assert f'src="{view.url}"' in html and 'height="500"' in html and html.startswith("<iframe")
    assert status_of(int(port)) == 200
    assert is_frame(first_message(int(port), token))
    assert first_message(int(port), token[:-1] + "?") == {"t": "end", "why": "token"}
    view.stop()
    assert refuses(int(port))


def test_one_server_per_set_of_files(trace, files):
    first, second, other = trace.view(), kinetoscope.view(trace.paths[0]), kinetoscope.view(files / "job")
    assert first.url == second.url and first.url != other.url
    comparison = kinetoscope.compare(files / "before.json", files / "after.json").view()
    first.stop()
    assert status_of(other.server.port) == status_of(comparison.server.port) == 200
    again = trace.view()
    assert again.url != first.url and status_of(again.server.port) == 200
    assert again.url in trace._repr_html_() and again.url in repr(again)
    for view in (again, other, comparison):
        view.stop()


@pytest.mark.parametrize("end", ["exit", "kill"])
def test_the_server_ends_with_the_notebook(files, end):
    code = f"import kinetoscope, time; print(kinetoscope.view({str(files / 'job')!r}).server.port, flush=True); "
    code += "time.sleep(600)" if end == "kill" else ""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as notebook:
        port = int(notebook.stdout.readline())
        if end == "kill":
            assert status_of(port) == 200
            os.kill(notebook.pid, signal.SIGKILL)
    assert refuses(port)


def test_behind_jupyterhub_the_proxy_passes_requests_on(trace, monkeypatch):
    monkeypatch.setenv("JUPYTERHUB_SERVICE_PREFIX", "/user/anna/")
    with pytest.raises(KinetoscopeError, match="KINETOSCOPE_HOST"):
        trace.view()
    view = trace.view(host="https://hub.example:8443/hub")
    prefix = f"/user/anna/proxy/{view.server.port}/"
    assert f'src="{prefix}#token={view.server.token}"' in view._repr_html_()
    assert status_of(view.server.port, prefix) == 200  # a proxy that keeps the path
    assert status_of(view.server.port) == 200  # and one that removes it
    connection = http.client.HTTPConnection("127.0.0.1", view.server.port, timeout=PATIENCE_S)
    for host, status in (("hub.example:8443", 200), ("evil.example", 403)):
        connection.request("GET", "/", headers={"Host": host})
        answer = connection.getresponse()
        answer.read()
        assert answer.status == status, host
    to_view = socket.create_connection(("127.0.0.1", view.server.port), PATIENCE_S)
    page = WebSocket(to_view, "hub.example:8443", "/session", "https://hub.example:8443")
    assert page.status == 101
    page.close()
    view.stop()


def test_the_launcher_entry_serves_its_folder_to_the_proxy(files, tmp_path):
    settings = jupyter_proxy.setup()
    path = str(tmp_path / "socket")
    command = [part.format(unix_socket=path, base_url="/user/anna/") for part in settings["command"]]
    with subprocess.Popen(command, cwd=files, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        server.stdout.readline()
        assert os.stat(path).st_mode & 0o777 == 0o600
        to_server = socket.socket(socket.AF_UNIX)
        to_server.connect(path)
        headers = settings["request_headers_override"]
        page = WebSocket(to_server, headers["Host"], "/session", headers["Origin"])
        assert page.status == 101
        page.send({"t": "hello", "version": VERSION, "token": "", "width": 400, "height": 300, "ratio": 1, "texture": 4096,
                   "language": "en"})
        assert is_frame(page.until(lambda message: is_frame(message) or is_a("end")(message)))
        page.close()
        server.terminate()


def test_vscode_gets_a_link(trace, monkeypatch):
    monkeypatch.setenv("VSCODE_PID", "1")
    view = trace.view()
    assert view._repr_html_().startswith(f'<a href="{view.url}"')
    view.stop()


def test_the_server_of_the_kernel_gives_the_prefix(monkeypatch):
    application = pytest.importorskip("jupyter_server.serverapp")
    monkeypatch.setattr(application, "list_running_servers", lambda: [{"pid": 1, "base_url": "/a/"}, {"pid": 2, "base_url": "/b/"}])
    monkeypatch.setenv("JPY_PARENT_PID", "2")
    assert surroundings.surroundings(True, None).prefix == "/b/"
    monkeypatch.setenv("JPY_PARENT_PID", "3")
    with pytest.raises(KinetoscopeError, match="proxy=False"):
        surroundings.surroundings(True, None)


def test_missing_files_are_reported(tmp_path):
    with pytest.raises(KinetoscopeError, match="There is no such file") as caught:
        kinetoscope.view(tmp_path / "none")
    assert caught.value.exit_code == 1
    with pytest.raises(KinetoscopeError):
        kinetoscope.view()
