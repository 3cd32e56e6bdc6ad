"""programs.py - the programs that the benchmarks measure: whole-tensor ops without a schedule, as a framework exports them.

Each function returns the text of a module with one function, whose arguments are f32 tensors unless it says otherwise.
"""

import re


def tensor(*extents, element="f32"):
    """The type; an extent that is a string, the name of an index value, is open."""
    return "tensor<" + "".join("?x" if isinstance(extent, str) else f"{extent}x" for extent in extents) + element + ">"


def empty(*extents, element="f32"):
    """The op that makes such a tensor."""
    sizes = ", ".join(extent for extent in extents if isinstance(extent, str))
    return f"tensor.empty({sizes}) : {tensor(*extents, element=element)}"


OPEN = ("%heads", "%length", "%queries")  # extents of attention that serves any
OPEN_EXTENTS = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %heads = tensor.dim %query, %c0 : {query}
  %queries = tensor.dim %query, %c1 : {query}
  %length = tensor.dim %key, %c1 : {key}"""


# What stands between the scores' product and their softmax; %1 is the scaled score.
SCORE_BODIES = {
    "plain": "",
    "causal": """
    %query_index = linalg.index 1 : index
    %key_index = linalg.index 2 : index
    %visible = arith.cmpi sle, %key_index, %query_index : index
    %masked = arith.select %visible, %product, %hidden : f32""",
    "additive": """
    %masked = arith.addf %product, %mask_element : f32""",
}


def attention(heads, length, features, mask, element="f32", queries=None):
    """softmax(query key^T / sqrt(features) + mask) value for each head, for as many queries as keys unless told; arguments
    and result of type `element`, as are the weights that the values are multiplied by; all between in f32. Heads, length
    and queries may be those of OPEN."""
    queries = queries or length
    query, key = tensor(heads, queries, features, element=element), tensor(heads, length, features, element=element)
    scores, transposed = tensor(heads, queries, length), tensor(heads, features, length, element=element)
    rounded_scores = tensor(heads, queries, length, element=element)
    mask_type, rows = tensor(queries, length), tensor(heads, queries, features)
    identity = "affine_map<(h, q, k) -> (h, q, k)>"
    additive, narrow = mask == "additive", element != "f32"
    maps = [identity] + (["affine_map<(h, q, k) -> (q, k)>"] if additive else []) + [identity]
    inputs = f"%scores, %mask : {scores}, {mask_type}" if additive else f"%scores : {scores}"
    opened = OPEN_EXTENTS.format(query=query, key=key) if isinstance(length, str) else ""
    return f"""
