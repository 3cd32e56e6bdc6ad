"""library.py - as much of libtec's public header as the benchmarks need, through ctypes."""

import ctypes
import math
import random
from array import array
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, \
    c_uint8, c_uint16, c_uint32, c_uint64, c_void_p


class DataType(Structure):
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class Tensor(Structure):
    _fields_ = [("data", c_void_p), ("device_type", c_int), ("device_id", c_int32), ("ndim", c_int32),
                ("dtype", DataType), ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)),
                ("byte_offset", c_uint64)]


class ManagedTensor(Structure):
    _fields_ = [("tensor", Tensor), ("manager", c_void_p), ("deleter", c_void_p)]


class Type(Structure):
    _fields_ = [("kind", c_int), ("dtype", DataType), ("ndim", c_int32), ("shape", POINTER(c_int64))]


class Entry(Structure):
    _fields_ = [("name", c_char_p), ("num_arguments", c_uint32), ("num_results", c_uint32),
                ("arguments", POINTER(Type)), ("results", POINTER(Type)), ("flops", c_double), ("tiles", c_char_p)]


MessageCallback = CFUNCTYPE(None, c_void_p, c_int, c_char_p)
ERROR = 3


class ContextOptions(Structure):
    _fields_ = [("size", c_size_t), ("message", MessageCallback), ("user", c_void_p), ("threads", c_uint32),
                ("device", c_uint32), ("stream", c_void_p), ("asynchronous", c_bool), ("report", c_bool), ("spin", c_uint32)]


class CompileOptions(Structure):
    _fields_ = [("size", c_size_t), ("target", c_char_p), ("verify", c_bool), ("no_fuse", c_bool), ("dump", c_char_p),
                ("on_dump", c_void_p), ("on_time", c_void_p), ("user", c_void_p)]


class Failure(Exception):
    """A call of libtec failed; the text is its message."""


class Library:
    """The loaded library, and one context whose kernels use `threads` threads, which look for the next call for `spin`
    microseconds."""

    def __init__(self, path, threads, spin=0):
        self.calls = ctypes.CDLL(path)
        for name in ("tec_program_code", "tec_context_destroy", "tec_module_destroy", "tec_program_destroy", "tec_tensor_release",
                     "tec_free"):
            getattr(self.calls, name).restype = None
            getattr(self.calls, name).argtypes = [c_void_p]
        self.calls.tec_program_code.argtypes = [c_void_p, c_void_p, c_void_p]
        self.calls.tec_program_scratch_bytes.restype = c_size_t
        self.messages = []
        self.callback = MessageCallback(self.receive)  # kept alive as long as the context
        options = ContextOptions(ctypes.sizeof(ContextOptions), self.callback, None, threads, spin=spin)
        self.context = c_void_p()
        self.check(self.calls.tec_context_create(byref(options), byref(self.context)))

    def receive(self, _user, severity, text):
        if severity == ERROR:
            self.messages.append(text.decode())

    def check(self, status):
        if status:
            raise Failure("".join(self.messages) or f"status {status}")

    def parse(self, text):
        module, data = c_void_p(), text.encode()
        self.check(self.calls.tec_module_parse(self.context, b"program", data, c_size_t(len(data)), byref(module)))
        return module

    def optimize(self, text, passes=None):
        """What `tcc-attn opt` does: parses, runs the passes or the transform script, prints."""
        module, out = self.parse(text), c_void_p()
        try:
            self.check(self.calls.tec_module_run_passes(module, passes, None))
            self.check(self.calls.tec_module_print(module, c_bool(False), byref(out), None))
            self.calls.tec_free(out)
        finally:
            self.calls.tec_module_destroy(module)

    def compile(self, text, fuse=True):
        return Program(self, text, fuse)


INTEGER, BFLOAT = 0, 4  # DLPack's codes of types


