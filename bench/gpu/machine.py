"""What runs the benchmark: a GPU by way of PyTorch, or this processor in its place."""

import ctypes
import math
import random
import statistics
import subprocess
import time

import tec

CYCLES = 100_000  # of a GPU, for which a call at most takes to be queued
PEAK_SIZE = 8192
COPY_BYTES = 1 << 30


SDPA = {"SDPA flash": "FLASH_ATTENTION", "SDPA cuDNN": "CUDNN_ATTENTION", "SDPA efficient": "EFFICIENT_ATTENTION",
        "SDPA math": "MATH"}


def sdpa(torch, name):
    """PyTorch's attention, by the backend of that name or its own choice: (query, key, value, causal) -> callable."""
    def prepare(query, key, value, causal, **options):
        def plain():
            return torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=causal, **options)

        def by_backend():
            from torch.nn.attention import SDPBackend, sdpa_kernel
            with sdpa_kernel(getattr(SDPBackend, SDPA[name])):
                return plain()
        return by_backend if name in SDPA else plain
    return prepare


class Gpu:
    """PyTorch's device."""
    device = "cuda"

    def __init__(self, library):
        import torch
        self.torch = torch
        self.library = tec.Library(library, torch.cuda.current_stream().cuda_stream or None)
        self.target = self.library.target("cuda")
        self.name = torch.cuda.get_device_name()
        self.kind = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32}

    def software(self):
        """Versions of what the numbers depend on."""
        asked = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        try:
            driver = subprocess.run(asked, text=True, capture_output=True, check=True).stdout.split()[0]
        except (OSError, subprocess.CalledProcessError, IndexError):
            driver = "unknown"
        return {"driver": driver, "PyTorch": self.torch.__version__}

    def tensors(self, kinds):
        """Random tensors of some (extents, element)."""
        self.torch.manual_seed(1)
        return [2 * self.torch.randn(extents, dtype=self.kind[element], device="cuda") for extents, element in kinds]

    def empty(self, extents, element):
        """A tensor that shows what is not written."""
        return self.torch.full(extents, math.nan, dtype=self.kind[element], device="cuda")

    def view(self, tensor, extents, element):
        return tec.tensor(tensor.data_ptr(), extents, element, tec.DEVICE_CUDA)

    def distance(self, left, right):
        return (left.float() - right.float()).abs().max().item()

    def time(self, function, calls):
        """Seconds of one call out of `calls`. The GPU waits until they are queued, and leaves no gaps between them."""
        start, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        if hasattr(self.torch.cuda, "_sleep"):
            self.torch.cuda._sleep(calls * CYCLES)
        start.record()
        for _ in range(calls):
            function()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) * 1e-3 / calls

    def release(self):
        """Gives back memory that a row took."""
        self.torch.cuda.empty_cache()

    def use_tf32(self, allowed):
        """Whether PyTorch's products of f32 may round their factors to 10 bits."""
        self.torch.backends.cuda.matmul.allow_tf32 = allowed

    def median(self, function):
        self.time(function, 3)
        return statistics.median(self.time(function, 5) for _ in range(7))

    def peak(self, kind):
        """FLOP/s of a large product of matrices: of an element type, or tf32."""
        self.use_tf32(kind == "tf32")
        a, b = self.tensors([((PEAK_SIZE, PEAK_SIZE), "f32" if kind == "tf32" else kind)] * 2)
        return 2 * PEAK_SIZE ** 3 / self.median(lambda: a @ b)

    def bandwidth(self):
        """Bytes per second of a copy, those read and those written."""
        source = self.torch.zeros(COPY_BYTES // 4, dtype=self.kind["f32"], device="cuda")
        target = self.torch.empty_like(source)
        return 2 * COPY_BYTES / self.median(lambda: target.copy_(source))

    def peers(self):
        """Functions (query, key, value, causal) -> callable without arguments, by name."""
        torch = self.torch
        found = {name: sdpa(torch, name) for name in SDPA}
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
    """This processor or the emulator, for --dry-run: our kernels only, by the clock on the wall."""
    torch = None

    def __init__(self, library, device):
        self.library, self.device = tec.Library(library), device
        self.target = self.library.target(device)
        self.name = f"{device} (dry run)"

    def software(self):
        return {"driver": "none", "PyTorch": "none"}

    def tensors(self, kinds):
        source = random.Random(1)
        return [tec.buffer([source.gauss(0, 2) for _ in range(math.prod(extents))], element)
                for extents, element in kinds]

    def empty(self, extents, element):
        return tec.buffer([math.nan] * math.prod(extents), element)

    def view(self, tensor, extents, element):
        return tec.tensor(ctypes.addressof(tensor), extents, element, tec.DEVICE_HOST)

    def distance(self, left, right):
        return math.nan

    def time(self, function, calls):
        start = time.perf_counter()
        for _ in range(calls):
            function()
        return (time.perf_counter() - start) / calls

    def release(self):
        pass

    def use_tf32(self, allowed):
        pass

    def peak(self, kind):
        return math.nan

    def bandwidth(self):
        return math.nan

    def peers(self):
        return {}


def medians(machine, options, calls):
    """Median seconds by name, of rounds in which all take turns."""
    repeats = {}
    for name, function in calls.items():
        estimate = machine.time(function, 3)
        repeats[name] = max(1, min(50, int(options.round_seconds / max(estimate, 1e-6))))
    times = {name: [] for name in calls}
    for _ in range(options.rounds):
        for name, function in calls.items():
            times[name].append(machine.time(function, repeats[name]))
    return {name: statistics.median(seconds) for name, seconds in times.items()}
