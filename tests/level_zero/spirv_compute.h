/* spirv_compute.h - declares the hooks that spirv_op.def and spirv_extended.def name. */
#ifndef TEC_TESTS_SPIRV_COMPUTE_H
#define TEC_TESTS_SPIRV_COMPUTE_H
#include "spirv_machine.h"

/* A hook of the class COMPUTE; several rows may share it. */
#define EXTENDED(NUMBER, NAME, OPERANDS, FUNCTION) spirv_compute FUNCTION;
#include "spirv_extended.def"
#define DECLARE_DECLARE(HOOK)
#define DECLARE_SKIP(HOOK)
#define DECLARE_EXTENDED(HOOK)
#define DECLARE_CALL(HOOK)
#define DECLARE_BARRIER(HOOK)
#define DECLARE_CONTROL(HOOK)
#define DECLARE_COMPUTE(HOOK) spirv_compute HOOK;
#define DECLARE_EXECUTE(HOOK) spirv_execute HOOK;
#define DECLARE_COLLECTIVE(HOOK) spirv_execute HOOK;
#define OP(OPCODE, NAME, PATTERN, CLASS, HOOK) DECLARE_##CLASS(HOOK)
#include "spirv_op.def"
#endif
