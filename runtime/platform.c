/* platform.c - what libtec-rt is made of: the devices that need no compiler, and our own loader. tec.c has libtec's. */
#include "runtime/runtime.h"

#define RUNTIME_DEVICE(ID) &ID##_device,
#define COMPILER_DEVICE(ID)
#define DEVICE(ID, NEEDS) NEEDS##_DEVICE(ID)
static const runtime_device *const devices[] = {
#include "runtime/device.def"
    NULL};

const runtime_platform_row runtime_platform = {.devices = devices, .loader = &elf_loader};
