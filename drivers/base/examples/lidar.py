#!/usr/bin/env python3
"""A lidar for Mybot that streams by itself, as a child on standard input and output. Beside
a base that drives, the two are one robot. Here it stands in a simulated room."""
import json, math, os, select, time

BEAMS, RATE = 360, 10    # of a turn; turns a second
ROBOT = {"name": "Lidar", "lidars": [{
    "x_m": 0, "y_m": 0, "heading_deg": 0, "height_m": 0.2, "from_deg": 0, "step_deg": 360 / BEAMS, "beams": BEAMS,
    "min_m": 0.1, "max_m": 8, "rate_hz": RATE}]}

class Lidar:
    """YOUR LIDAR GOES HERE, in place of one in the middle of a room of 6 m by 4 m."""
    def turn(self):
        """Returns a range in mm for each beam: 0 = nothing within reach, -1 = no measurement."""
        ranges = []
        for beam in range(BEAMS):
            angle = math.radians(360 / BEAMS * beam)
            walls = 3 / max(abs(math.cos(angle)), 1e-9), 2 / max(abs(math.sin(angle)), 1e-9)
            ranges.append(round(1000 * min(walls)))
        return ranges

def ms():
    return time.monotonic_ns() // 1_000_000

def say(**message):
    line = json.dumps(message, separators=(",", ":")).encode() + b"\n"
    while line:
        line = line[os.write(1, line):]

def obey(message):
    if message["t"] == "hello":
        say(t="describe", protocol=1, base="lidar.py 1", robot=ROBOT)
    elif message["t"] == "ping":
        say(t="pong", id=message["id"], ms=ms())
    return message["t"] == "hello"

lidar, heard, greeted, due = Lidar(), b"", False, ms()
while True:
    if select.select([0], [], [], max(0, due - ms()) / 1000)[0]:
        data = os.read(0, 65536)
        if not data:
            break                               # Mybot is gone
        *lines, heard = (heard + data).split(b"\n")
        for line in lines:
            try:
                greeted = obey(json.loads(line)) or greeted
            except (ValueError, TypeError, LookupError):
                pass                            # not a line for a lidar
    if ms() >= due:
        if greeted:
            say(t="scan", ms=due - 1000 // RATE, lidar=0, lasts=1000 // RATE, mm=lidar.turn())
        due = max(due + 1000 // RATE, ms())
