#!/usr/bin/env python3
"""A gripper for Mybot: one joint, here simulated, as a child on standard input and output.
Beside a base that drives, the two are one robot."""
import json, os, select, time

RATE, OPEN, SPEED = 20, 0.05, 0.04   # readings a second; m between the fingers; m/s
ROBOT = {
    "name": "Gripper",
    "links": [
        {"name": "base_link"},
        {"name": "hand", "parent": "base_link", "x_m": 0.16, "z_m": 0.06, "shapes": [{"kind": "box", "length_m": 0.04, "width_m": 0.1, "height_m": 0.03}]},
        {"name": "finger", "parent": "hand", "x_m": 0.05, "y_m": -0.02, "shapes": [{"kind": "box", "length_m": 0.06, "width_m": 0.01, "height_m": 0.02}]}],
    "joints": [{"name": "gripper", "link": "finger", "kind": "slide", "axis": [0, 1, 0], "min_m": 0, "max_m": OPEN, "speed_m_s": SPEED}],
    "frames": [{"name": "grip", "link": "hand", "x_m": 0.06}]}

class Gripper:
    """YOUR SERVO GOES HERE, in place of a simulated one."""
    def __init__(self):
        self.at = self.to = 0.0

    def move(self, to):
        """Moves there, m, and does not wait; at is where it is meanwhile."""
        if not 0 <= to <= OPEN:
            raise ValueError("outside the limits")
        self.to = to

    def stop(self):
        self.to = self.at

    def step(self, seconds):
        self.at += max(-SPEED * seconds, min(SPEED * seconds, self.to - self.at))

def ms():
    return time.monotonic_ns() // 1_000_000

def say(**message):
    line = json.dumps(message, separators=(",", ":")).encode() + b"\n"
    while line:
        line = line[os.write(1, line):]

def obey(message):
    if message["t"] == "hello":
        gripper.stop()
        say(t="describe", protocol=1, base="gripper.py 1", robot=ROBOT)
    elif message["t"] == "joints":
        gripper.move(float(message["at"]["gripper"]))
    elif message["t"] == "panic":
        gripper.stop()
    elif message["t"] == "ping":
        say(t="pong", id=message["id"], ms=ms())
    return message["t"] == "hello"

gripper, heard, greeted, due = Gripper(), b"", False, ms()
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
                pass                            # not a line for a gripper
    if ms() >= due:
        gripper.step(1 / RATE)
        if greeted:
            say(t="more", ms=ms(), joints={"gripper": round(gripper.at, 4)})
        due = max(due + 1000 // RATE, ms())
gripper.stop()
