// GPUs of a trace, by whether it contains the launches of their work.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// GPUs with work, as ascending indices into Trace::processes.
struct GpuLaunches {
  std::vector<std::uint32_t> known;    ///< half of their work has its launch in the trace; some of it, if no
                                       ///< GPU reaches half
  std::vector<std::uint32_t> unknown;  ///< all other GPUs
  bool some_of_unknown = false;        ///< some work of `unknown` has its launch in the trace

  /// Whether a statement about launches applies to some GPUs only.
  bool differ() const { return !known.empty() && !unknown.empty(); }
};

/// O(slices of streams).
GpuLaunches gpu_launches(const Trace& trace, const std::stop_token& stop = {});

/// Returns "GPU 4, GPU 5", cut with ", ..." after the first few. Device models are left out if the names
/// remain unique.
std::string listed_gpus(const Trace& trace, const std::vector<std::uint32_t>& gpus);

/// Returns "The launches of the work on GPU 5 are not in the trace."; empty if the GPUs do not differ.
Message unknown_launches_text(const Trace& trace, const GpuLaunches& gpus);

}  // namespace kino
