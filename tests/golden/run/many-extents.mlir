// A call with more open extents than one would think of: 33 tensors of rank 8.
// RUN: tcc-attn run %s --func=caller --random --dims=2 --check
!t = tensor<?x?x?x?x?x?x?x?xf32>
func.func private @last(%a0: !t, %a1: !t, %a2: !t, %a3: !t, %a4: !t, %a5: !t, %a6: !t, %a7: !t, %a8: !t, %a9: !t,
    %a10: !t, %a11: !t, %a12: !t, %a13: !t, %a14: !t, %a15: !t, %a16: !t, %a17: !t, %a18: !t, %a19: !t, %a20: !t,
    %a21: !t, %a22: !t, %a23: !t, %a24: !t, %a25: !t, %a26: !t, %a27: !t, %a28: !t, %a29: !t, %a30: !t, %a31: !t,
    %a32: !t) -> !t {
  return %a32 : !t
}
func.func @caller(%x: !t) -> !t {
  %r = call @last(%x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x,
      %x, %x, %x, %x, %x, %x, %x, %x) : (!t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t,
      !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t) -> !t
  %e = linalg.exp ins(%r : !t) outs(%r : !t) -> !t
  return %e : !t
}
