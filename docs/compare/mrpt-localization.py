#!/usr/bin/env python3
"""Runs MRPT's pf-localization on the work that `mybot lab localize` does.

    apt-get install mrpt-apps
    mybot lab localize --map DIR --scenario hard --write-log hard.log
    docs/compare/mrpt-localization.py DIR hard.log

DIR is a map folder (map.yaml and its picture). The log becomes a CARMEN log
and then a rawlog by carmen2rawlog, the map a grid by ros-map-yaml2mrpt; each
line of the log becomes one scan with a ray for every sonar, from the robot's
centre. MRPT has no compass. --alpha draws the heading of the odometry that it is
given to the compass first, as Han 2002 does it (0.05); magnets come in that way.
It prints how far off the estimates are, as lab localize does.
"""
import argparse
import math
import os
import re
import subprocess
import sys
import tempfile

SETTINGS = """
[KLD_options]
KLD_binSize_PHI_deg=10
KLD_binSize_XY=0.10
KLD_delta=0.01
KLD_epsilon=0.02
KLD_maxSampleSize=20000
KLD_minSampleSize=200
KLD_minSamplesPerBin=0
[PF_options]
PF_algorithm=0
resamplingMethod=0
adaptiveSampleSize=true
BETA=0.5
sampleSize=1
powFactor={power}
[DummyOdometryParams]
minStdXY=0.002
minStdPHI=0.15
[LocalizationExperiment]
use_3D_poses=false
map_file={map}
rawlog_file={rawlog}
logOutput_dir={out}
3DSceneFrequency=1000000
experimentRepetitions=1
particles_count={particles}
init_PDF_mode={everywhere}
init_PDF_min_x={x0}
init_PDF_max_x={x1}
init_PDF_min_y={y0}
init_PDF_max_y={y1}
init_PDF_min_yaw_deg={t0}
init_PDF_max_yaw_deg={t1}
SAVE_STATS_ONLY=false
SHOW_PROGRESS_3D_REAL_TIME=false
[MetricMap]
occupancyGrid_count=1
gasGrid_count=0
landmarksMap_count=0
pointsMap_count=0
beaconMap_count=0
likelihoodMapSelection=-1
[MetricMap_occupancyGrid_00_creationOpts]
resolution=0.05
[MetricMap_occupancyGrid_00_insertOpts]
mapAltitude=0
useMapAltitude=0
maxDistanceInsertion=15
[MetricMap_occupancyGrid_00_likelihoodOpts]
likelihoodMethod=4
LF_decimation=1
LF_stdHit={sigma}
LF_maxCorrsDistance=0.6
LF_zHit=0.90
LF_zRandom=0.10
LF_maxRange={reach}
LF_alternateAverageMethod=0
enableLikelihoodCache=true
"""


def wrap(a):
    return (a + math.pi) % (2 * math.pi) - math.pi


def read(path):
    """Returns the lines of a plain log and, from its comments, the sonars' distances from the centre."""
    rows, faces = [], []
    for line in open(path):
        if line.startswith("# sonar"):
            w = line.split()
            faces.append((math.hypot(float(w[3]), float(w[5])), float(w[7])))
        elif line.strip() and not line.startswith("#"):
            rows.append([float(v) for v in line.split()])
    n = len(rows[0]) - 9
    return rows, faces or [(0.0, wrap(2 * math.pi * i / n)) for i in range(n)]


def carmen(rows, faces, alpha, reach, out):
    """Writes a CARMEN log and returns the true poses of its scans."""
    order = sorted(range(len(faces)), key=lambda i: faces[i][1] if faces[i][1] > -math.pi + 1e-3 else math.pi)
    first, step = faces[order[0]][1], 2 * math.pi / len(faces)
    for k, i in enumerate(order):
        if abs(wrap(faces[i][1] - first - k * step)) > 0.01:
            sys.exit("the sonars must be spread evenly round the robot: the scan of a CARMEN log is even")
    truth, last, x, y, t = [], None, 0.0, 0.0, 0.0
    with open(out, "w") as f:
        for r in rows:
            odo = r[4:7]
            if last:
                dx, dy, dt = odo[0] - last[0], odo[1] - last[1], wrap(odo[2] - last[2])
                c, s = math.cos(t - last[2]), math.sin(t - last[2])
                x, y, t = x + c * dx - s * dy, y + s * dx + c * dy, t + dt
            else:
                x, y, t = odo
                if alpha and not math.isnan(r[7]):
                    t = r[7]
            last = odo
            if alpha and not math.isnan(r[7]):
                t = t + alpha * wrap(r[7] - t)
            if not r[8]:
                continue
            none = reach + 1
            ranges = [r[9 + i] + faces[i][0] if r[9 + i] > 0 else none for i in order]
            f.write("ROBOTLASER1 0 %.6f %.6f %.6f %.2f 0.02 0 %d %s 0 %.5f %.5f %.6f %.5f %.5f %.6f 0 0 0 0 0 %.6f mybot %.6f\n" % (
                first, step * (len(order) - 1), step, reach + 0.5, len(order), " ".join("%.3f" % v for v in ranges),
                x, y, wrap(t), x, y, wrap(t), r[0] + 1e6, r[0]))
            truth.append(r[1:4])
    return truth


