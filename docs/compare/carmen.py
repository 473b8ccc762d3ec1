#!/usr/bin/env python3
"""Makes a map folder and a plain log of a real robot's CARMEN log.

    docs/compare/carmen.py FILE.log DIR
    mybot lab localize --map DIR --log DIR/run.log --methods odometry,mcl

FILE.log has ODOM lines, which are the odometry, and FLASER lines whose poses a
mapping program has corrected, such as the logs of the Radish collection. The
corrected poses are taken for the truth, and the map is drawn from the scans at
them. Each of seven sonars in front tells the nearest range of the laser in its
beam of 20 degrees, up to 5 m. The compass is not real: the true heading with a
constant bias and noise (--bias, --noise in degrees; --no-compass). The order of
the lines counts, not their times, which such logs have rounded: the robot is
taken to drive 0.4 m/s and to turn 0.6 rad/s.
"""
import argparse
import math
import os
import random
import sys

CELL, REACH, BEAM = 0.05, 5.0, math.radians(20)
SONARS = [math.radians(d) for d in (-80, -60, -30, 0, 30, 60, 80)]


def wrap(a):
    return (a + math.pi) % (2 * math.pi) - math.pi


def compose(p, q):
    c, s = math.cos(p[2]), math.sin(p[2])
    return (p[0] + c * q[0] - s * q[1], p[1] + s * q[0] + c * q[1], wrap(p[2] + q[2]))


def between(p, q):
    """Returns q as p sees it."""
    c, s = math.cos(p[2]), math.sin(p[2])
    x, y = q[0] - p[0], q[1] - p[1]
    return (c * x + s * y, -s * x + c * y, wrap(q[2] - p[2]))


def read(name):
    lines = []
    for number, line in enumerate(open(name, errors="replace"), 1):
        w = line.split()
        try:
            if w and w[0] == "ODOM":
                lines.append((tuple(map(float, w[1:4])), None))
            elif w and w[0] == "FLASER":
                n = int(w[1])
                lines.append((None, (tuple(map(float, w[2 + n:5 + n])), [float(v) for v in w[2:2 + n]])))
        except (ValueError, IndexError):
            sys.exit("%s: line %d is not a whole %s line" % (name, number, w[0]))
    scans = [s for _, s in lines if s]
    if len(lines) - len(scans) < 2 or len(scans) < 10:
        sys.exit("%s has %d ODOM and %d FLASER lines; it needs at least 2 and 10" % (name, len(lines) - len(scans), len(scans)))
    return lines, scans


def rays(ranges):
    step = math.pi / (len(ranges) if len(ranges) % 2 == 0 else len(ranges) - 1)
    return [(-math.pi / 2 + i * step, r) for i, r in enumerate(ranges)]


def draw(scans, folder, most=20.0):
    """Draws the map: a cell is taken when enough of the rays that touch it end there."""
    ends = [compose(p, (r * math.cos(a), r * math.sin(a), 0))[:2] for p, ranges in scans for a, r in rays(ranges) if r < most]
    x0, y0 = min(p[0] for p in ends) - 1, min(p[1] for p in ends) - 1
    width, height = int((max(p[0] for p in ends) + 1 - x0) / CELL), int((max(p[1] for p in ends) + 1 - y0) / CELL)
    hits, passes = [0] * (width * height), [0] * (width * height)
    for p, ranges in scans:
        for a, r in rays(ranges):
            far = min(r, most)
            c, s = math.cos(p[2] + a), math.sin(p[2] + a)
            for k in range(int(far / CELL) - 1):
                i, j = int((p[0] + k * CELL * c - x0) / CELL), int((p[1] + k * CELL * s - y0) / CELL)
                if 0 <= i < width and 0 <= j < height:
                    passes[j * width + i] += 1
            if r < most:
                hits[int((p[1] + r * s - y0) / CELL) * width + int((p[0] + r * c - x0) / CELL)] += 1
    cells = bytearray(205 for _ in hits)
    for k, (h, n) in enumerate(zip(hits, passes)):
        if h >= 2 and h > 0.2 * (h + n):
            cells[k] = 0
        elif n:
            cells[k] = 254
    with open(os.path.join(folder, "map.pgm"), "wb") as f:
        f.write(b"P5\n%d %d\n255\n" % (width, height))
        for j in reversed(range(height)):
            f.write(cells[j * width:(j + 1) * width])
    with open(os.path.join(folder, "map.yaml"), "w") as f:
        f.write("image: map.pgm\nresolution: %g\norigin: [%.3f, %.3f, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.25\n" % (CELL, x0, y0))


def sonar(ranges, turn):
    near = min(r for a, r in rays(ranges) if abs(wrap(a - turn)) <= BEAM / 2)
    return near if near <= REACH else 0.0


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("log")
    p.add_argument("folder")
    p.add_argument("--bias", type=float, default=3.0)
    p.add_argument("--noise", type=float, default=2.0)
    p.add_argument("--no-compass", action="store_true")
    p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    luck = random.Random(a.seed)
    lines, scans = read(a.log)
    os.makedirs(a.folder, exist_ok=True)
    draw(scans, a.folder)
    t, way, odo, last = 0.0, 0.0, None, None
    with open(os.path.join(a.folder, "run.log"), "w") as f:
        for turn in SONARS:
            f.write("# sonar x 0 y 0 theta %.5f beam %.5f min 0.05 max %g\n" % (turn, BEAM, REACH))
        for now, scan in lines:
            if now:
                if odo:
                    d = between(odo, now)
                    t += max(0.1, math.hypot(d[0], d[1]) / 0.4, abs(d[2]) / 0.6)
                odo = now
            elif odo:
                t += 0.01
                if last:
                    way += math.dist(last[1][:2], scan[0][:2])
                last = (odo, scan[0])
            if not last:
                continue  # where it begins is not known before the first scan
            truth = compose(last[1], between(last[0], odo))
            heading = float("nan") if a.no_compass else wrap(truth[2] + math.radians(luck.gauss(a.bias, a.noise)))
            ranges = [sonar(scan[1], turn) if scan else 0.0 for turn in SONARS]
            f.write("%.3f %.4f %.4f %.5f %.4f %.4f %.5f %.5f %d %s\n" % (t, *truth, *odo, heading, bool(scan), " ".join("%.3f" % r for r in ranges)))
    print("%s: %d scans over %.0f m" % (a.folder, len(scans), way))


main()
