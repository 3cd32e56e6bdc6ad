#!/usr/bin/env python3
"""Attention forward on a GPU: the conformance suite, then our kernels beside those of PyTorch and Triton.

    run.py [--build=build] [--out=bench/results]            on the machine with the GPU, from a built tree
    run.py --compile-only --chip=sm_90 --programs=DIR       elsewhere: programs, conformance cases and the runtime
    run.py --programs=DIR                                   with what was made so, where there is no compiler
    run.py --programs=DIR --cases-only --device=ptx-emu     the same cases on the emulator, without a GPU
    run.py --dry-run --out=DIR                              no GPU: small sizes on this processor, to check the script

Each shape has 16k tokens in all and 2048 features over all heads. Kernels are timed in rounds, one after the other in
each round, so that clocks that drift hit all alike; a round is several calls between two events, and the median of the
rounds counts. A peer that is missing or refuses a shape is left out with a note. Results: a CSV file, a table, an SVG.
They are written after each shape. With --time-limit no shape is begun that late, and a call with the same --out goes on
with the shapes that are not in the CSV file yet. The longest sequences come first."""

import argparse
import array
import ast
import csv
import ctypes
import math
import pathlib
import random
import re
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

import tec

ROOT = pathlib.Path(__file__).resolve().parents[2]
LENGTHS = [512, 1024, 2048, 4096, 8192, 16384]
HEAD_DIMS = [64, 128, 256]
OURS = "tcc-attn"


class Shape:
    """One row of the benchmark."""

    def __init__(self, element, features, length, causal, tokens, width):
        self.element, self.features, self.length, self.causal = element, features, length, causal
        self.batch, self.heads = max(tokens // length, 1), max(width // features, 1)

    def name(self):
        return f"{self.element}-d{self.features}-s{self.length}-{self.mask()}"

    def mask(self):
        return "causal" if self.causal else "full"

    def tokens(self):
        return self.batch * self.length

    def width(self):
        return self.heads * self.features

    def flops(self):
        return 4 * self.batch * self.heads * self.length ** 2 * self.features * (0.5 if self.causal else 1)

    def text(self):
        """The program: the conformance suite's template, filled in."""
        words = {"causal" if self.causal else "plain"} | ({"narrow"} if self.element != "f32" else set())
        sizes = {"B": self.batch * self.heads, "M": self.length, "N": self.length, "D": self.features,
                 "E": self.features, "T": self.element, "SCALE": f"{self.features ** -0.5:.9e}"}
        lines = []
        for line in (ROOT / "tests/device/attention.mlir").read_text().splitlines():
            condition = re.match(r"([?!])(\w+) ?(.*)", line)
            if condition:
                if (condition[2] in words) != (condition[1] == "?"):
                    continue
                line = condition[3]
            lines.append(re.sub(r"@(\w+)@", lambda found: str(sizes.get(found[1], found[0])), line))
        return "\n".join(lines) + "\n"


def shapes(options):
    if options.dry_run:
        return [Shape(element, features, length, causal, 128, 128) for element in ("f16", "bf16")
                for features in (64, 128) for causal in (False, True) for length in (64, 128)]
    return [Shape(element, features, length, causal, 16384, 2048) for element in ("f16", "bf16")
            for length in reversed(LENGTHS) for features in HEAD_DIMS for causal in (False, True)]


def compile_program(options, shape, target):
    """The path of the program file. None if it cannot be made."""
    path = pathlib.Path(options.programs) / f"{shape.name()}.tecp"
    if options.carried:
        return path if path.exists() else None
    tool = pathlib.Path(options.build) / "tools/tcc-attn"
    command = [str(tool), "compile", "-", f"--target={target}", "-o", str(path)]
    done = subprocess.run(command, input=shape.text(), text=True, capture_output=True)
    if done.returncode:
        print(f"note: {OURS} does not compile {shape.name()}: {done.stderr.strip()}")
        return None
    return path


def library_path(options):
    """The runtime that was carried, or the built library."""
    carried = pathlib.Path(options.programs) / "libtec-rt.so"
    return str(carried if options.carried else pathlib.Path(options.build) / "runtime/libtec.so")


def make_package(options, wanted):
    """All that a machine without a compiler needs, in options.programs."""
    target = "host" if options.dry_run else f"nvptx:{options.chip}"
    build, programs = pathlib.Path(options.build), pathlib.Path(options.programs)
    cases = programs / "cases"
    cases.mkdir(exist_ok=True)
    shutil.copy(build / "runtime/libtec-rt.so", programs)
    command = [str(build / "tests/device/conformance"), f"--target={target}", f"--save={cases}",
               f"--filter={options.cases or ('heads' if options.dry_run else '')}"]
    saved = subprocess.run(command, text=True, stdout=subprocess.PIPE)
    print(saved.stdout.splitlines()[-1])
    made = [compile_program(options, shape, target) for shape in wanted]
    return 0 if all(made) and not saved.returncode else 1


# ---------------------------------------------------------------------------------------------------- carried cases


def read_npy(path):
    """Bytes of the elements, shape, and numpy's name of the type."""
    data = path.read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + length].decode())
    return data[10 + length:], header["shape"], header["descr"].strip("<|")