func.func @attention(%query: {query}, %key: {key}, %value: {key}{f", %mask: {mask_type}" if additive else ""}) -> {query} {{{opened}
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scale = arith.constant {features ** -0.5:.9e} : f32
  %key_empty = {empty(heads, features, length, element=element)}
  %key_transposed = linalg.transpose ins(%key : {key}) outs(%key_empty : {transposed}) permutation = [0, 2, 1]
  %scores_empty = {empty(heads, queries, length)}
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : {scores}) -> {scores}
  %scores = linalg.batch_matmul ins(%query, %key_transposed : {query}, {transposed}) outs(%scores_zero : {scores}) -> {scores}
  %scaled = linalg.generic {{indexing_maps = [{", ".join(maps)}], iterator_types = ["parallel", "parallel", "parallel"]}}
      ins({inputs}) outs(%scores_empty : {scores}) {{
  ^bb0(%score: f32, {"%mask_element: f32, " if additive else ""}%out: f32):
    %product = arith.mulf %score, %scale : f32{SCORE_BODIES[mask]}
    linalg.yield {"%product" if mask == "plain" else "%masked"} : f32
  }} -> {scores}
  %weights = linalg.softmax dimension(2) ins(%scaled : {scores}) outs(%scores_empty : {scores}) -> {scores}
  %result_empty = {empty(heads, queries, features)}
  %result_zero = linalg.fill ins(%zero : f32) outs(%result_empty : {rows}) -> {rows}
{rounded("weights", heads, queries, length, element=element) if narrow else ""}
  %result = linalg.batch_matmul ins({"%weights_narrow" if narrow else "%weights"}, %value : {rounded_scores}, {key})
      outs(%result_zero : {rows}) -> {rows}
{rounded("result", heads, queries, features, element=element) if narrow else ""}
  return {"%result_narrow" if narrow else "%result"} : {query}
}}
"""


def grouped(heads, group, length, features, element="f32", queries=1):
    """Attention of which `group` heads of queries in turn share one of `heads` of keys and values, which are repeated for
    them as tensors."""
    own, shared = tensor(group * heads, length, features, element=element), tensor(heads, length, features, element=element)
    repeated = tensor(heads, group, length, features, element=element)
    first, rest = attention(group * heads, length, features, "plain", element, queries).split("{\n", 1)
    for name in ("key", "value"):
        first = first.replace(f"%{name}: {own}", f"%{name}_shared: {shared}")
        rest = f"""  %{name}_empty_group = {empty(heads, group, length, features, element=element)}
  %{name}_repeated = linalg.broadcast ins(%{name}_shared : {shared}) outs(%{name}_empty_group : {repeated}) dimensions = [1]
  %{name} = tensor.collapse_shape %{name}_repeated [[0, 1], [2], [3]] : {repeated} into {own}
{rest}"""
    return f"{first}{{\n{rest}"


def rounded(name, *extents, element):
    """Ops that round %NAME from f32 to a narrower type, as %NAME_narrow."""
    dims, parallel = ", ".join("hqd"[-len(extents):]), ", ".join(['"parallel"'] * len(extents))
    identity, wide, narrow = f"affine_map<({dims}) -> ({dims})>", tensor(*extents), tensor(*extents, element=element)
    return f"""  %{name}_narrow_empty = {empty(*extents, element=element)}
  %{name}_narrow = linalg.generic {{indexing_maps = [{identity}, {identity}],
      iterator_types = [{parallel}]}} ins(%{name} : {wide}) outs(%{name}_narrow_empty : {narrow}) {{
  ^bb0(%number: f32, %out: {element}):
    %close = arith.truncf %number : f32 to {element}
    linalg.yield %close : {element}
  }} -> {narrow}"""


def gemm(rows, columns, depth, turned=False, element="f32"):
    """The product of two matrices, of which the second is turned where its rows are columns of the result; of that type,
    added up in f32, of i8 in i32. Rows may be "%rows", an open number."""
    sums, zero = ("i32", "0") if element == "i8" else ("f32", "0.0")
    a, c = tensor(rows, depth, element=element), tensor(rows, columns, element=sums)
    opened = f"""
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %a, %c0 : {a}""" if isinstance(rows, str) else ""
    b = tensor(*(columns, depth) if turned else (depth, columns), element=element)
    kind, name, close = c, "%result", ""
    if element not in ("f32", "i8"):
        kind, name = tensor(rows, columns, element=element), "%result_narrow"
        close = rounded("result", rows, columns, element=element) + "\n"
    maps = """indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
      """ if turned else ""
    return f"""
func.func @gemm(%a: {a}, %b: {b}) -> {kind} {{{opened}
  %zero = arith.constant {zero} : {sums}
  %empty = {empty(rows, columns, element=sums)}
  %start = linalg.fill ins(%zero : {sums}) outs(%empty : {c}) -> {c}
  %result = linalg.matmul {maps}ins(%a, %b : {a}, {b}) outs(%start : {c}) -> {c}
{close}  return {name} : {kind}
}}
"""


def with_constants(text, values):
    """The module with the arguments behind the first one, of these bytes, as constants."""
    head, arguments, rest = re.fullmatch(r"(\s*func\.func @\w+\()([^)]*)(\).*)", text, re.DOTALL).groups()
    first, *others = arguments.split(", ")
    constants, resources = [], []
    for argument, value in zip(others, values, strict=True):
        name, kind = argument.split(": ")
        constants.append(f"\n  {name} = arith.constant dense_resource<{name[1:]}> : {kind}")
        resources.append(f'{name[1:]}: "0x04000000{value.hex()}"')
    signature, body = rest.split("{", 1)
    return (f"{head}{first}{signature}{{{''.join(constants)}{body}"
            f"{{-# dialect_resources: {{builtin: {{{', '.join(resources)}}}}} #-}}\n")


def softmax(rows, columns):
    x = tensor(rows, columns)
    return f"""
