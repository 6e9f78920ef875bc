#include "core/candidates.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/delaunay.h"

namespace sil {
namespace {

constexpr std::size_t most_around = 12;

struct Candidate {
    double distance;
    std::int32_t node;
    bool is_around;

    bool operator<(const Candidate &other) const {
        return distance != other.distance ? distance < other.distance : node < other.node;
    }
};

}  // namespace

std::optional<Candidates> candidates(const Instance &instance, const Neighbours &near, int threads,
                                     Interrupt &interrupt) {
    const std::size_t size = instance.size(), width = near.width();
    Candidates result{near, std::vector<std::uint32_t>(size)};
    if (!instance.has_places()) return result;
    const Triangulation found = triangulate(instance.layout(), size, threads, interrupt);
    if (interrupt.is_set()) return std::nullopt;
    std::vector<std::int32_t> lists(size * width);
    instance.geometry().visit([&](const auto &distance) {
        parallel_for_each(size, threads, interrupt, [&](std::size_t i) {
            const int node = static_cast<int>(i);
            const std::int32_t *around = found.others.data() + found.first[i];
            const std::size_t given =
                std::min({found.first[i + 1] - found.first[i], most_around, width});
            std::array<Candidate, 32> list;
            std::size_t taken = 0;
            for (; taken < given; ++taken)
                list[taken] = {distance(node, around[taken]), around[taken], true};
            // The second time round takes any node: lists from Python may repeat nodes.
            for (std::size_t k = 0; taken < width; ++k) {
                const std::int32_t other = near.of(node)[k % width];
                if (k >= width || std::find(around, around + given, other) == around + given)
                    list[taken++] = {distance(node, other), other, false};
            }
            std::sort(list.begin(), list.begin() + width);
            for (std::size_t k = 0; k < width; ++k) {
                lists[i * width + k] = list[k].node;
                result.around[i] |= static_cast<std::uint32_t>(list[k].is_around) << k;
            }
        });
    });
    if (interrupt.is_set()) return std::nullopt;
    result.lists = Neighbours(std::move(lists), size, width);
    return result;
}

}  // namespace sil
