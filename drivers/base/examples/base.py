#!/usr/bin/env python3
"""A base for Mybot: two wheels, here simulated. It speaks on standard input and output,
with --tcp PORT at a port of this computer, with --serial DEVICE on a serial port."""
import binascii, contextlib, json, os, select, signal, socket, sys, termios, time

WHEEL_BASE = 0.30        # m between the wheels
TOP, BRAKES = 0.6, 1.5   # of a wheel: m/s and m/s2
RATE, HOLDS = 50, 0.1    # readings a second; s for which a drive line counts
ROBOT = {
    "name": "Tinker", "body": {"length_m": 0.30, "width_m": 0.34, "height_m": 0.15, "mass_kg": 4}, "drivetrain": {"wheel_base_m": WHEEL_BASE, "axle_offset_m": 0},
    "hardware": {"linear_m_s": TOP, "angular_deg_s": 180, "linear_acceleration_m_s2": BRAKES, "angular_acceleration_deg_s2": 500},
    "safe": {"linear_m_s": 0.4, "angular_deg_s": 60, "linear_acceleration_m_s2": 0.6, "angular_acceleration_deg_s2": 120},
    "rate_hz": RATE, "holds_s": HOLDS}

class Wheels:
    """YOUR MOTORS AND ENCODERS GO HERE, in place of two simulated wheels."""
    def __init__(self):
        self.wanted, self.speed, self.totals = [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]

    def drive(self, left, right):
        """Lets the wheels turn at these speeds, m/s, from now on; it does not wait."""
        self.wanted = [max(-TOP, min(TOP, left)), max(-TOP, min(TOP, right))]

    def step(self, seconds):
        """Is called before each reading: totals becomes how far each wheel has rolled, m."""
        for i in 0, 1:
            self.speed[i] += max(-BRAKES * seconds, min(BRAKES * seconds, self.wanted[i] - self.speed[i]))
            self.totals[i] += self.speed[i] * seconds

def ms():
    return time.monotonic_ns() // 1_000_000

def checksum(text):
    return b"~%04X" % binascii.crc_hqx(text, 0xFFFF)

def decode(line, checked):
    line = line.rstrip(b"\r")
    if checked or line[-5:-4] == b"~":
        if line[-5:].upper() != checksum(line[:-5]):
            raise ValueError("the checksum is missing or wrong")
        line = line[:-5]
    message = json.loads(line.decode(), object_pairs_hook=lambda pairs: dict(pairs, doubles=len(pairs) - len(dict(pairs))))
    if len(line) > 4096 or message["doubles"] > 0:
        raise ValueError("the line is too long, or has a key twice")
    return message

class Base:
    """The rules of mybot.base: no drive line moves the wheels for longer than HOLDS."""
    def __init__(self, checked=False):
        self.wheels, self.checked, self.refuses, self.files = Wheels(), checked, "", ()
        self.connect()

    def connect(self, *files):      # ends all motion; reads the first file, writes to the last
        for file in set(self.files):
            os.close(file)
        self.files, self.heard, self.begun, self.waits, self.got = files, ms(), b"", b"", None
        self.stop()

    def stop(self):
        self.ends = float("inf")    # ms when the wheels have to stop
        self.wheels.drive(0, 0)

    def hear(self, data):           # obeys whole lines, and skips malformed ones
        if not data:
            return self.connect()   # the line has ended
        self.heard = ms()
        *lines, begun = (self.begun + data).split(b"\n")
        self.begun = begun[:5000]   # more of it is not needed to see that it is too long
        for line in filter(None, lines):
            try:
                self.obey(decode(line, self.checked))
            except (ValueError, TypeError, LookupError, RecursionError) as fault:
                if not self.waits:
                    self.say(t="error", text=f"{type(fault).__name__}: {fault}"[:200])

    def obey(self, m):
        if m["t"] == "hello":
            self.stop()
            self.got = 0 if 1 in m["v"] else None
            self.say(t="describe", protocol=1, base="base.py 1", robot=ROBOT)
        elif m["t"] == "drive":
            n, until, v, w = m["n"], m["until"], m["v"], m["w"]
            if {type(n), type(until)} != {int} or not {type(v), type(w)} <= {int, float} or not abs(v) <= 100 >= abs(w):
                raise ValueError("a number is none, or too large")
            if self.got is not None and n > self.got and until > ms() and not self.refuses:
                self.got, self.ends = n, min(until, ms() + int(1000 * HOLDS))
                self.wheels.drive(v - w * WHEEL_BASE / 2, v + w * WHEEL_BASE / 2)
        elif m["t"] == "ping" and type(m["id"]) is int and 0 < m["id"] < 2**31:
            self.say(t="pong", id=m["id"], ms=ms())
        elif m["t"] in ("panic", "clear"):
            self.refuses = "Stopped by panic, until clear." if m["t"] == "panic" else ""
            self.stop()

    def say(self, **message):
        if len(self.waits) < 8192:  # who does not read gets no more: nothing is queued
            text = json.dumps(message, separators=(",", ":")).encode()
            self.waits += text + (checksum(text) if self.checked else b"") + b"\n"

    def meet(self, connection):     # one Mybot at a time, but not one that is silent
        if not self.files or ms() - self.heard >= 2000:
            self.connect(connection.detach())
        else:
            self.refused = connection   # open until the next one, so that the words arrive
            with contextlib.suppress(OSError):
                connection.send(b'{"t":"error","text":"this base is busy with another Mybot"}\n')
                connection.shutdown(socket.SHUT_WR)

    def run(self, *listeners):
        then = due = ms()
        while listeners or self.files:
            wait = max(0, min(due, self.ends) - ms()) / 1000
            ready, takes, _ = select.select(self.files[:1] + listeners, self.files[-1:] if self.waits else (), (), wait)
            try:
                if takes:
                    os.set_blocking(takes[0], False)
                    self.waits = self.waits[os.write(takes[0], self.waits):]
                for source in ready:
                    self.meet(source.accept()[0]) if source in listeners else self.hear(os.read(source, 65536))
            except OSError:             # reset, hung up, unplugged
                self.connect()
            now = ms()
            if now >= self.ends:        # the watchdog
                self.stop()
            if now >= due:
                self.wheels.step((now - then) / 1000)
                then, due = now, max(due + 1000 // RATE, now + 1)
                if self.got is not None and not self.waits:
                    self.say(t="reading", ms=now, wheels=[round(x, 5) for x in self.wheels.totals], got=self.got, refuses=self.refuses)

if __name__ == "__main__":
    kind, where = (sys.argv[1:] + ["", ""])[:2]
    base = Base(checked=kind == "--serial")
    for ending in signal.SIGINT, signal.SIGTERM:
        signal.signal(ending, lambda *_: sys.exit())
    try:
        if kind == "--tcp":
            base.run(socket.create_server(("127.0.0.1", int(where))))
        elif kind == "--serial":
            port = os.open(where, os.O_RDWR | os.O_NOCTTY)
            speeds, flags = [termios.B115200] * 2, termios.CS8 | termios.CREAD | termios.CLOCAL
            termios.tcsetattr(port, termios.TCSANOW, [0, 0, flags, 0] + speeds + termios.tcgetattr(port)[6:])
            base.connect(port)
        elif kind == "":
            base.connect(0, 1)
        else:
            sys.exit(__doc__)
        base.run()
    finally:
        base.stop()                     # however the program ends
