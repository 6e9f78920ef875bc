// The Python module sil._native.
#include "bindings/bindings.h"
#include "core/interrupt.h"

NB_MODULE(_native, m) {
    // Python may exit while problems are still referenced, which is not a leak.
    nanobind::set_leak_warnings(false);
    m.doc() = "The native core of sil: instances, starts, search and the policy engine.";
    sil::stop_at_exit();
    bind_core(m);
    bind_construct(m);
    bind_search(m);
    bind_segments(m);
    bind_attention(m);
    bind_policy(m);
    bind_edge_network(m);
}