func.func @softmax(%x: {x}) -> {x} {{
  %empty = tensor.empty() : {x}
  %result = linalg.softmax dimension(1) ins(%x : {x}) outs(%empty : {x}) -> {x}
  return %result : {x}
}}
"""


def rms_norm(rows, columns):
    """x / sqrt(mean of squares + epsilon)."""
    x, row = tensor(rows, columns), tensor(rows)
    whole, by_row = "affine_map<(r, c) -> (r, c)>", "affine_map<(r, c) -> (r)>"
    return f"""
func.func @rms_norm(%x: {x}) -> {x} {{
  %zero = arith.constant 0.0 : f32
  %count = arith.constant {float(columns)} : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %row_empty = tensor.empty() : {row}
  %row_zero = linalg.fill ins(%zero : f32) outs(%row_empty : {row}) -> {row}
  %sums = linalg.generic {{indexing_maps = [{whole}, {by_row}], iterator_types = ["parallel", "reduction"]}}
      ins(%x : {x}) outs(%row_zero : {row}) {{
  ^bb0(%in: f32, %squares: f32):
    %square = arith.mulf %in, %in : f32
    %new_squares = arith.addf %squares, %square : f32
    linalg.yield %new_squares : f32
  }} -> {row}
  %empty = tensor.empty() : {x}
  %result = linalg.generic {{indexing_maps = [{whole}, {by_row}, {whole}], iterator_types = ["parallel", "parallel"]}}
      ins(%x, %sums : {x}, {row}) outs(%empty : {x}) {{
  ^bb0(%in: f32, %squares: f32, %out: f32):
    %mean_square = arith.divf %squares, %count : f32
    %safe = arith.addf %mean_square, %epsilon : f32
    %factor = math.rsqrt %safe : f32
    %scaled = arith.mulf %in, %factor : f32
    linalg.yield %scaled : f32
  }} -> {x}
  return %result : {x}
}}
"""


def add(rows, columns, element="f32"):
    x = tensor(rows, columns, element=element)
    whole = "affine_map<(r, c) -> (r, c)>"
    return f"""
func.func @add(%x: {x}, %y: {x}) -> {x} {{
  %empty = tensor.empty() : {x}
  %result = linalg.generic {{indexing_maps = [{whole}, {whole}, {whole}], iterator_types = ["parallel", "parallel"]}}
      ins(%x, %y : {x}, {x}) outs(%empty : {x}) {{
  ^bb0(%left: {element}, %right: {element}, %out: {element}):
    %sum = arith.addf %left, %right : {element}
    linalg.yield %sum : {element}
  }} -> {x}
  return %result : {x}
}}
"""


def layer_norm(rows, columns):
    """(x - mean) / sqrt(variance + epsilon) * gain + bias, the variance as the mean square minus the squared mean."""
    x, row, column = tensor(rows, columns), tensor(rows), tensor(columns)
    whole, by_row, by_column = (f"affine_map<(r, c) -> ({dims})>" for dims in ("r, c", "r", "c"))
    return f"""
