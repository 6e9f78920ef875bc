// Arrays that are passed from and to Python.
#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "core/geometry.h"

namespace nb = nanobind;

namespace {

template <class T, int N>
using In = nb::ndarray<const T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;
// Written in place. A converted copy would be lost, so such arguments are bound with noconvert().
template <class T, int N> using Into = nb::ndarray<T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;
template <class T, int N> using Out = nb::ndarray<nb::numpy, T, nb::ndim<N>>;

template <class T, int N = 1>
Out<T, N> to_numpy(std::vector<T> &&values, std::initializer_list<std::size_t> shape) {
    auto *kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void *p) noexcept { delete static_cast<std::vector<T> *>(p); });
    return Out<T, N>(kept->data(), shape, owner);
}

template <class T> Out<T, 1> to_numpy(std::vector<T> &&values) {
    const std::size_t size = values.size();
    return to_numpy<T, 1>(std::move(values), {size});
}

template <class T> std::vector<T> to_vector(const In<T, 1> &array) {
    return {array.data(), array.data() + array.size()};
}

// A read-only view of a member of a bound object. It keeps the object alive.
template <class Owner, class T>
nb::ndarray<nb::numpy, const T, nb::ndim<1>> view_of(nb::handle self,
                                                     std::vector<T> Owner::*member) {
    const std::vector<T> &values = nb::cast<const Owner &>(self).*member;
    return {values.data(), {values.size()}, self};
}

// The last dimension holds x and y.
template <class Coords> const sil::Point *as_points(const Coords &coords) {
    if (coords.shape(coords.ndim() - 1) != 2)
        throw nb::value_error("coordinates must have two columns");
    static_assert(sizeof(sil::Point) == 2 * sizeof(double));
    return reinterpret_cast<const sil::Point *>(coords.data());
}

}  // namespace
