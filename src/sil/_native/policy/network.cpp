#include "policy/network.h"

#include <stdexcept>

#include "policy/network_workspace.h"

namespace sil {

std::size_t workspace_size(const Network &net, int states, int count) {
    return WorkspaceLayout(net, states, count).total();
}

std::vector<float> packed(const std::vector<float> &matrix, int inputs) {
    const int outputs = static_cast<int>(matrix.size()) / inputs;
    std::vector<float> result;
    result.reserve(matrix.size());
    for (int panel = 0; panel < outputs; panel += 16)
        for (int k = 0; k < inputs; ++k)
            for (int j = 0; j < 16; ++j) result.push_back(matrix[(panel + j) * inputs + k]);
    return result;
}

namespace {

bool has_avx2() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

bool has_avx512() {
#if defined(__x86_64__)
    return has_avx2() && __builtin_cpu_supports("avx512f");
#else
    return false;
#endif
}

}  // namespace

std::vector<std::string> instruction_sets() {
    std::vector<std::string> names;
    if (has_avx512()) names.push_back("avx512");
    if (has_avx2()) names.push_back("avx2");
    names.push_back("portable");
    return names;
}

Forward forward_for(const std::string &instruction_set) {
    if (instruction_set == "avx512" && has_avx512()) return avx512::forward;
    if (instruction_set == "avx2" && has_avx2()) return avx2::forward;
    if (instruction_set == "portable") return portable::forward;
    throw std::invalid_argument("this processor cannot run " + instruction_set);
}

Dense best_dense() {
    return has_avx512() ? avx512::dense : has_avx2() ? avx2::dense : portable::dense;
}

const AttentionKernels &best_attention_kernels() {
    return has_avx512() ? avx512::attention_kernels
           : has_avx2() ? avx2::attention_kernels
                        : portable::attention_kernels;
}

}  // namespace sil