func.func @layer_norm(%x: {x}, %gain: {column}, %bias: {column}) -> {x} {{
  %zero = arith.constant 0.0 : f32
  %count = arith.constant {float(columns)} : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %row_empty = tensor.empty() : {row}
  %row_zero = linalg.fill ins(%zero : f32) outs(%row_empty : {row}) -> {row}
  %sums:2 = linalg.generic {{indexing_maps = [{whole}, {by_row}, {by_row}], iterator_types = ["parallel", "reduction"]}}
      ins(%x : {x}) outs(%row_zero, %row_zero : {row}, {row}) {{
  ^bb0(%in: f32, %sum: f32, %squares: f32):
    %square = arith.mulf %in, %in : f32
    %new_sum = arith.addf %sum, %in : f32
    %new_squares = arith.addf %squares, %square : f32
    linalg.yield %new_sum, %new_squares : f32, f32
  }} -> ({row}, {row})
  %empty = tensor.empty() : {x}
  %result = linalg.generic {{indexing_maps = [{whole}, {by_row}, {by_row}, {by_column}, {by_column}, {whole}],
      iterator_types = ["parallel", "parallel"]}}
      ins(%x, %sums#0, %sums#1, %gain, %bias : {x}, {row}, {row}, {column}, {column}) outs(%empty : {x}) {{
  ^bb0(%in: f32, %sum: f32, %squares: f32, %g: f32, %b: f32, %out: f32):
    %mean = arith.divf %sum, %count : f32
    %mean_square = arith.divf %squares, %count : f32
    %squared_mean = arith.mulf %mean, %mean : f32
    %variance = arith.subf %mean_square, %squared_mean : f32
    %safe = arith.addf %variance, %epsilon : f32
    %factor = math.rsqrt %safe : f32
    %centred = arith.subf %in, %mean : f32
    %normal = arith.mulf %centred, %factor : f32
    %scaled = arith.mulf %normal, %g : f32
    %moved = arith.addf %scaled, %b : f32
    linalg.yield %moved : f32
  }} -> {x}
  return %result : {x}
}}
"""


def mlp(rows, features, hidden):
    """gelu(x w1) w2, with gelu(h) = h / (1 + e^(-1.5957691 h - 0.0713548 h^3)): its tanh form, written with exp."""
    x, w1, h, w2 = tensor(rows, features), tensor(features, hidden), tensor(rows, hidden), tensor(hidden, features)
    return f"""
func.func @mlp(%x: {x}, %w1: {w1}, %w2: {w2}) -> {x} {{
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %linear = arith.constant -1.5957691216 : f32
  %cubic = arith.constant -0.0713548163 : f32
  %h_empty = tensor.empty() : {h}
  %h_zero = linalg.fill ins(%zero : f32) outs(%h_empty : {h}) -> {h}
  %h = linalg.matmul ins(%x, %w1 : {x}, {w1}) outs(%h_zero : {h}) -> {h}
  %active = linalg.map ins(%h : {h}) outs(%h_empty : {h}) (%in: f32, %init: f32) {{
    %square = arith.mulf %in, %in : f32
    %bent = arith.mulf %square, %cubic : f32
    %slope = arith.addf %bent, %linear : f32
    %exponent = arith.mulf %slope, %in : f32
    %power = math.exp %exponent : f32
    %below = arith.addf %power, %one : f32
    %activated = arith.divf %in, %below : f32
    linalg.yield %activated : f32
  }}
  %empty = tensor.empty() : {x}
  %start = linalg.fill ins(%zero : f32) outs(%empty : {x}) -> {x}
  %result = linalg.matmul ins(%active, %w2 : {h}, {w2}) outs(%start : {x}) -> {x}
  return %result : {x}
}}
"""


def many_ops(count):
    """A module of about `count` ops: functions of a thousand, half of which simplify away."""
    functions = []
    for number in range(max(1, count // 1000)):
        lines = [f"func.func @f{number}(%x: f32, %i: index) -> f32 {{", "  %zero = arith.constant 0 : index",
                 "  %v0 = arith.addf %x, %x : f32"]
        for op in range(1, 499):
            lines.append(f"  %v{op} = arith.mulf %v{op - 1}, %x : f32")
            lines.append(f"  %i{op} = arith.addi %i, %zero : index")
        functions.append("\n".join(lines + ["  return %v498 : f32", "}"]))
    return "\n".join(functions)
