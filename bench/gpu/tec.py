"""The public interface of tcc-attn (runtime/tec.h) for Python, by ctypes: as much of it as running programs needs."""

import ctypes
import struct
from ctypes import POINTER, byref, c_bool, c_char_p, c_int32, c_int64, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64
from ctypes import c_double, c_void_p

DEVICE_HOST, DEVICE_CUDA = 1, 2
DTYPES = {"f16": (2, 16), "bf16": (4, 16), "f32": (2, 32), "i1": (6, 8)}  # DLPack's code and bits


class Device(ctypes.Structure):
    _fields_ = [("device_type", c_int32), ("device_id", c_int32)]


class DataType(ctypes.Structure):
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class Tensor(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("device", Device), ("ndim", c_int32), ("dtype", DataType),
                ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("byte_offset", c_uint64)]


class ManagedTensor(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("manager", c_void_p), ("deleter", c_void_p)]


MESSAGE = ctypes.CFUNCTYPE(None, c_void_p, c_int32, c_char_p)


class ContextOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("message", MESSAGE), ("user", c_void_p), ("threads", c_uint32),
                ("device", c_uint32), ("stream", c_void_p), ("asynchronous", c_bool)]


class Error(Exception):
    pass


def tensor(address, shape, element, device):
    """A row-major tensor over memory that somebody else holds."""
    managed = ManagedTensor()
    managed.tensor = Tensor(address, Device(device, 0), len(shape), DataType(*DTYPES[element], 1),
                            (c_int64 * len(shape))(*shape), None, 0)
    return managed


def buffer(numbers, element):
    """Memory with these floats."""
    if element == "bf16":  # the upper half of each float
        packed = b"".join(struct.pack("<f", number)[2:] for number in numbers)
    else:
        packed = struct.pack(f"<{len(numbers)}{'e' if element == 'f16' else 'f'}", *numbers)
    return ctypes.create_string_buffer(packed, max(len(packed), 1))


class Library:
    """A context of libtec or libtec-rt; calls of device tensors return once they are on `stream`."""

    def __init__(self, path, stream=None):
        self.calls = ctypes.CDLL(path)
        self.calls.tec_program_device_seconds.restype = c_double
        self.messages = []
        self.callback = MESSAGE(lambda user, severity, text: self.messages.append(text.decode()))
        options = ContextOptions(ctypes.sizeof(ContextOptions), self.callback, None, 0, 0, stream, True)
        self.context = c_void_p()
        if self.calls.tec_context_create(byref(options), byref(self.context)):
            raise Error("cannot create a context")

    def check(self, status):
        if status:
            raise Error("".join(self.messages[-1:]).strip() or f"status {status}")

    def target(self, device):
        """The target that suits a device: "nvptx:sm_90"."""
        text = c_char_p()
        self.check(self.calls.tec_device_target(self.context, device.encode(), byref(text)))
        return text.value.decode()

    def load(self, path, device=None):
        program = c_void_p()
        self.check(self.calls.tec_program_load(self.context, str(path).encode(), byref(program)))
        if device:
            self.check(self.calls.tec_program_set_device(program, device.encode()))
        return program

    def call(self, program, arguments, result):
        """Calls the only entry point."""
        pointers = (POINTER(Tensor) * len(arguments))(*[ctypes.pointer(argument.tensor) for argument in arguments])
        results = (POINTER(ManagedTensor) * 1)(ctypes.pointer(result))
        self.check(self.calls.tec_program_call(program, None, c_uint32(len(arguments)), pointers, c_uint32(1), results))

    def destroy(self, program):
        self.calls.tec_program_destroy(program)
