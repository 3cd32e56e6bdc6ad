"""What a machine without a compiler needs: programs and what they take, conformance cases, the runtime, the commit."""

import concurrent.futures
import json
import pathlib
import re
import shutil
import subprocess
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
OURS = "tcc-attn"
CASES = {"cases": "ieee", "cases-tf32": "tf32"}  # folders of conformance cases, and how products of f32 are made


def path_of(options, program):
    return pathlib.Path(options.programs) / (re.sub(r"\W+", "-", program.name()) + ".tecp")


def signature_of(path):
    """Where the (extents, element) of a program's arguments and result are."""
    return path.with_suffix(".json")


def compile_program(options, program, target):
    """The path of the program file. None if it cannot be made."""
    path = path_of(options, program)
    if options.carried:
        return path if path.exists() else None
    tool = pathlib.Path(options.build) / "tools/tcc-attn"
    command = [str(tool), "compile", "-", f"--target={target}", f"--f32={program.f32}", "-o", str(path)]
    done = subprocess.run(command, input=program.text(), text=True, capture_output=True)
    if done.returncode:
        print(f"note: {OURS} does not compile {program.name()}: {done.stderr.strip()}")
        return None
    signature_of(path).write_text(json.dumps([program.arguments(), program.result()]))
    return path


def library_path(options):
    """The runtime that was carried, or the built library."""
    carried = pathlib.Path(options.programs) / "libtec-rt.so"
    return str(carried if options.carried else pathlib.Path(options.build) / "runtime/libtec.so")


def commit(options):
    """Of what was packed, or of this tree."""
    if options.carried:
        path = pathlib.Path(options.programs) / "commit"
        return path.read_text().strip() if path.exists() else "unknown"
    if not shutil.which("git"):
        return "unknown"
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty"]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip() or "unknown"


def describe(facts):
    """What numbers belong to, as a line."""
    return ", ".join(f"{name} {value}" for name, value in facts.items()) + ". Made by `bench/gpu/run.py`."


def save_cases(options, folder, f32, target):
    """Whether all conformance cases could be saved. Those of tf32 are of f32, and have the numbers of the others."""
    folder.mkdir(exist_ok=True)
    chosen = options.cases or ("heads" if options.dry_run else "f32" if f32 == "tf32" else "")
    command = [str(pathlib.Path(options.build) / "tests/device/conformance"), f"--target={target}", f"--save={folder}",
               f"--f32={f32}", f"--filter={chosen}"]
    saved = subprocess.run(command, text=True, stdout=subprocess.PIPE)
    for path in folder.iterdir():
        if path.name.endswith(".plain0.npy"):  # of this the shape and the type are needed
            data = path.read_bytes()
            path.write_bytes(data[:10 + int.from_bytes(data[8:10], "little")])
        if f32 == "tf32" and (path.suffix == ".npy" or "-f32-" not in path.name):
            path.unlink()
    print(f"{folder.name}: {saved.stdout.splitlines()[-1]}")
    return saved.returncode == 0


def make(options, programs):
    """Writes all of it into options.programs; the exit status."""
    target = "host" if options.device == "host" else f"nvptx:{options.chip}"
    folder = pathlib.Path(options.programs)
    shutil.copy(pathlib.Path(options.build) / "runtime/libtec-rt.so", folder)
    (folder / "commit").write_text(commit(options) + "\n")
    saved = [save_cases(options, folder / name, f32, target) for name, f32 in CASES.items()]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        made = list(pool.map(lambda program: compile_program(options, program, target), programs))
    return 0 if all(made) and all(saved) else 1


def pack(folder, path):
    """One file of it. Those of one name come together, as they have much in common."""
    with tarfile.open(path, "w:xz") as archive:
        members = pathlib.Path(folder).rglob("*")
        for member in sorted(members, key=lambda member: (member.suffix, member.name, str(member))):
            if member.is_file():
                archive.add(member, member.relative_to(folder))


def unpack(path, folder):
    with tarfile.open(path) as archive:
        archive.extractall(folder, filter="data")
