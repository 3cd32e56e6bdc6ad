"""measure.py - interleaved rounds, a yardstick that tells when others had the machine, and what the numbers belong to.

The yardstick is a small product that stays in the cache; a round in which it runs below .93 of its best is one in which
something else had the machine, and is dropped. What counts is the median of the other rounds; where they are too few, the
samples are marked as disturbed and the best of all rounds counts.
"""

import datetime
import os
import pathlib
import re
import statistics
import shutil
import subprocess
import time

import programs

ROOT = pathlib.Path(__file__).resolve().parent.parent
SAMPLE_SECONDS = 0.02  # a sample repeats short calls for at least so long
QUIET = 0.93  # of the yardstick's best speed


def seconds_of(function, calls=1, clock=time.perf_counter):
    start = clock()
    for _ in range(calls):
        function()
    return (clock() - start) / calls


class Yardstick:
    """A product of 320 x 320 matrices, which stays in the caches, for some milliseconds: shorter samples vary of
    themselves."""
    SIZE, CALLS = 320, 12

    def __init__(self, tec, clock):
        self.clock = clock
        self.program = tec.compile(programs.gemm(self.SIZE, self.SIZE, self.SIZE))
        self.program.prepare()
        self.best = min(self.measure() for _ in range(20))

    def measure(self):
        return seconds_of(self.program.call, self.CALLS, self.clock)

    def is_quiet(self):
        seconds = self.measure()
        self.best = min(self.best, seconds)
        return seconds * QUIET <= self.best


class Samples:
    """`seconds` by name; `settled`: from quiet rounds; `dropped`: the number of other rounds."""

    def __init__(self, calls, yardstick, rounds, patience):
        """Calls the functions of a dictionary in turn until there are `rounds` quiet rounds, or `patience` seconds and
        three rounds are over."""
        repeats = {name: max(1, int(SAMPLE_SECONDS / seconds_of(call, 1, yardstick.clock)))
                   for name, call in calls.items()}
        quiet, everything, start = [], [], time.perf_counter()
        while len(quiet) < rounds and (len(everything) < 3 or time.perf_counter() - start < patience):
            quiet_before = yardstick.is_quiet()
            everything.append({name: seconds_of(call, repeats[name], yardstick.clock) for name, call in calls.items()})
            if quiet_before and yardstick.is_quiet():
                quiet.append(everything[-1])
        self.settled, self.dropped = len(quiet) >= rounds, len(everything) - len(quiet)
        summary, kept = (statistics.median, quiet) if self.settled else (min, everything)
        self.seconds = {name: summary([row[name] for row in kept]) for name in calls}


def fma_peak(build, threads):
    """FLOP/s of independent f32 multiply-adds: the best of several measurements by tcc-attn."""
    command = [str(build / "tools/tcc-attn"), "run", str(ROOT / "examples/attention.mlir"), "--random", "--bench=1",
               f"--threads={threads}"]
    texts = [subprocess.run(command, check=True, capture_output=True, text=True).stdout for _ in range(3)]
    return max(float(re.search(r"FMA peak ([0-9.]+)", text).group(1)) for text in texts) * 1e9


def facts():
    """What the numbers belong to."""
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    commit = "unknown"
    if shutil.which("git"):
        git = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
        commit = git.stdout.strip() or commit
    return {"cpu": cpu.group(1) if cpu else "unknown", "cores": len(os.sched_getaffinity(0)),
            "date": datetime.date.today().isoformat(), "commit": commit}
