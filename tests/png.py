"""Reads and writes PNG files with the standard library alone."""

import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = {2: 3, 6: 4}  # by type of color: RGB and RGBA


def write_png(path, width, height, rgb):
    """`rgb` has three bytes per pixel, row by row. Each row is stored as the difference to the row above."""
    stride = 3 * width
    above, lines = bytes(stride), bytearray()
    for at in range(0, stride * height, stride):
        row = rgb[at:at + stride]
        lines += b"\2" + bytes((a - b) & 255 for a, b in zip(row, above))
        above = row

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    path.write_bytes(SIGNATURE + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(bytes(lines), 9)) + chunk(b"IEND", b""))


def paeth(left, above, corner):
    """Returns the neighbor that is closest to left + above - corner."""
    to_left, to_above, to_corner = abs(above - corner), abs(left - corner), abs(left + above - 2 * corner)
    if to_left <= to_above and to_left <= to_corner:
        return left
    return above if to_above <= to_corner else corner


def unfiltered(kind, row, above, step):
    """Reverses the filter `kind` of the PNG specification on a row. A pixel has `step` bytes."""
    if kind == 0:
        return bytes(row)
    if kind == 2:
        return bytes((a + b) & 255 for a, b in zip(row, above))
    line = bytearray(step) + row
    corner = bytes(step) + above
    for i in range(step, len(line)):
        left, up = line[i - step], above[i - step]
        if kind == 1:
            line[i] = (line[i] + left) & 255
        elif kind == 3:
            line[i] = (line[i] + (left + up) // 2) & 255
        else:
            line[i] = (line[i] + paeth(left, up, corner[i - step])) & 255
    return bytes(line[step:])


def read_png(path):
    """Returns (width, height, rgb) of a picture of 8 bits per channel that is not interlaced."""
    content = path.read_bytes()
    if not content.startswith(SIGNATURE):
        raise ValueError(f"{path} is not a PNG file")
    at, packed = len(SIGNATURE), b""
    while at < len(content):
        length, kind = struct.unpack(">I4s", content[at:at + 8])
        part = content[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, color, _, _, interlaced = struct.unpack(">IIBBBBB", part)
        elif kind == b"IDAT":
            packed += part
        at += length + 12
    if depth != 8 or interlaced or color not in CHANNELS:
        raise ValueError(f"{path} has {depth} bits per channel, colors of type {color}, interlacing {interlaced}")
    step = CHANNELS[color]
    stride = step * width
    lines, above, rgb = zlib.decompress(packed), bytes(stride), bytearray()
    for y in range(height):
        begin = y * (stride + 1)
        above = unfiltered(lines[begin], lines[begin + 1:begin + 1 + stride], above, step)
        row = bytearray(3 * width)
        for channel in range(3):
            row[channel::3] = above[channel::step]
        rgb += row
    return width, height, bytes(rgb)
