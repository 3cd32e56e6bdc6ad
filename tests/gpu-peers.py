"""bench/gpu/run.py on a GPU that is not there: a stand-in for PyTorch whose peers fail in the ways that real ones do,
and which finds that our results err more than those of peers.

    tests/gpu-peers.py OPTIONS-OF-RUN

Nothing is computed. What shows is that a peer that is missing, that cannot be prepared, or that fails in a call is left
out of a shape, and the rest measured."""

import contextlib
import pathlib
import sys
import time
import types

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench/gpu"))


class Tensor:
    """Any tensor; arithmetic gives any other."""

    def __init__(self, shape=(), error=0.01):
        self.shape, self.error = tuple(shape), error

    def same(self, *_):
        return self

    __rmul__ = __mul__ = __matmul__ = __add__ = __sub__ = __truediv__ = __getitem__ = same
    float = double = abs = max = norm = t = transpose = unsqueeze = reshape = copy_ = same

    def data_ptr(self):
        return 4096

    def item(self):
        return self.error


class Event:
    def __init__(self, enable_timing):
        self.seconds = 0

    def record(self):
        self.seconds = time.perf_counter()

    def synchronize(self):
        pass

    def elapsed_time(self, end):
        return max((end.seconds - self.seconds) * 1e3, 1e-3)


class Library:
    """The runtime, which would need a driver."""

    def __init__(self, path, stream=None):
        assert pathlib.Path(path).exists(), path

    def target(self, device):
        return "nvptx:sm_90a"

    def load(self, path, device=None):
        assert pathlib.Path(path).exists(), path

    def call(self, program, arguments, result):
        pass

    def destroy(self, program):
        pass


@contextlib.contextmanager
def sdpa_kernel(backend):
    if backend == "math":
        raise RuntimeError("out of memory\nand where")
    yield


def no_block_mask(*_):
    raise ValueError("no masks")


def module(name, **members):
    sys.modules[name] = made = types.ModuleType(name)
    vars(made).update(members)
    return made


def take_first(first, *_, **options):
    return first


functional = types.SimpleNamespace(scaled_dot_product_attention=take_first, rms_norm=take_first)
backends = types.SimpleNamespace(FLASH_ATTENTION="flash", CUDNN_ATTENTION="cudnn", EFFICIENT_ATTENTION="efficient",
                                 MATH="math")
cuda = types.SimpleNamespace(current_stream=lambda: types.SimpleNamespace(cuda_stream=0), Event=Event,
                             get_device_name=lambda: "No GPU 5000", empty_cache=lambda: None,
                             _sleep=lambda cycles: None)
module("torch", __version__="none", float16="f16", bfloat16="bf16", float32="f32", cuda=cuda,
       nn=module("torch.nn", functional=functional), compiler=types.SimpleNamespace(reset=lambda: None),
       compile=lambda function, dynamic: function,
       backends=types.SimpleNamespace(cuda=types.SimpleNamespace(matmul=types.SimpleNamespace())),
       manual_seed=lambda seed: None, empty_like=take_first, softmax=take_first,
       randn=lambda size, dtype, device: Tensor(size), zeros=lambda size, dtype, device: Tensor(size),
       full=lambda size, value, dtype, device: Tensor(size, error=0.05))
module("torch.nn.attention", SDPBackend=backends, sdpa_kernel=sdpa_kernel)
module("torch.nn.attention.flex_attention", create_block_mask=no_block_mask,
       flex_attention=lambda query, key, value, block_mask: query)

import run  # noqa: E402 - after what it imports
import tec  # noqa: E402

tec.Library = Library
sys.exit(run.main())
