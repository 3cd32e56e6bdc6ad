"""model_numbers.py - the inputs of the models: a formula that every machine evaluates alike, so that none has to be stored.

Elements are multiples of 1/4096, exact in 32-bit floats and wider. Only Python's own library is used.
"""
import array
import math
import struct

MASK = (1 << 64) - 1
CODES = {"f32": ("<f4", "f"), "f64": ("<f8", "d"), "i64": ("<i8", "q"), "i32": ("<i4", "i"), "i1": ("|b1", "b")}


def bits(counter):
    """64 bits, each of which depends on every bit of the counter."""
    counter = (counter + 1) * 0x9E3779B97F4A7C15 & MASK
    counter = (counter ^ counter >> 30) * 0xBF58476D1CE4E5B9 & MASK
    counter = (counter ^ counter >> 27) * 0x94D049BB133111EB & MASK
    return counter ^ counter >> 31


def elements(seed, count, element, spread):
    """Floats: uniform with standard deviation `spread`. Integers: from 0 to spread - 1. i1: three quarters are true."""
    numbers = (bits(seed << 32 | i) for i in range(count))
    if element == "i1":
        return [int(number % 4 != 0) for number in numbers]
    if element[0] == "i":
        return [number % int(spread) for number in numbers]
    width = max(1, round(spread * math.sqrt(3) * 4096))
    return [(number % (2 * width + 1) - width) / 4096 for number in numbers]


def write_npy(path, shape, element, values):
    kind, code = CODES[element]
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    data = array.array(code, values).tobytes()
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def read_npy(path):
    """Shape and elements."""
    data = path.read_bytes()
    size = struct.unpack_from("<H", data, 8)[0]
    header = eval(data[10:10 + size].decode(), {"__builtins__": {}})  # a dictionary of literals
    code = {kind: code for kind, code in CODES.values()}[header["descr"]]
    return header["shape"], array.array(code, data[10 + size:])
