// Adds the policy to the module sil._native.
#pragma once

#include <nanobind/nanobind.h>

void bind_policy(nanobind::module_ &m);