ELEMENTS = {"f2": "f16", "V2": "bf16", "f4": "f32", "b1": "i1"}


def floats(data, element):
    """The numbers of an array of floats."""
    if element == "V2":  # bf16: the upper half of a float
        words = array.array("H", data)
        return array.array("f", array.array("I", [word << 16 for word in words]).tobytes())
    return [value for value, in struct.iter_unpack("<" + {"f2": "e", "f4": "f", "f8": "d"}[element], data)]


def run_case(library, stem, device):
    """A carried case on a device: what is wrong with it, or an empty text."""
    held, arguments = [], []
    while (path := stem.with_name(f"{stem.name}.argument{len(arguments)}.npy")).exists():
        data, shape, element = read_npy(path)
        held.append(ctypes.create_string_buffer(data, max(len(data), 1)))
        arguments.append(tec.tensor(ctypes.addressof(held[-1]), shape, ELEMENTS[element], tec.DEVICE_HOST))
    data, shape, element = read_npy(stem.with_name(f"{stem.name}.plain0.npy"))
    result = ctypes.create_string_buffer(max(len(data), 1))
    program = library.load(f"{stem}.tecp", device)
    try:
        library.call(program, arguments, tec.tensor(ctypes.addressof(result), shape, ELEMENTS[element], tec.DEVICE_HOST))
    finally:
        library.destroy(program)
    data, _, wide = read_npy(stem.with_name(f"{stem.name}.exact0.npy"))
    allowed = float(re.search(r"allowed ([^:]+):", stem.with_name(f"{stem.name}.txt").read_text())[1])
    found = floats(result.raw[:len(result.raw) if math.prod(shape) else 0], element)
    error = max((abs(left - right) if not math.isnan(left) else math.inf
                 for left, right in zip(found, floats(data, wide))), default=0)
    return "" if error <= allowed else f"error {error:.3g}, allowed {allowed:.3g}"


def run_cases(options):
    """Prints a line for each carried case; the exit status."""
    library, count, failed = tec.Library(library_path(options)), 0, 0
    for path in sorted((pathlib.Path(options.programs) / "cases").glob("*.tecp")):
        try:
            wrong = run_case(library, path.with_suffix(""), options.device)
        except tec.Error as error:
            wrong = str(error)
        count, failed = count + 1, failed + bool(wrong)
        print(f"{'FAIL' if wrong else 'pass'}  {path.stem:44} {wrong}", flush=True)
    print(f"{options.device}: {count - failed} passed, {failed} failed")
    return 0 if count and not failed else 1


# ---------------------------------------------------------------------------------------------------------- machines


