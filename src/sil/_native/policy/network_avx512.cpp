#include "policy/network.h"
#include "policy/network_workspace.h"

// On other architectures, this is the portable code under another name.
#define SIL_INSTRUCTION_SET avx512
#include "policy/network_kernels.inl"
