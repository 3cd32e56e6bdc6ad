"""peers.py - other libraries that compute what bench/host measures, each as well as it can on this machine.

A peer is a class; its constructor takes the threads (code_process.py) and fails where the library is not installed. Its methods
attention(problem), gemm(problem) and mlp(problem) return a function without arguments that computes the problem and
returns the result as an array, or None where the library has no good way. Preparation (packing of weights, compilation)
is not in the function's time.

A peer may have compile_times(problem): the seconds of a compilation, by what compiles.

Problems are those of bench/host; their `arguments` are NumPy's arrays, bfloat16 as its bits.
"""

import ctypes
import ctypes.util
import os
import subprocess

import numpy

from measure import seconds_of


class Unfused:
    """Batches of matrix products from a library, with our own softmax between: what the best unfused code does."""

    def product(self, a, b, b_transposed, out):
        raise NotImplementedError

    def attention(self, problem):
        if problem.element != "f32" or problem.causal:  # it would compute the hidden half
            return None
        query, key, value = problem.arguments
        scores = problem.softmax.argument
        weights = problem.softmax.result
        result = numpy.empty_like(query)
        scaled = query * numpy.float32(query.shape[2] ** -0.5)

        def compute():
            for head in range(len(query)):
                self.product(scaled[head], key[head], True, scores)
                problem.softmax.call()
                self.product(weights, value[head], False, result[head])
            return result
        return compute

    def gemm(self, problem):
        if problem.element != "f32":
            return None
        a, b = problem.arguments
        result = numpy.empty((a.shape[0], b.shape[0 if problem.turned else 1]), numpy.float32)

        def compute():
            self.product(a, b, problem.turned, result)
            return result
        return compute

    def mlp(self, _problem):
        return None


class OpenBlas(Unfused):
    name = "OpenBLAS, unfused"  # what NumPy's wheels are built with

    def __init__(self, _threads):
        pass

    def product(self, a, b, b_transposed, out):
        numpy.matmul(a, b.T if b_transposed else b, out=out)


class OneDnn(Unfused):
    name = "oneDNN, unfused"

    def __init__(self, _threads):
        path = ctypes.util.find_library("dnnl")
        if not path:
            raise ImportError("libdnnl is not installed")
        onednn = ctypes.CDLL(path)
        self.sgemm, self.bytes_gemm = onednn.dnnl_sgemm, onednn.dnnl_gemm_s8s8s32
        size, scalar, pointer = ctypes.c_int64, ctypes.c_float, ctypes.c_void_p
        self.sgemm.argtypes = [ctypes.c_char, ctypes.c_char, size, size, size, scalar, pointer, size, pointer, size, scalar,
                               pointer, size]
        byte = ctypes.c_int8
        self.bytes_gemm.argtypes = [ctypes.c_char] * 3 + [size] * 3 + [
            scalar, pointer, size, byte, pointer, size, byte, scalar, pointer, size, pointer]

    def gemm(self, problem):
        if problem.element != "i8":
            return super().gemm(problem)
        a, b = problem.arguments
        rows, depth, columns = *a.shape, b.shape[0 if problem.turned else 1]
        result, offset = numpy.empty((rows, columns), numpy.int32), numpy.zeros(1, numpy.int32)

        def compute():
            if self.bytes_gemm(b"N", b"T" if problem.turned else b"N", b"F", rows, columns, depth, 1, a.ctypes.data, depth,
                               0, b.ctypes.data, b.shape[1], 0, 0, result.ctypes.data, columns, offset.ctypes.data):
                raise RuntimeError("dnnl_gemm_s8s8s32 failed")
            return result
        return compute

    def product(self, a, b, b_transposed, out):
        rows, columns, depth = out.shape[0], out.shape[1], a.shape[1]
        if self.sgemm(b"N", b"T" if b_transposed else b"N", rows, columns, depth, 1, a.ctypes.data, depth, b.ctypes.data,
                      b.shape[1], 0, out.ctypes.data, columns):
            raise RuntimeError("dnnl_sgemm failed")


