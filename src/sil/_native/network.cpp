#include "network.h"

#include "network_workspace.h"

namespace sil {

std::size_t workspace_size(const Network &net, int states, int count) {
    return WorkspaceLayout(net, states, count).total();
}

Forward best_forward() {
#if defined(__x86_64__)
    if (!(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))) return portable::forward;
#endif
    return avx2::forward;
}

}  // namespace sil
