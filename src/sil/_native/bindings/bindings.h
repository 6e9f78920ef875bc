// Each function adds a part of the native core to the module sil._native.
#pragma once

#include <nanobind/nanobind.h>

void bind_core(nanobind::module_ &m);
void bind_construct(nanobind::module_ &m);
void bind_search(nanobind::module_ &m);
void bind_segments(nanobind::module_ &m);
void bind_attention(nanobind::module_ &m);
void bind_policy(nanobind::module_ &m);
void bind_edge_network(nanobind::module_ &m);