class PyTorch:
    name = "PyTorch"

    def __init__(self, threads):
        import torch
        self.torch = torch
        torch.set_num_threads(threads.number)
        torch.set_grad_enabled(False)

    def tensors(self, problem):
        bits = [self.torch.from_numpy(argument) for argument in problem.arguments]
        return [tensor.view(self.torch.bfloat16) for tensor in bits] if problem.element == "bf16" else bits

    def attention(self, problem):
        query, key, value = (tensor[None] for tensor in self.tensors(problem))
        attend = self.torch.nn.functional.scaled_dot_product_attention
        return lambda: attend(query, key, value, is_causal=problem.causal)[0].float().numpy()

    def gemm(self, problem):
        a, b = self.tensors(problem)
        if problem.element == "i8":
            return lambda: self.torch._int_mm(a, b.t() if problem.turned else b).numpy()
        multiply = self.torch.nn.functional.linear if problem.turned else self.torch.matmul
        return lambda: multiply(a, b).float().numpy()

    def mlp(self, problem):
        x, first, second = self.tensors(problem)
        gelu = self.torch.nn.functional.gelu
        return lambda: self.torch.matmul(gelu(self.torch.matmul(x, first), approximate="tanh"), second).numpy()

    def compile_times(self, problem):
        query, key, value = self.tensors(problem)

        def function(query, key, value):
            return self.torch.softmax(query @ key.transpose(-1, -2) * query.shape[-1] ** -0.5, -1) @ value
        function(query, key, value)
        self.torch._dynamo.reset()
        return {"torch.compile": seconds_of(lambda: self.torch.compile(function)(query, key, value))}


class OnnxRuntime:
    name = "ONNX Runtime"

    def __init__(self, threads):
        import onnx
        import onnxruntime
        self.onnx, self.runtime, self.threads = onnx, onnxruntime, threads

    def session(self, nodes, inputs, constants=()):
        helper = self.onnx.helper
        values = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
                  for name, array in inputs.items()]
        initializers = [self.onnx.numpy_helper.from_array(array, name) for name, array in constants]
        graph = helper.make_graph(nodes, "graph", values, [helper.make_empty_tensor_value_info("result")], initializers)
        opsets = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
        options = self.runtime.SessionOptions()
        options.intra_op_num_threads = self.threads.number
        options.add_session_config_entry("session.intra_op.allow_spinning", str(int(self.threads.awake)))
        session = self.runtime.InferenceSession(
            helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString(), options,
            providers=["CPUExecutionProvider"])
        return lambda: session.run(None, inputs)[0]

    def attention(self, problem):
        if problem.element != "f32":
            return None
        heads, queries, features = problem.arguments[0].shape
        by_length = [numpy.ascontiguousarray(array.transpose(1, 0, 2).reshape(1, -1, heads * features))
                     for array in problem.arguments]
        node = self.onnx.helper.make_node("MultiHeadAttention", ["query", "key", "value"], ["result"],
                                          domain="com.microsoft", num_heads=heads, unidirectional=int(problem.causal))
        run = self.session([node], dict(zip(("query", "key", "value"), by_length)))
        return lambda: run().reshape(queries, heads, features).transpose(1, 0, 2)

    def gemm(self, problem):
        if problem.element == "bf16":
            return None
        make = self.onnx.helper.make_node
        if problem.element == "i8":
            a, b = problem.arguments
            node, factor = make("MatMulInteger", ["a", "b"], ["result"]), b.T.copy() if problem.turned else b
            return self.session([node], {"a": a}, [("b", factor)]) if problem.known else self.session(
                [node], {"a": a, "b": factor})
        node = (make("Gemm", ["a", "b"], ["result"], transB=1) if problem.turned
                else make("MatMul", ["a", "b"], ["result"]))
        a, b = problem.arguments
        return self.session([node], {"a": a}, [("b", b)]) if problem.known else self.session([node], {"a": a, "b": b})

    def mlp(self, problem):
        make = self.onnx.helper.make_node
        nodes = [make("MatMul", ["x", "first"], ["hidden"]), make("Gelu", ["hidden"], ["active"], approximate="tanh"),
                 make("MatMul", ["active", "second"], ["result"])]
        x, first, second = problem.arguments
        return self.session(nodes, {"x": x}, [("first", first), ("second", second)])