class Gpu:
    """PyTorch's device."""

    def __init__(self, options):
        import torch
        self.torch, self.options = torch, options
        self.library = tec.Library(library_path(options), torch.cuda.current_stream().cuda_stream or None)
        self.target = self.library.target("cuda")
        self.name = torch.cuda.get_device_name()
        self.kind = {"f16": torch.float16, "bf16": torch.bfloat16}

    def tensors(self, shape):
        size = (shape.batch, shape.heads, shape.length, shape.features)
        self.torch.manual_seed(1)
        return [2 * self.torch.randn(size, dtype=self.kind[shape.element], device="cuda") for _ in range(3)]

    def view(self, shape, tensor):
        return tec.tensor(tensor.data_ptr(), (shape.batch * shape.heads, shape.length, shape.features), shape.element,
                          tec.DEVICE_CUDA)

    def empty(self, tensor):
        return self.torch.empty_like(tensor)

    def distance(self, left, right):
        return (left.float() - right.float()).abs().max().item()

    def time(self, function, calls):
        """Seconds of one call out of `calls`."""
        start, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(calls):
            function()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) * 1e-3 / calls

    def release(self):
        """Gives back memory that a shape took."""
        self.torch.cuda.empty_cache()

    def peak(self, element):
        """FLOP/s of a large product of matrices."""
        size = 8192
        a, b = (self.torch.randn((size, size), dtype=self.kind[element], device="cuda") for _ in range(2))
        self.time(lambda: a @ b, 3)
        return 2 * size ** 3 / statistics.median(self.time(lambda: a @ b, 5) for _ in range(7))

    def peers(self):
        """Functions (query, key, value, causal) -> callable without arguments, by name."""
        torch = self.torch
        functional = torch.nn.functional
        found = {}
        try:
            from torch.nn.attention import SDPBackend, sdpa_kernel

            def backend(which):
                def prepare(query, key, value, causal):
                    def call():
                        with sdpa_kernel(which):
                            return functional.scaled_dot_product_attention(query, key, value, is_causal=causal)
                    return call
                return prepare

            found |= {"SDPA flash": backend(SDPBackend.FLASH_ATTENTION),
                      "SDPA cuDNN": backend(SDPBackend.CUDNN_ATTENTION),
                      "SDPA efficient": backend(SDPBackend.EFFICIENT_ATTENTION),
                      "SDPA math": backend(SDPBackend.MATH)}
        except Exception as missing:
            print(f"note: no SDPA backends: {missing}")
        try:
            from torch.nn.attention.flex_attention import create_block_mask, flex_attention
            compiled = torch.compile(flex_attention, dynamic=False)

            def flex(query, key, value, causal):
                torch.compiler.reset()  # after a few shapes it would no longer compile, but run uncompiled
                length = query.shape[2]
                mask = create_block_mask(lambda b, h, m, n: m >= n, None, None, length, length) if causal else None
                return lambda: compiled(query, key, value, block_mask=mask)

            found["FlexAttention"] = flex
        except Exception as missing:
            print(f"note: no FlexAttention: {missing}")
        try:
            import triton_attention
            found["Triton"] = lambda q, k, v, causal: lambda: triton_attention.attention(q, k, v, causal)
        except Exception as missing:
            print(f"note: no Triton: {missing}")
        return found


