/* cpu.h - LLVM's registry of targets. */
#ifndef TEC_BACKEND_CPU_H
#define TEC_BACKEND_CPU_H

/* Registers the CPU targets with LLVM, once for the process however many threads call. */
void backend_initialize_llvm(void);
#endif
