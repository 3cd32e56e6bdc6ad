"""The carried conformance cases on a device, and one call of each program that is to be timed: in processes of their
own, as a kernel's fault ends all work of its process.

    cases.py LIBRARY DEVICE CASE ..    what run.py calls: a line for each, up to the first that fails"""

import array
import ast
import concurrent.futures
import ctypes
import json
import math
import pathlib
import re
import signal
import struct
import subprocess
import sys

import package
import tec

SECONDS = 120  # after which a case counts as one that hangs
ELEMENTS = {"f2": "f16", "V2": "bf16", "f4": "f32", "b1": "i1"}
SIZES = {"f16": 2, "bf16": 2, "f32": 4, "i1": 1}


def read_npy(path):
    """Bytes of the elements, shape, and numpy's name of the type."""
    data = path.read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + length].decode())
    return data[10 + length:], header["shape"], header["descr"].strip("<|")


def floats(data, element):
    """The numbers of an array of floats."""
    if element == "V2":  # bf16: the upper half of a float
        words = array.array("H", data)
        return array.array("f", array.array("I", [word << 16 for word in words]).tobytes())
    return [value for value, in struct.iter_unpack("<" + {"f2": "e", "f4": "f", "f8": "d"}[element], data)]


def call(library, path, device, arguments, result):
    """The bytes of the result for arguments (bytes or None for zeros, extents, element)."""
    held = []

    def view(data, extents, element):
        held.append(ctypes.create_string_buffer(data or b"", max(SIZES[element] * math.prod(extents), 1)))
        return tec.tensor(ctypes.addressof(held[-1]), extents, element, tec.DEVICE_HOST)

    program = library.load(path, device)
    try:
        library.call(program, [view(*argument) for argument in arguments], view(None, *result))
    finally:
        library.destroy(program)
    return held[-1].raw[:SIZES[result[1]] * math.prod(result[0])]


def run_program(library, path, device):
    """One call of a program that is to be timed, on zeros."""
    arguments, result = json.loads(package.signature_of(path).read_text())
    call(library, path, device, [(None, *argument) for argument in arguments], result)
    return ""


def run_case(library, path, device):
    """A conformance case: what is wrong with it, or an empty text."""
    def numbers(what):
        return path.parents[1] / "cases" / f"{path.stem}.{what}.npy"
    arguments = []
    while numbers(f"argument{len(arguments)}").exists():
        data, extents, element = read_npy(numbers(f"argument{len(arguments)}"))
        arguments.append((data, extents, ELEMENTS[element]))
    _, extents, element = read_npy(numbers("plain0"))
    found = floats(call(library, path, device, arguments, (extents, ELEMENTS[element])), element)
    data, _, wide = read_npy(numbers("exact0"))
    allowed = float(re.search(r"allowed ([^:]+):", path.with_suffix(".txt").read_text())[1])
    error = max((abs(left - right) if not math.isnan(left) else math.inf
                 for left, right in zip(found, floats(data, wide))), default=0)
    return "" if error <= allowed else f"error {error:.3g}, allowed {allowed:.3g}"


def line(path, wrong):
    kind = {"cases": "", "cases-tf32": "-tf32"}.get(path.parent.name, " (called)")
    return f"{'FAIL' if wrong else 'pass'}  {path.stem + kind:44} {wrong}"


def run_here(library, device, paths):
    """Prints a line for each up to the first that fails. One that hangs ends the process."""
    opened = tec.Library(library)
    for path in paths:
        signal.alarm(SECONDS)
        try:
            wrong = (run_program if package.signature_of(path).exists() else run_case)(opened, path, device)
        except tec.Error as error:
            wrong = " ".join(str(error).split()) or "error"
        print(line(path, wrong), flush=True)
        if wrong:
            break


def run_apart(library, device, paths):
    """(path, line) of each, in a process, and another one after each that fails."""
    found = []
    while len(found) < len(paths):
        left = paths[len(found):]
        done = subprocess.run([sys.executable, "-B", __file__, library, device, *map(str, left)], text=True,
                              stdout=subprocess.PIPE)
        lines = done.stdout.splitlines()
        if len(lines) < len(left) and not (lines and lines[-1].startswith("FAIL")):
            ended = signal.Signals(-done.returncode).name if done.returncode < 0 else f"status {done.returncode}"
            lines.append(line(left[len(lines)], f"its process ended with {ended}"))
        found += zip(left, lines)
    return found


def run(options, programs):
    """The paths of what failed, and a report: cases, and of these programs those that are there."""
    folder = pathlib.Path(options.programs)
    paths = [path for name in package.CASES for path in sorted((folder / name).glob("*.tecp"))] + \
        [path for program in programs if (path := package.path_of(options, program)).exists()]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        parts = pool.map(lambda first: run_apart(package.library_path(options), options.device,
                                                 paths[first::options.jobs]), range(options.jobs))
        found = sorted((text[6:], text, path) for part in parts for path, text in part)
    failed = [path for _, text, path in found if not text.startswith("pass")]
    total = f"{options.device}: {len(found) - len(failed)} passed, {len(failed)} failed"
    return failed, "\n".join([text for _, text, _ in found] + [total]) + "\n"


if __name__ == "__main__":
    run_here(sys.argv[1], sys.argv[2], list(map(pathlib.Path, sys.argv[3:])))
