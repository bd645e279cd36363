// Parts of the time of an iteration: kinds of GPU work, and reasons for idle time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kino {

/// At each moment, the first kind of running work applies: compute, then communication, then copies.
enum class IterationPart : std::uint8_t {
  sampling,
  experts,  ///< kernels of a mixture of experts, such as routing and grouped matrix products
  attention,
  matrix,
  other,  ///< all other kernels
  all_to_all,
  all_reduce,     ///< also all-gather and reduce-scatter
  communication,  ///< all other collectives and messages
  copy,
  idle_graph_launch,  ///< the launch call of the next work has begun; it launches a graph
  idle_launch,        ///< the launch call of the next work has begun
  idle_sync,          ///< before that call, while its thread waits for the GPU
  idle_host,          ///< before that call, inside a mark of an iteration
  idle_scheduler,     ///< before that call, between two marks
  idle_unknown,       ///< the launch of the next work was not recorded, or no work follows
};

inline constexpr std::size_t kIterationPartCount = static_cast<std::size_t>(IterationPart::idle_unknown) + 1;
/// Names in tables, in the order of IterationPart.
inline constexpr std::array<std::string_view, kIterationPartCount> kIterationPartNames = {
    "sampling",    "moe",        "attention", "gemm",           "other",
    "all-to-all",  "all-reduce", "comm",      "copy",           "idle:graph-launch",
    "idle:launch", "idle:sync",  "idle:host", "idle:scheduler", "idle:unknown"};

constexpr bool is_compute(IterationPart part) { return part <= IterationPart::other; }
constexpr bool is_idle(IterationPart part) { return part >= IterationPart::idle_graph_launch; }
constexpr std::string_view text_of(IterationPart part) {
  return kIterationPartNames[static_cast<std::size_t>(part)];
}

/// Time of each part in ns.
struct IterationTimes {
  std::array<std::int64_t, kIterationPartCount> ns{};

  std::int64_t& operator[](IterationPart part) { return ns[static_cast<std::size_t>(part)]; }
  std::int64_t operator[](IterationPart part) const { return ns[static_cast<std::size_t>(part)]; }
  /// Returns the largest part; the first one of several.
  IterationPart largest() const;
  std::int64_t total() const;
  IterationTimes& operator+=(const IterationTimes& other);
};

}  // namespace kino
