#!/usr/bin/env python3
"""A speaker and a display for Mybot, here a terminal's, as a child on standard input and output.
Beside a base that drives, the two are one robot."""
import json, os, select, sys, time

ROBOT = {"name": "Speaker", "speaker": True, "display": True}

class Speaker:
    """YOUR SPEAKER AND DISPLAY GO HERE, in place of standard error."""
    def __init__(self):
        self.id, self.ends = 0, 0.0

    def speak(self, id, text):
        """Begins to speak, in place of what is still spoken, and does not wait."""
        self.id, self.ends = id, time.monotonic() + 0.4 + 0.06 * len(text)
        print("says", text, file=sys.stderr, flush=True)

    def spoken(self):
        """Returns the id of a text whose end has come, once; 0 = none."""
        id = self.id if self.id and time.monotonic() >= self.ends else 0
        self.id -= id
        return id

    def show(self, lines):
        """Shows these lines in place of those before; none clear the display."""
        print("shows", " | ".join(lines), file=sys.stderr, flush=True)

def ms():
    return time.monotonic_ns() // 1_000_000

def tell(**message):
    line = json.dumps(message, separators=(",", ":")).encode() + b"\n"
    while line:
        line = line[os.write(1, line):]

def obey(message):
    if message["t"] == "hello":
        tell(t="describe", protocol=1, base="speaker.py 1", robot=ROBOT)
    elif message["t"] == "say":
        speaker.speak(int(message["id"]), str(message["text"]))
    elif message["t"] == "show":
        speaker.show([str(line) for line in message["lines"]])
    elif message["t"] == "ping":
        tell(t="pong", id=message["id"], ms=ms())
    return message["t"] == "hello"

speaker, heard, greeted, due = Speaker(), b"", False, 0
while True:
    if select.select([0], [], [], 0.05)[0]:
        data = os.read(0, 65536)
        if not data:
            break                               # Mybot is gone
        *lines, heard = (heard + data).split(b"\n")
        for line in lines:
            try:
                greeted = obey(json.loads(line)) or greeted
            except (ValueError, TypeError, LookupError):
                pass                            # not a line for a speaker
    if id := speaker.spoken():
        tell(t="said", id=id)
    if greeted and ms() >= due:
        tell(t="more", ms=ms())                 # it is alive
        due = ms() + 100
speaker.show([])