def run(*command):
    p = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    return p.returncode, p.stdout + p.stderr


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("map")
    p.add_argument("log")
    p.add_argument("--alpha", type=float, default=0.0)
    p.add_argument("--power", type=float, default=0.35, help="power of the likelihood")
    p.add_argument("--sigma", type=float, default=0.15, help="m, standard deviation of the likelihood field")
    p.add_argument("--particles", type=int, default=500)
    p.add_argument("--everywhere", action="store_true", help="start without a pose")
    p.add_argument("--keep", action="store_true", help="keep the working folder and print its name")
    a = p.parse_args()

    rows, faces = read(a.log)
    reach = 5.0 + max(d for d, _ in faces)
    work = tempfile.mkdtemp(prefix="mrpt-")
    path = lambda name: os.path.join(work, name)
    truth = carmen(rows, faces, a.alpha, reach, path("carmen.log"))
    for command in (["carmen2rawlog", "-i", path("carmen.log"), "-o", path("log.rawlog"), "-w"],
                    ["ros-map-yaml2mrpt", "-i", os.path.join(a.map, "map.yaml"), "-d", work, "-w"]):
        code, text = run(*command)
        if code:
            sys.exit("%s failed:\n%s" % (command[0], text[-2000:]))
    grid = next(path(n) for n in os.listdir(work) if ".gridmap" in n)
    x, y, t = truth[0]
    settings = SETTINGS.format(
        map=grid, rawlog=path("log.rawlog"), out=path("out"), particles=20000 if a.everywhere else a.particles,
        power=a.power, sigma=a.sigma, reach=reach, everywhere="0" if a.everywhere else "1",
        x0=x - .2, x1=x + .2, y0=y - .2, y1=y + .2, t0=math.degrees(t) - 6, t1=math.degrees(t) + 6)
    open(path("settings.ini"), "w").write(settings)
    code, text = run("pf-localization", path("settings.ini"))
    open(path("said.txt"), "w").write(text)
    number = r"([-+\d.e]+)"
    found = re.findall(r"PDF estimation: \(%s,\s*%s,\s*%s(deg)?\)" % (number, number, number), text)
    if len(found) < 10:
        sys.exit("pf-localization told no estimates (exit code %d):\n%s" % (code, text[-2000:]))
    estimates = [(float(e[0]), float(e[1]), math.radians(float(e[2])) if e[3] else float(e[2])) for e in found]
    n = min(len(estimates), len(truth))
    # The first scans may be taken together with the first motion.
    shift = min(range(0, 3), key=lambda k: sum(math.dist(estimates[i][:2], truth[min(i + k, len(truth) - 1)][:2]) for i in range(min(n, 300))))
    off, turned = [], []
    for i in range(n - shift):
        off.append(math.dist(estimates[i][:2], truth[i + shift][:2]))
        turned.append(wrap(estimates[i][2] - truth[i + shift][2]))
    ms = sorted(float(m) for m in re.findall(r"Done in ([\d.]+)ms", text)) or [float("nan")]
    order = sorted(off)
    print("mrpt %s: rmse %.1f cm, median %.1f cm, largest %.0f cm, heading %.2f deg, lost %.2f %%, %.0f us an update (p99 %.0f), %d updates" % (
        os.path.basename(a.log), 100 * math.sqrt(sum(d * d for d in off) / len(off)), 100 * order[len(off) // 2], 100 * order[-1],
        math.degrees(math.sqrt(sum(d * d for d in turned) / len(off))), 100 * sum(d > 0.5 for d in off) / len(off),
        1000 * sum(ms) / len(ms), 1000 * ms[int(0.99 * len(ms))], len(ms)))
    if a.keep:
        print(work)
    else:
        import shutil
        shutil.rmtree(work)


main()