class Host:
    """This processor, for --dry-run: our kernels only, by the clock on the wall."""

    def __init__(self, options):
        self.target, self.name = "host", "this processor (dry run)"
        self.library = tec.Library(library_path(options))

    def tensors(self, shape):
        count = shape.batch * shape.heads * shape.length * shape.features
        source = random.Random(1)
        values = [source.gauss(0, 2) for _ in range(3 * count)]
        if shape.element == "f16":
            packed = struct.pack(f"<{3 * count}e", *values)
        else:  # the upper half of each float
            packed = b"".join(struct.pack("<f", value)[2:] for value in values)
        size = 2 * count
        return [ctypes.create_string_buffer(packed[i * size:(i + 1) * size], size) for i in range(3)]

    def view(self, shape, tensor):
        return tec.tensor(ctypes.addressof(tensor), (shape.batch * shape.heads, shape.length, shape.features),
                          shape.element, tec.DEVICE_HOST)

    def empty(self, tensor):
        return ctypes.create_string_buffer(len(tensor))

    def distance(self, left, right):
        return math.nan

    def time(self, function, calls):
        start = time.perf_counter()
        for _ in range(calls):
            function()
        return (time.perf_counter() - start) / calls

    def release(self):
        pass

    def peak(self, element):
        return math.nan

    def peers(self):
        return {}


# ---------------------------------------------------------------------------------------------------------- measuring


def prepare_ours(machine, options, shape, tensors):
    """A callable that gives our result, and what to do when done with it."""
    path = compile_program(options, shape, machine.target)
    if not path:
        raise tec.Error("not compiled")
    program = machine.library.load(path)
    result = machine.empty(tensors[0])
    arguments, output = [machine.view(shape, tensor) for tensor in tensors], machine.view(shape, result)

    def call():
        machine.library.call(program, arguments, output)
        return result

    return call, lambda: machine.library.destroy(program)


def prepare(machine, options, shape, peers):
    """The callables of all that can do the shape, each called once; and the clean-up."""
    tensors = machine.tensors(shape)
    calls, results, clean_up = {}, {}, lambda: None
    try:
        calls[OURS], clean_up = prepare_ours(machine, options, shape, tensors)
    except tec.Error as error:
        print(f"note: no {OURS} for {shape.name()}: {error}")
    for name in [*calls, *peers]:
        try:
            if name in peers:
                calls[name] = peers[name](*tensors, shape.causal)
            results[name] = calls[name]()
            machine.time(calls[name], 1)  # waits, so that errors show here
        except Exception as error:  # a peer may refuse in whatever way it likes
            print(f"note: {name} cannot do {shape.name()}: {(str(error) or repr(error)).splitlines()[0]}")
            calls.pop(name, None)
            results.pop(name, None)
    if OURS in results:
        for name in results.keys() - {OURS}:
            distance = machine.distance(results[OURS], results[name])
            if not distance < 0.1:
                print(f"note: {OURS} and {name} differ by {distance:.3g} for {shape.name()}")
    return calls, clean_up


def measure(machine, options, shape, peers):
    """Median seconds by name."""
    calls, clean_up = prepare(machine, options, shape, peers)
    try:
        repeats = {}
        for name, function in calls.items():
            estimate = machine.time(function, 3)
            repeats[name] = max(1, min(50, int(options.round_seconds / max(estimate, 1e-6))))
        times = {name: [] for name in calls}
        for _ in range(options.rounds):
            for name, function in calls.items():
                times[name].append(machine.time(function, repeats[name]))
    finally:
        clean_up()
        machine.release()
    return {name: statistics.median(seconds) for name, seconds in times.items()}


# ------------------------------------------------------------------------------------------------------------- results


COLUMNS = ["element", "head dim", "length", "mask", "kernel", "seconds", "TFLOP/s", "of matmul peak"]


