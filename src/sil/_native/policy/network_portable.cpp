#include "policy/network.h"
#include "policy/network_workspace.h"

#define SIL_INSTRUCTION_SET portable
#include "policy/network_kernels.inl"