class OpenVino:
    name = "OpenVINO"

    def __init__(self, threads):
        import openvino
        import openvino.opset13 as ops
        self.openvino, self.ops, self.threads = openvino, ops, threads.number

    def request(self, result, parameters, arguments, element):
        settings = {"INFERENCE_NUM_THREADS": self.threads, "INFERENCE_PRECISION_HINT": element,
                    "PERFORMANCE_HINT": "LATENCY"}
        request = self.openvino.Core().compile_model(self.openvino.Model([result], parameters), "CPU",
                                                     settings).create_infer_request()
        for index, (parameter, array) in enumerate(zip(parameters, arguments)):
            request.set_input_tensor(index, self.openvino.Tensor(array, list(array.shape), parameter.get_element_type()))

        def compute():
            request.infer()
            return request.get_output_tensor(0).data
        return compute

    def attention(self, problem):
        element = getattr(self.openvino.Type, problem.element)
        arguments = [array[None] for array in problem.arguments]
        parameters = [self.ops.parameter(list(array.shape), element) for array in arguments]
        result = self.ops.scaled_dot_product_attention(*parameters, causal=problem.causal)
        compute = self.request(self.ops.convert(result, "f32"), parameters, arguments, problem.element)
        return lambda: compute()[0]

    def gemm(self, problem):
        if problem.element == "i8":
            return None
        element = getattr(self.openvino.Type, problem.element)
        arguments = problem.arguments[:1] if problem.known else problem.arguments
        parameters = [self.ops.parameter(list(array.shape), element) for array in arguments]
        known = self.openvino.Tensor(problem.arguments[1], list(problem.arguments[1].shape), element)
        second = self.ops.constant(known) if problem.known else parameters[1]
        result = self.ops.convert(self.ops.matmul(parameters[0], second, False, problem.turned), "f32")
        return self.request(result, parameters, arguments, problem.element)

    def mlp(self, problem):
        x, first, second = problem.arguments
        parameter = self.ops.parameter(list(x.shape), numpy.float32)
        hidden = self.ops.matmul(parameter, self.ops.constant(first), False, False)
        result = self.ops.matmul(self.ops.gelu(hidden, "tanh"), self.ops.constant(second), False, False)
        return self.request(result, [parameter], [x], "f32")


class Iree:
    name = "IREE"

    def __init__(self, threads):
        import iree.compiler
        import iree.runtime
        self.compiler, self.runtime = iree.compiler, iree.runtime
        self.device = "local-sync" if threads.number == 1 else "local-task"

    def compile(self, text):
        return self.compiler.compile_str(text, target_backends=["llvm-cpu"],
                                         extra_args=["--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3"])

    def program(self, problem, text):
        config = self.runtime.Config(self.device)
        context = self.runtime.SystemContext(config=config)
        context.add_vm_module(self.runtime.VmModule.copy_buffer(context.instance, self.compile(text)))
        function = context.modules.module[problem.kind]
        arguments = [self.runtime.asdevicearray(config.device, array) for array in problem.arguments]
        return lambda: function(*arguments)

    def attention(self, problem):
        """Its own op for attention, which it fuses; where that has no such mask or type, nothing."""
        if problem.element != "f32" or problem.causal:
            return None
        query, key = (f"tensor<{'x'.join(map(str, array.shape))}xf32>" for array in problem.arguments[:2])
        maps = ", ".join(f"affine_map<(b, m, n, k, s) -> ({dims})>" for dims in ("b, m, k", "b, s, k", "b, s, n", "", "b, m, n"))
        return self.program(problem, f"""
func.func @attention(%query: {query}, %key: {key}, %value: {key}) -> {query} {{
  %scale = arith.constant {problem.arguments[0].shape[2] ** -0.5:.9e} : f32
  %empty = tensor.empty() : {query}
  %result = iree_linalg_ext.attention <{{indexing_maps = [{maps}]}}>
      ins(%query, %key, %value, %scale : {query}, {key}, {key}, f32) outs(%empty : {query}) {{
  ^bb0(%score: f32):
    iree_linalg_ext.yield %score : f32
  }} -> {query}
  return %result : {query}
}}""")

    def gemm(self, problem):
        return self.program(problem, problem.text)

    def mlp(self, problem):
        return self.program(problem, problem.text)

    def compile_times(self, problem):
        return {self.name: seconds_of(lambda: self.compile(problem.text))}


class Ceiling:
    """Hand-tuned code whose source the user has, compiled here by $CC. It defines, for f32 and row-major arrays,

        int ceiling_attention(const float *query, const float *key, const float *value, float *result, int64_t heads,
                              int64_t length, int64_t features, int causal);

    which returns 0, or something else for shapes that it does not have."""
    name = "hand-tuned"

    def __init__(self, source, directory, _threads):
        library = os.path.join(directory, "ceiling.so")
        command = [os.environ.get("CC", "cc"), "-O3", "-march=native", "-shared", "-fPIC", "-o", library, str(source), "-lm"]
        subprocess.run(command, check=True)
        self.function = ctypes.CDLL(library).ceiling_attention
        self.function.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_int64] * 3 + [ctypes.c_int]

    def attention(self, problem):
        query, key, value = problem.arguments
        if problem.element != "f32" or query.shape != key.shape:
            return None
        result = numpy.empty_like(query)
        arguments = [array.ctypes.data for array in (query, key, value, result)] + [*query.shape, int(problem.causal)]
        if self.function(*arguments):
            return None

        def compute():
            self.function(*arguments)
            return result
        return compute

    def gemm(self, _problem):
        return None

    mlp = gemm


ALL = [PyTorch, OnnxRuntime, OpenVino, Iree, OpenBlas, OneDnn]