def write_csv(path, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for shape, seconds, peak in rows:
            for name, value in seconds.items():
                rate = shape.flops() / value
                writer.writerow([shape.element, shape.features, shape.length, shape.mask(), name, f"{value:.6e}",
                                 f"{rate * 1e-12:.4g}", f"{rate / peak:.3f}"])


def read_csv(path, wanted, peaks):
    """The rows of an earlier call for shapes that are wanted."""
    found = {}
    if path.exists():
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                found.setdefault((row["element"], row["head dim"], row["length"], row["mask"]), {})[row["kernel"]] = \
                    float(row["seconds"])
    named = {(shape.element, str(shape.features), str(shape.length), shape.mask()): shape for shape in wanted}
    return [(named[key], seconds, peaks[named[key].element]) for key, seconds in found.items() if key in named]


def write_table(path, machine, rows, names, peaks):
    with open(path, "w") as file:
        file.write(f"# Attention forward on {machine.name}\n\nTFLOP/s, medians; {rows[0][0].tokens()} tokens, "
                   f"{rows[0][0].width()} features. Large matrix product: ")
        file.write(", ".join(f"{element} {peak * 1e-12:.0f} TFLOP/s" for element, peak in peaks.items()) + ".\n")
        file.write("The last column is our speed over that of the fastest peer.\n\n")
        file.write("| type | D | S | mask | " + " | ".join(names) + " | ratio |\n" + "|---" * (5 + len(names)) + "|\n")
        for shape, seconds, _ in rows:
            cells = [f"{shape.flops() / seconds[name] * 1e-12:.4g}" if name in seconds else "-" for name in names]
            others = [value for name, value in seconds.items() if name != OURS]
            ratio = f"{min(others) / seconds[OURS]:.2f}" if others and OURS in seconds else "-"
            row = [shape.element, shape.features, shape.length, shape.mask(), *cells, ratio]
            file.write("| " + " | ".join(map(str, row)) + " |\n")


COLOURS = ["#c1121f", "#1d6fb8", "#2a9d55", "#e09f3e", "#7b5ea7", "#8d8d8d", "#17a2a2"]


def panel(group, names, left, top, width, height):
    """The lines of one element type, head dim and mask over the lengths."""
    shape = group[0][0]
    lengths = [row[0].length for row in group]
    rates = {name: [shape.flops() / seconds[name] * 1e-12 if name in seconds else None for shape, seconds, _ in group]
             for name in names}
    highest = max((rate for values in rates.values() for rate in values if rate), default=1) * 1.1
    parts = [f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#bbb"/>',
             f'<text x="{left}" y="{top - 6}">{shape.element}, D = {shape.features}, '
             f'{shape.mask()}; top {highest:.3g} TFLOP/s</text>']
    step = width / max(len(lengths) - 1, 1)
    for i, length in enumerate(lengths):
        parts.append(f'<text x="{left + i * step:.0f}" y="{top + height + 14}" text-anchor="middle">{length}</text>')
    for name, colour in zip(names, COLOURS):
        points = [f"{left + i * step:.1f},{top + height * (1 - rate / highest):.1f}"
                  for i, rate in enumerate(rates[name]) if rate]
        thick = 3 if name == OURS else 1.5
        parts.append(f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}" stroke-width="{thick}"/>')
    return parts


def write_svg(path, machine, rows, names):
    groups = {}
    for row in rows:
        groups.setdefault((row[0].element, row[0].features, row[0].causal), []).append(row)
    width, height, columns = 260, 160, 4
    lines = math.ceil(len(groups) / columns)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{columns * (width + 50) + 30}" '
             f'height="{lines * (height + 60) + 80}" font-family="sans-serif" font-size="11">',
             '<rect width="100%" height="100%" fill="white"/>',
             f'<text x="30" y="20" font-size="14">{machine.name}</text>']
    for i, (name, colour) in enumerate(zip(names, COLOURS)):
        parts.append(f'<text x="{30 + i * 150}" y="40" fill="{colour}" font-weight="bold">{name}</text>')
    for i, group in enumerate(groups.values()):
        parts += panel(group, names, 30 + i % columns * (width + 50), 80 + i // columns * (height + 60), width, height)
    pathlib.Path(path).write_text("\n".join(parts + ["</svg>"]) + "\n")


# -------------------------------------------------------------------------------------------------------------- command


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(ROOT / "build"), help="the build directory")
    parser.add_argument("--programs", help="where --compile-only puts programs and a later run finds them")
    parser.add_argument("--out", default=str(ROOT / "bench/results"), help="where results go")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--round-seconds", type=float, default=0.02, help="how long a round of one kernel may take")
    parser.add_argument("--filter", default="", help="only shapes whose name contains this")
    parser.add_argument("--peers", help="only these, separated by commas; none where it is empty")
    parser.add_argument("--time-limit", type=float, default=math.inf, help="seconds after which no shape is begun")
    parser.add_argument("--chip", default="sm_80", help="for --compile-only")
    parser.add_argument("--cases", default="", help="for --compile-only: conformance cases whose name contains this")
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("--skip-conformance", action="store_true")
    parser.add_argument("--cases-only", action="store_true", help="run the cases of --programs, and nothing else")
    parser.add_argument("--device", help="for the cases: cuda, or ptx-emu without a GPU")
    parser.add_argument("--dry-run", action="store_true")
    return parser.parse_args()


