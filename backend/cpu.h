/* cpu.h - LLVM's registry of targets, and what Linux is asked before CPUs' matrix units are used. */
#ifndef TEC_BACKEND_CPU_H
#define TEC_BACKEND_CPU_H

/* Registers the CPU targets with LLVM, once for the process however many threads call. */
void backend_initialize_llvm(void);

/* Arguments of Linux's arch_prctl on x86-64, which ask that the process may use a part of the registers: the tiles. */
enum { HOST_REQUEST_STATE = 0x1023, HOST_TILE_STATE = 18 };
#endif
