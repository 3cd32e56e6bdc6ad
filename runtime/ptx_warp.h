/* ptx_warp.h - what a launch (ptx_emulate.c) needs of the warps (ptx_warp.c). */
#ifndef TEC_RUNTIME_PTX_WARP_H
#define TEC_RUNTIME_PTX_WARP_H
#include "runtime/ptx_machine.h"

/* Puts a warp at the start of the kernel; its memory is the worker's. */
void ptx_warp_start(ptx_warp *warp);
/* Runs until the warp has exited, waits, or has executed `slice` instructions; false after an error. */
bool ptx_warp_run(ptx_warp *warp, uint64_t slice);
/* Reports where the warps of a block wait for each other. */
bool ptx_warp_deadlock(ptx_worker *worker);
#endif
