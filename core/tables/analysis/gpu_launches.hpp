// GPUs of a trace, split by whether the trace contains the launches of their work.
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
  std::vector<std::uint32_t> known;    ///< GPUs with recorded launches for at least half of their work; if no
                                       ///< GPU has so many, GPUs with any recorded launch
  std::vector<std::uint32_t> unknown;  ///< all other GPUs
  bool some_of_unknown = false;        ///< whether the trace contains the launches of some work of `unknown`

  /// Whether a statement about launches applies to only some of the GPUs.
  bool differ() const { return !known.empty() && !unknown.empty(); }
};

/// Classifies the GPUs with work. O(slices of streams).
GpuLaunches gpu_launches(const Trace& trace, const std::stop_token& stop = {});

/// Returns "GPU 4, GPU 5". Contains at most four GPUs, and ends with ", ..." if there are more. Device models
/// are omitted if the names remain unique.
std::string listed_gpus(const Trace& trace, const std::vector<std::uint32_t>& gpus);

/// Returns a sentence such as "The launches of the work on GPU 5 are not in the trace."; empty if the GPUs do
/// not differ.
Message unknown_launches_text(const Trace& trace, const GpuLaunches& gpus);

}  // namespace kino
