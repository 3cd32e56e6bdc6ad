// Schedules in upstream's spelling.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["linalg.matmul", "linalg.generic"]} attributes {tag} in %module : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
  transform.sequence failures(propagate) {
  ^bb0(%module: !transform.any_op):
    %0 = transform.structured.match attributes {__root__} in %module : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