def random_bytes(narrow, count, seed):
    """So many numbers, bf16 if `narrow`, else f32, normal with deviation 2. A long sequence of them is repeated: its length
    has no common factor with usual extents, so that rows differ."""
    source = random.Random(seed)
    period = array("f", (source.gauss(0, 2) for _ in range(min(count, 65521))))
    if narrow:  # the upper halves
        period = array("H", period.tobytes())[1::2]
    return (period * (count // len(period) + 1))[:count].tobytes()


def random_tensor(library, dtype, shape, seed):
    """A tensor of such numbers, of any bytes if they are integers."""
    is_bytes = dtype.code == INTEGER and dtype.bits == 8
    if dtype.code != BFLOAT and dtype.bits != 32 and not is_bytes:
        raise Failure(f"arguments are f32, bf16 or i8, not numbers of {dtype.bits} bits")
    tensor, extents = POINTER(ManagedTensor)(), (c_int64 * len(shape))(*shape)
    library.check(library.calls.tec_tensor_create(library.context, dtype, c_int32(len(shape)), extents, byref(tensor)))
    count = math.prod(shape)
    data = random.Random(seed).randbytes(count) if is_bytes else random_bytes(dtype.code == BFLOAT, count, seed)
    ctypes.memmove(tensor.contents.tensor.data, data, len(data))
    return tensor


class Program:
    """A compiled module with one function, arguments for it, and room for its results."""

    def __init__(self, library, text, fuse):
        self.library, self.handle, self.arguments, self.results = library, c_void_p(), [], []
        options = CompileOptions(size=ctypes.sizeof(CompileOptions), no_fuse=not fuse)
        module = library.parse(text)
        status = library.calls.tec_module_compile(module, byref(options), byref(self.handle))
        library.calls.tec_module_destroy(module)
        library.check(status)
        self.entry = Entry()
        library.check(library.calls.tec_program_find(self.handle, None, byref(self.entry)))

    def prepare(self, shapes=None):
        """Makes arguments and calls once, which also makes the results. `shapes`: of the arguments, where they are open."""
        types = self.entry.arguments[:self.entry.num_arguments]
        shapes = shapes or [type.shape[:type.ndim] for type in types]
        self.arguments = [random_tensor(self.library, type.dtype, shape, seed)
                          for seed, (type, shape) in enumerate(zip(types, shapes))]
        self.views = (POINTER(Tensor) * len(self.arguments))(
            *(ctypes.pointer(argument.contents.tensor) for argument in self.arguments))
        self.call_first()

    def prepare_as(self, other):
        """Takes the arguments of another program, which has to be released later: what lies in the caches is then the same
        for both."""
        self.arguments, self.views = [], other.views
        self.call_first()

    def call_first(self):
        self.results = (POINTER(ManagedTensor) * self.entry.num_results)()
        self.call()

    def call(self):
        self.library.check(self.library.calls.tec_program_call(
            self.handle, None, c_uint32(self.entry.num_arguments), self.views, c_uint32(self.entry.num_results),
            self.results))

    def result(self):
        """The first result's numbers, f32 or bf16."""
        tensor, count = self.results[0].contents.tensor, 1
        for extent in tensor.shape[:tensor.ndim]:
            count *= extent
        data = ctypes.string_at(tensor.data, tensor.dtype.bits // 8 * count)
        if tensor.dtype.code == BFLOAT:  # the upper halves
            halves = array("H", bytes(4 * count))
            halves[1::2] = array("H", data)
            data = halves.tobytes()
        return array("f", data)

    def code(self):
        """The machine code's bytes."""
        start, size = c_void_p(), c_size_t()
        self.library.calls.tec_program_code(self.handle, byref(start), byref(size))
        return ctypes.string_at(start, size.value)

    def scratch_bytes(self):
        return self.library.calls.tec_program_scratch_bytes(self.handle)

    def release(self):
        """Frees arguments and results, so that others can be prepared."""
        for tensor in list(self.results) + self.arguments:
            self.library.calls.tec_tensor_release(tensor)
        self.arguments, self.results = [], []

    def destroy(self):
        self.release()
        self.library.calls.tec_program_destroy(self.handle)
