#!/usr/bin/env python3
"""Runs mybot's localizer and MRPT's on the same written logs and prints the table.

    apt-get install mrpt-apps
    go build -o mybot ./cmd/mybot
    docs/compare/side-by-side.py --mybot ./mybot maps/office DIR...

MRPT gets the odometry as the log has it, without the compass, which it has no
use for; mybot's MCL replays the written log, as MRPT does, and the live run that
wrote it is told beside it. For each map folder MRPT first runs the first nominal log with four settings of
its power and sigma; the best one is taken for all the logs of that map.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

SCENARIOS = ["nominal", "magnetic", "people", "hard"]
SETTINGS = [(0.35, 0.15), (0.35, 0.3), (0.1, 0.15), (0.1, 0.3)]
HERE = os.path.dirname(os.path.abspath(__file__))


def told(*command):
    p = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    if p.returncode:
        sys.exit("this failed: " + " ".join(command))
    return p.stdout


def mrpt(folder, log, setting):
    """Returns MRPT's RMSE in cm and the time it was lost in %."""
    said = told(sys.executable, os.path.join(HERE, "mrpt-localization.py"), "--power", str(setting[0]), "--sigma", str(setting[1]), folder, log)
    return float(re.search(r"rmse ([\d.]+) cm", said)[1]), float(re.search(r"lost ([\d.]+) %", said)[1])


def row(results):
    return "%s (%s %%)" % (", ".join("%.3g" % r for r, _ in results), ", ".join("%.2g" % l for _, l in results))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("maps", nargs="+", metavar="DIR")
    p.add_argument("--mybot", default="mybot")
    p.add_argument("--seeds", type=int, default=3)
    p.add_argument("--lasts", default="600s")
    a = p.parse_args()
    print("| log | MRPT | MCL on the log | MCL live, 50 Hz |\n|---|---|---|---|")
    for folder in a.maps:
        setting = None
        for scenario in SCENARIOS:
            theirs, ours, live = [], [], []
            for seed in range(1, a.seeds + 1):
                with tempfile.TemporaryDirectory() as work:
                    log = os.path.join(work, "run.log")
                    got = json.loads(told(a.mybot, "lab", "localize", "--json", "--map", folder, "--scenario", scenario, "--seed", str(seed),
                                          "--seeds", "1", "--lasts", a.lasts, "--methods", "mcl", "--write-log", log))
                    if setting is None:
                        setting = min(SETTINGS, key=lambda s: mrpt(folder, log, s))
                    theirs.append(mrpt(folder, log, setting))
                    again = json.loads(told(a.mybot, "lab", "localize", "--json", "--map", folder, "--log", log, "--methods", "mcl"))
                ours.append((100 * again["rows"][0]["rmse_m"], 100 * again["rows"][0]["lost_fraction"]))
                live.append((100 * got["rows"][0]["rmse_m"], 100 * got["rows"][0]["lost_fraction"]))
            print("| %s, %s | %s | %s | %s |" % (os.path.basename(os.path.normpath(folder)), scenario, row(theirs), row(ours), row(live)), flush=True)
        print("<!-- %s: power %g, sigma %g m -->" % (folder, *setting), flush=True)


main()
