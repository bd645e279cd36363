// The GPUs of a trace by whether the launches of their work are in it.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// GPUs with work, as indices into Trace::processes, in order.
struct GpuLaunches {
  std::vector<std::uint32_t> known;    ///< half of their work, or some if no GPU has half, has its launch
  std::vector<std::uint32_t> unknown;  ///< the others
  bool some_of_unknown = false;        ///< some work of `unknown` has its launch in the trace

  /// Whether a claim on launches holds for some GPUs and not for others.
  bool differ() const { return !known.empty() && !unknown.empty(); }
};

/// O(slices of streams). Empty when stopped.
GpuLaunches gpu_launches(const Trace& trace, const std::stop_token& stop = {});

/// "GPU 4, GPU 5"; of many GPUs the first few, then ", ...". The device's model is left out if the names
/// remain unique.
std::string listed_gpus(const Trace& trace, const std::vector<std::uint32_t>& gpus);

/// "The launches of the work on GPU 5 are not in the trace."; empty if GPUs do not differ.
Message unknown_launches_text(const Trace& trace, const GpuLaunches& gpus);

}  // namespace kino
