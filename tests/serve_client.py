"""Clients of `kinetoscope serve` for tests: a WebSocket, the server as a process, and a page in a headless Chromium."""
import base64
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import struct
import subprocess
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent
VERSION = int(re.search(r"kFrameVersion = (\d+)", (SOURCE / "render/frame_writer.hpp").read_text(encoding="utf-8"))[1])
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
PATIENCE = 60
FIRST_LIST_RECORDS = 5 * 4  # an empty frame has a frame record and its end


class WebSocket:
    """A client of RFC 6455 without extensions."""

    def __init__(self, connection, host, path, origin):
        self.connection, self.pending = connection, b""
        connection.settimeout(PATIENCE)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {path} HTTP/1.1", f"Host: {host}", "Upgrade: websocket", "Connection: Upgrade",
                 f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13"]
        lines += [f"Origin: {origin}"] if origin else []
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        while b"\r\n\r\n" not in self.pending:
            more = connection.recv(65536)
            if not more:
                break
            self.pending += more
        head, _, self.pending = self.pending.partition(b"\r\n\r\n")
        self.status = int(head.split()[1]) if head else 0

    def send(self, payload, kind=TEXT):
        payload = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        size = len(payload)
        head = struct.pack(">BB", 0x80 | kind, 0x80 | (size if size < 126 else 126 if size < 65536 else 127))
        head += b"" if size < 126 else struct.pack(">H" if size < 65536 else ">Q", size)
        self.connection.sendall(head + b"\0\0\0\0" + payload)  # a mask of zeros

    def exactly(self, size):
        while len(self.pending) < size:
            more = self.connection.recv(1 << 16)
            if not more:
                raise ConnectionError("closed")
            self.pending += more
        taken, self.pending = self.pending[:size], self.pending[size:]
        return taken

    def receive(self):
        """Returns (kind, payload); answers pings."""
        payload = b""
        while True:
            first, second = self.exactly(2)
            size = second & 127
            if size > 125:
                size = int.from_bytes(self.exactly(2 if size == 126 else 8), "big")
            part = self.exactly(size)
            if first & 15 == PING:
                self.send(part, PONG)
                continue
            payload += part
            kind = first & 15 or kind
            if first & 128:
                return kind, payload

    def messages(self):
        """Yields JSON messages and frames (bytes) until the server closes; acknowledges frames."""
        while True:
            try:
                kind, payload = self.receive()
                if kind == BINARY:
                    self.send({"t": "got" if is_piece(payload) else "ack"})
            except OSError:
                return
            if kind == CLOSE:
                return
            yield payload if kind == BINARY else json.loads(payload)

    def until(self, wanted):
        """Returns the first message for which `wanted` is true; None if the server closes before."""
        return next((message for message in self.messages() if wanted(message)), None)

    def close(self):
        self.connection.close()


class Server:
    def __init__(self, program, *arguments, environment=None):
        self.process = subprocess.Popen([program, "serve", *map(str, arguments)], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env=environment)
        self.url, self.ssh = self.process.stdout.readline().strip(), self.process.stdout.readline().strip()
        if not self.url:
            raise AssertionError(self.process.stderr.read())
        self.port = int(re.search(r":(\d+)/", self.url)[1])
        self.address = "::1" if "[::1]" in self.url else "127.0.0.1"
        self.host = f"[::1]:{self.port}" if self.address == "::1" else f"127.0.0.1:{self.port}"
        self.token = self.url.partition("#token=")[2]

    def connect(self):
        return socket.create_connection((self.address, self.port), PATIENCE)

    def websocket(self, host=None, origin=None, path="/session"):
        host = host or self.host
        return WebSocket(self.connect(), host, path, f"http://{host}" if origin is None else origin)

    def hello(self, **changed):
        return {"t": "hello", "version": VERSION, "token": self.token, "width": 800, "height": 600, "ratio": 1,
                "texture": 4096, "language": "en", **changed}

    def session(self, **changed):
        page = self.websocket()
        page.send(self.hello(**changed))
        return page

    def get(self, path="/", host=None, method="GET"):
        connection = http.client.HTTPConnection(self.address, self.port, timeout=PATIENCE)
        connection.putrequest(method, path, skip_host=True)
        connection.putheader("Host", host or self.host)
        connection.endheaders()
        answer = connection.getresponse()
        return answer, answer.read()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)
        return self.process.stderr.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def is_piece(message):
    """Whether a message is a piece of a downloaded file."""
    return isinstance(message, bytes) and message[:4] == bytes(4)


def is_frame(message):
    return isinstance(message, bytes) and len(message) > FIRST_LIST_RECORDS and not is_piece(message)


def is_a(name, **values):
    return lambda message: isinstance(message, dict) and {"t": name, **values}.items() <= message.items()


class Chromium:
    """A page in a headless Chromium, by its DevTools protocol."""

    def __init__(self, browser, url, width, height, profile):
        self.process = subprocess.Popen(
            [browser, "--headless=new", "--no-sandbox", "--remote-debugging-port=0", f"--user-data-dir={profile}",
             f"--window-size={width},{height}", "--hide-scrollbars", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
             "--remote-allow-origins=*", "--no-first-run", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        line = ""
        while "DevTools listening" not in line:
            line = self.process.stderr.readline()
            assert line, "Chromium does not start"
        port = int(re.search(r":(\d+)/", line)[1])
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.request("GET", "/json")
        target = next(target for target in json.load(connection.getresponse()) if target["type"] == "page")
        path = target["webSocketDebuggerUrl"].partition(str(port))[2]
        self.devtools = WebSocket(socket.create_connection(("127.0.0.1", port)), f"127.0.0.1:{port}", path, "")
        self.number = 0
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Page.navigate", url=url)

    def call(self, method, **parameters):
        self.number += 1
        self.devtools.send({"id": self.number, "method": method, "params": parameters})
        while True:
            answer = json.loads(self.devtools.receive()[1])
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]

    def evaluate(self, expression):
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def picture(self):
        """Returns the picture once no frame has been drawn for a second."""
        frames, still = -1, 0
        for _ in range(600):
            time.sleep(0.1)
            now = self.evaluate("window.kinetoscope ? kinetoscope.frames : 0")
            still = still + 1 if now == frames and now > 0 else 0
            frames = now
            if still == 10:
                break
        assert self.evaluate("kinetoscope.errors.join()") == "", self.evaluate("kinetoscope.errors.join()")
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def close(self):
        self.process.terminate()
        self.process.wait(PATIENCE)
