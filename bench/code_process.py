"""code_process.py - a library in a process of its own, stopped but for its turns.

After a call the threads of some libraries wait in loops for more work, on the cores of what is measured next; those of a
stopped process do not. CodeProcess is the side of who asks, Code that of the process.

Invariants
 - Between two questions no thread of the process runs.
 - Who ends, fails or does not answer fails the question: nobody waits for ever.
 - A process ends with who made it, however that ends.
"""

import ctypes
import dataclasses
import multiprocessing
import os
import signal

import library
import measure
import programs
from measure import seconds_of

OURS = "tcc-attn"
SPIN = 200  # microseconds for which our threads wait awake, if they are to; longer than others' calls take to prepare
PATIENCE = 300  # seconds until an answer; the slowest take half a minute for a call, and make several
PR_SET_PDEATHSIG = 1
TOLERANCES = {"f32": 1e-3, "bf16": 3e-2, "i8": 0}  # between two results, relative to the largest value


@dataclasses.dataclass
class Threads:
    """How many a code runs on, and whether those of its calls wait for the next call awake."""
    number: int
    awake: bool

    def text(self):
        return "1 thread" if self.number == 1 else f"{self.number} threads, {'awake' if self.awake else 'asleep'}"


class Failed(Exception):
    def __init__(self, code, reason):
        super().__init__(f"{code.name}: {reason}")
        self.code = code


class CodeProcess:
    """Answers the questions that are the methods of `make()`, which the first of them calls, in the process."""

    def __init__(self, name, make):
        self.name = name
        self.pipe, other_end = multiprocessing.Pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                self.pipe.close()
                serve(other_end, make)
            finally:
                os._exit(1)
        other_end.close()

    def ask(self, method, *arguments):
        try:
            os.kill(self.pid, signal.SIGCONT)
            self.pipe.send((method, arguments))
            answer, error = self.pipe.recv() if self.pipe.poll(PATIENCE) else (None, "no answer")
            os.kill(self.pid, signal.SIGSTOP)
            os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        except (EOFError, OSError):
            error = "its process ended"
        if error:
            raise Failed(self, error)
        return answer

    def end(self):
        try:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        except OSError:  # it has ended
            pass


def serve(pipe, make):
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who asks ends us
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    code = None
    while True:
        method, arguments = pipe.recv()
        try:
            code = code or make()
            answer = getattr(code, method)(*arguments), None
        except Exception as error:  # whatever a library fails with
            answer = None, (str(error) or repr(error)).splitlines()[0]
        pipe.send(answer)


class Softmax:
    """Softmax of rows by our own code, on arrays that stay: what libraries of products need between two of them."""

    def __init__(self, tec, rows, columns):
        self.program = tec.compile(programs.softmax(rows, columns))
        self.program.prepare()
        self.argument, self.result = array_of(self.program.views[0]), array_of(self.program.results[0])
        self.call, self.destroy = self.program.call, self.program.destroy


def array_of(pointer):
    """A NumPy view of a DLPack tensor, managed or not."""
    import numpy
    tensor = getattr(pointer.contents, "tensor", pointer.contents)
    integers = {8: ctypes.c_int8, 32: ctypes.c_int32}
    kind = (integers[tensor.dtype.bits] if tensor.dtype.code == library.INTEGER
            else ctypes.c_float if tensor.dtype.bits == 32 else ctypes.c_uint16)
    shape = tuple(tensor.shape[:tensor.ndim])
    return numpy.ctypeslib.as_array(ctypes.cast(tensor.data, ctypes.POINTER(kind)), shape)


def floats(array):
    """As f32, also what has bfloat16's bits."""
    import numpy
    array = numpy.asarray(array)
    return (array.astype(numpy.uint32) << 16).view(numpy.float32) if array.dtype == numpy.uint16 else array


def same(result, reference, element):
    result, reference = floats(result), floats(reference)
    return result.shape == reference.shape and \
        bool(abs(result - reference).max() <= TOLERANCES[element] * abs(reference).max())


class Code:
    """A library and the problem at hand, on arguments that are the same in each process. Our code is in all of them: its
    result is what others are compared with."""

    def __init__(self, make, threads, build):
        self.tec = library.Library(str(build / "runtime/libtec.so"), threads.number, SPIN if threads.awake else 0)
        self.peer, self.clock, self.owned, self.seconds = make(threads), measure.clock_of(threads.number), [], None

    def prepare(self, problem):
        """Whether the result is right, and the seconds of its second call; None where the library has no good way."""
        self.seconds = None
        for program in self.owned:
            program.destroy()
        ours = self.tec.compile(problem.text)
        self.owned = [ours]
        ours.prepare()
        self.problem = problem
        problem.arguments, reference = [array_of(view) for view in ours.views], array_of(ours.results[0])
        if problem.kind == "attention":  # peers get heads that share keys as queries of one: so they, too, read these once
            rows = len(problem.arguments[1]), -1, reference.shape[2]
            problem.arguments[0], reference = problem.arguments[0].reshape(rows), reference.reshape(rows)
        problem.ours, problem.ours_known = lambda: ours.call() or reference, self.ours_known
        if problem.kind == "attention" and problem.element == "f32":
            problem.softmax = Softmax(self.tec, problem.arguments[0].shape[1], problem.arguments[1].shape[1])
            self.owned.append(problem.softmax)
        compute = getattr(self.peer, problem.kind)(problem)
        if not compute:
            return None
        right = same(compute(), reference, problem.element)
        self.seconds = measure.timer(compute, self.clock)
        return right, seconds_of(compute, 1, self.clock)

    def ours_known(self):
        """Our code for the problem at hand, with all arguments but the first as constants."""
        weights = [argument.tobytes() for argument in self.problem.arguments[1:]]
        program = self.tec.compile(programs.with_constants(self.problem.text, weights))
        program.prepare_as(self.owned[0])
        self.owned.append(program)
        result = array_of(program.results[0])
        return lambda: program.call() or result

    def compile_times(self):
        """Seconds of a compilation of the problem, by what compiles; empty where nothing does."""
        return self.peer.compile_times(self.problem) if hasattr(self.peer, "compile_times") else {}


class OurCode:
    def __init__(self, _threads):
        pass

    def attention(self, problem):
        return problem.ours

    def gemm(self, problem):
        return problem.ours_known() if problem.known else problem.ours

    mlp = gemm
