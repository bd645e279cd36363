"""An X server without a screen, and pictures of its content."""

import mmap
import os
import pathlib
import select
import shutil
import struct
import subprocess


class Picture:
    """The content of the screen at one moment: width x height pixels of 4 bytes: blue, green, red, unused."""

    def __init__(self, width, height, pixels):
        self.width, self.height, self.pixels = width, height, pixels

    def at(self, x, y):
        """Returns a pixel as (red, green, blue)."""
        place = 4 * (int(y) * self.width + int(x))
        blue, green, red = self.pixels[place:place + 3]
        return red, green, blue

    def row(self, x, y, width):
        """Returns `width` pixels from (x, y) to the right as (red, green, blue)."""
        return [self.at(x + i, y) for i in range(width)]

    def box(self, left, top, width, height):
        """Returns a part as raw bytes."""
        lines = ((int(top) + i) * self.width + int(left) for i in range(int(height)))
        return b"".join(self.pixels[4 * line:4 * (line + int(width))] for line in lines)

    def rgb(self, left, top, width, height):
        """Returns a part as bytes of red, green and blue."""
        part = self.box(left, top, width, height)
        rgb = bytearray(len(part) // 4 * 3)
        rgb[0::3], rgb[1::3], rgb[2::3] = part[2::4], part[1::4], part[0::4]
        return bytes(rgb)

    def brightness(self, left, top, width, height):
        """Returns the mean of the green channel, 0 to 255."""
        green = self.box(left, top, width, height)[1::4]
        return sum(green) / max(1, len(green))

    def colors(self, left, top, width, height):
        """Returns the number of different colors in a part."""
        part = self.box(left, top, width, height)
        return len({part[i:i + 3] for i in range(0, len(part), 4)})

    def changed(self, other):
        """Returns the number of pixels that differ."""
        if self.pixels == other.pixels:
            return 0
        ours, theirs = memoryview(self.pixels).cast("I"), memoryview(other.pixels).cast("I")
        return sum(a != b for a, b in zip(ours, theirs))


class VirtualDisplay:
    """Xvfb, which chooses its display number. It stores its pixels in a file, so a picture is a copy of the file."""

    WIDTH, HEIGHT = 1600, 1000

    def __init__(self, folder, options=()):
        if not shutil.which("Xvfb"):
            raise RuntimeError("Xvfb is missing; install the Debian package xvfb")
        frames = pathlib.Path(folder) / "screen"
        frames.mkdir()
        reading, writing = os.pipe()
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writing), "-screen", "0", f"{self.WIDTH}x{self.HEIGHT}x24", "-nolisten", "tcp",
             "-noreset", "-ac", "-fbdir", str(frames), *options], pass_fds=[writing], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writing)
        number = b""
        while not number.endswith(b"\n"):
            ready, _, _ = select.select([reading], [], [], 60)
            piece = os.read(reading, 16) if ready else b""
            if not piece:
                self.close()
                raise RuntimeError("Xvfb does not start")
            number += piece
        os.close(reading)
        self.name = ":" + number.decode().strip()
        with open(frames / "Xvfb_screen0", "rb") as file:
            self.frame = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)

    def picture(self):
        # The file has the format of xwd: a header of 25 big-endian words that begins with its size, the name, the
        # color map (12 bytes per entry), the pixels.
        header = struct.unpack(">25I", self.frame[:100])
        size, width, height, bits, line_bytes, colors = (header[i] for i in (0, 4, 5, 11, 12, 19))
        if bits != 32 or line_bytes != 4 * width:
            raise RuntimeError(f"Xvfb keeps {bits} bits a pixel and {line_bytes} bytes a line")
        begin = size + 12 * colors
        return Picture(width, height, self.frame[begin:begin + line_bytes * height])

    def close(self):
        self.process.terminate()
        self.process.wait()
