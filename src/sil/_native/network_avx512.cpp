#include "network.h"
#include "network_workspace.h"

// On other processors this file is only the portable code under another name.
#define SIL_INSTRUCTION_SET avx512
#include "network_kernels.inl"