def run_conformance(options):
    """Whether all is well, and a report. In a process of its own: a fault of one kernel ends all work of a process."""
    if options.carried:
        command = [sys.executable, "-B", __file__, f"--programs={options.programs}", f"--device={options.device}",
                   "--cases-only"]
    else:
        command = [str(pathlib.Path(options.build) / "tests/device/conformance"), f"--device={options.device}"]
    if options.dry_run and not options.carried:
        command.append("--filter=heads")
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE)
    return done.returncode == 0, done.stdout


def main():
    options = arguments()
    if options.compile_only and not options.programs:
        sys.exit("--compile-only needs --programs")
    if options.cases_only and not options.programs:
        sys.exit("--cases-only needs --programs")
    options.device = options.device or ("host" if options.dry_run else "cuda")
    options.carried = bool(options.programs) and not options.compile_only
    with tempfile.TemporaryDirectory() as temporary:
        options.programs = options.programs or temporary
        pathlib.Path(options.programs).mkdir(parents=True, exist_ok=True)
        return run(options)


def write_results(out, machine, rows, names, peaks):
    write_csv(out / "gpu-attention.csv", rows)
    write_table(out / "gpu-attention.md", machine, rows, names, peaks)
    write_svg(out / "gpu-attention.svg", machine, rows, names)


def run(options):
    start = time.monotonic()
    wanted = [shape for shape in shapes(options) if options.filter in shape.name()]
    if options.compile_only:
        return make_package(options, wanted)
    if options.cases_only:
        return run_cases(options)
    out = pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    good = True
    if not options.skip_conformance:
        good, report = run_conformance(options)
        failures = [line for line in report.splitlines() if not line.startswith("pass")]
        print("\n".join(failures[:10] + failures[-1:] * (len(failures) > 10)), flush=True)
        (out / "gpu-conformance.txt").write_text(report)
    machine = Host(options) if options.dry_run else Gpu(options)
    chosen = options.peers.split(",") if options.peers is not None else None
    peers = {name: peer for name, peer in machine.peers().items() if chosen is None or name in chosen}
    peaks = {element: machine.peak(element) for element in dict.fromkeys(shape.element for shape in wanted)}
    rows = read_csv(out / "gpu-attention.csv", wanted, peaks)
    names = list(dict.fromkeys([OURS, *peers, *(name for _, seconds, _ in rows for name in seconds)]))
    done = {shape.name() for shape, _, _ in rows}
    for shape in wanted:
        if shape.name() in done:
            continue
        if time.monotonic() - start > options.time_limit:
            print(f"note: the time is up; call again for the {len(wanted) - len(rows)} shapes that are left")
            break
        seconds = measure(machine, options, shape, peers)
        good = good and OURS in seconds
        rows.append((shape, seconds, peaks[shape.element]))
        print(shape.name() + ": " + ", ".join(f"{name} {shape.flops() / value * 1e-12:.3g}"
                                              for name, value in seconds.items()), flush=True)
        rows.sort(key=lambda row: (row[0].element, row[0].features, row[0].causal, row[0].length))
        write_results(out, machine, rows, names, peaks)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
