"""Attention in Triton: one block of queries a program, keys and values in a loop, running softmax.

What a good Triton user would write: base-2 exponentials with the scale folded in, the causal loop split into whole tiles
and those that the diagonal cuts, tile sizes tuned per shape.

    triton_attention.py ELEMENT FEATURES MASK    one small call, which leaves all tile sizes in Triton's cache"""

import sys

import torch
import triton
import triton.language as tl


@triton.jit
def _keys(accumulator, row_sum, row_max, query, key_start, value_start, row, first, last, keys, scale,
          D: tl.constexpr, COLUMNS: tl.constexpr, MASKED: tl.constexpr, CAUSAL: tl.constexpr):
    """One stretch of keys, from `first` up to `last`."""
    column = tl.arange(0, COLUMNS)
    feature = tl.arange(0, D)
    for start in range(first, last, COLUMNS):
        index = start + column
        if MASKED:
            key = tl.load(key_start + index[None, :] * D + feature[:, None], mask=index[None, :] < keys, other=0.0)
            value = tl.load(value_start + index[:, None] * D + feature[None, :], mask=index[:, None] < keys, other=0.0)
        else:
            key = tl.load(key_start + index[None, :] * D + feature[:, None])
            value = tl.load(value_start + index[:, None] * D + feature[None, :])
        score = tl.dot(query, key) * scale
        if MASKED:
            seen = index[None, :] < keys
            if CAUSAL:
                seen = seen & (index[None, :] <= row[:, None])
            score = tl.where(seen, score, -1.0e30)
        new_max = tl.maximum(row_max, tl.max(score, 1))
        weight = tl.math.exp2(score - new_max[:, None])
        correction = tl.math.exp2(row_max - new_max)
        row_sum = row_sum * correction + tl.sum(weight, 1)
        accumulator = tl.dot(weight.to(value.dtype), value, accumulator * correction[:, None])
        row_max = new_max
    return accumulator, row_sum, row_max


CONFIGURATIONS = [triton.Config({"ROWS": rows, "COLUMNS": columns}, num_warps=warps, num_stages=stages)
                  for rows, warps in ((64, 4), (128, 4), (128, 8)) for columns in (32, 64, 128) for stages in (2, 3)]


def _time(call, quantiles):
    return triton.testing.do_bench(call, warmup=5, rep=25, quantiles=quantiles)


@triton.autotune(CONFIGURATIONS, key=["queries", "keys", "D", "CAUSAL"], do_bench=_time)
@triton.jit
def _attention(query, key, value, result, scale, queries, keys, D: tl.constexpr, CAUSAL: tl.constexpr,
               ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    head = tl.program_id(1).to(tl.int64)
    first_row = tl.program_id(0) * ROWS
    row = first_row + tl.arange(0, ROWS)
    feature = tl.arange(0, D)
    place = head * queries * D + row[:, None] * D + feature[None, :]
    inside = row[:, None] < queries
    block = tl.load(query + place, mask=inside, other=0.0)
    key += head * keys * D
    value += head * keys * D
    accumulator = tl.zeros([ROWS, D], tl.float32)
    row_sum = tl.zeros([ROWS], tl.float32)
    row_max = tl.full([ROWS], -1.0e30, tl.float32)
    end = tl.minimum(first_row + ROWS, keys) if CAUSAL else keys
    whole = (tl.minimum(first_row, keys) if CAUSAL else keys) // COLUMNS * COLUMNS
    accumulator, row_sum, row_max = _keys(accumulator, row_sum, row_max, block, key, value, row, 0, whole, keys, scale,
                                          D, COLUMNS, False, CAUSAL)
    accumulator, row_sum, row_max = _keys(accumulator, row_sum, row_max, block, key, value, row, whole, end, keys,
                                          scale, D, COLUMNS, True, CAUSAL)
    tl.store(result + place, (accumulator / row_sum[:, None]).to(result.dtype.element_ty), mask=inside)


def attention(query, key, value, causal):
    """query [B, H, M, D], key and value [B, H, N, D], contiguous; D a power of 2."""
    batch, heads, queries, features = query.shape
    result = torch.empty_like(query)
    scale = 1.4426950408889634 / features ** 0.5
    _attention[lambda choice: (triton.cdiv(queries, choice["ROWS"]), batch * heads)](
        query, key, value, result, scale, queries, key.shape[2], features, causal)
    return result


if __name__ == "__main__":
    kind = {"f16": torch.float16, "bf16": torch.bfloat16}[sys.argv[1]]
    inputs = [torch.zeros((1, 1, 512, int(sys.argv[2])), dtype=kind, device="cuda") for _ in range(3)]
    attention(*inputs, sys.argv[3] == "causal")
