#include "network.h"
#include "network_workspace.h"

#define SIL_INSTRUCTION_SET portable
#include "network_kernels.inl"
