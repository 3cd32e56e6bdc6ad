// Attention with open extents as PyTorch exports it: any operand may have one batch, or one key, for all of another. One
// kernel serves all of these, on the host and on GPUs, and refuses what does not fit together.
// RUN: tcc-attn explain %S/../../models/open_sdpa_causal.mlir | FileCheck %s
// RUN: sh -c 'for d in 3,40,3,70,3,70 1,40,3,70,3,70 3,40,1,70,3,70 1,40,1,1,3,70 2,1,2,70,2,70 2,40,2,70,1,1; do tcc-attn run %S/../../models/open_sdpa_causal.mlir --random --check --dims=$d || exit 1; done'
// RUN: tcc-attn run %S/../../models/open_sdpa_causal.mlir --random --check --dims=1,40,1,1,3,70 --target=nvptx:sm_90 --device=ptx-emu
// RUN: not tcc-attn run %S/../../models/open_sdpa_causal.mlir --random --dims=3,40,2,70,2,70 2>&1 | FileCheck %s --check-prefix=UNFIT
// CHECK: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK-NEXT: 1 kernel, with nothing in memory between
// UNFIT: the shapes of the arguments of 'open_sdpa_causal' do not fit together
