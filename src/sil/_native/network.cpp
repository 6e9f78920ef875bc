#include "network.h"

#include "network_workspace.h"

namespace sil {

std::size_t workspace_size(const Network &net, int states, int count) {
    return WorkspaceLayout(net, states, count).total();
}

namespace {

bool has_avx2() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return true;  // there the build of that name is the portable code
#endif
}

}  // namespace

Forward best_forward() { return has_avx2() ? avx2::forward : portable::forward; }

const AttentionKernels &best_attention_kernels() {
    return has_avx2() ? avx2::attention_kernels : portable::attention_kernels;
}

}  // namespace sil
