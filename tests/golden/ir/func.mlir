// Modules, functions, calls, attributes of all kinds.
!row = tensor<8xf32>
#note = "text with \22quotes\22 and \\ and \0A"
module @unit attributes {a.flag, a.number = 3 : i32, a.list = [1, 2.0, "s", @f, [i32], {k}], a.note = #note} {
  func.func private @declared(f32, tensor<4xf32> {a.b = 1 : i64}) -> (f32, index)
  func.func @f(%x: f32 {a.in}, %r: !row) -> (f32 {a.out = true}) attributes {a.type = (i32) -> (), a.map = affine_map<(d0) -> (d0)>} {
    %0:2 = call @g(%x, %r) {a.tag} : (f32, tensor<8xf32>) -> (f32, tensor<8xf32>)
    return %0#0 : f32
  }
  func.func @g(%x: f32, %r: tensor<8xf32>) -> (f32, !row) {
    func.return {a.tag} %x, %r : f32, tensor<8xf32>
  }
  func.func @"odd name"() attributes {a.ints = array<i64: 1, -2>, a.none = array<i64>, a.dense = dense<1> : tensor<2xi32>, "odd key" = unit} {
    return
  }
  func.func @"other name"() {
    call @"odd name"() : () -> ()
    return
  }
}
