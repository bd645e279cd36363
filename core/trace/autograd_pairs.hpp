// Matches operators of the forward and backward pass by their sequence numbers.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/trace/trace.hpp"

namespace kino {

/// The category of arrows from the forward to the backward pass.
inline constexpr std::string_view kAutogradFlow = "fwdbwd";

/// An operator that has a sequence number.
struct NumberedOperator {
  std::uint32_t sequence = 0;        ///< sequence number plus one
  std::uint16_t forward_thread = 0;  ///< Fwd thread id; 0 for operators of the forward pass
  SliceId slice = kNoSlice;
};

/// Returns pairs (forward, backward) as Kineto joins them (output_json and collection.cpp, fwdbwd). Among the
/// operators with one number on one thread, the forward one is the last to start (outer ones only call it),
/// and the backward one is the first to start. Numbers are unique per thread. Fwd thread id is PyTorch's
/// thread number, which the file does not map to a tid. If several threads have the number, the thread with
/// the most unambiguous pairs for that Fwd thread id is used. O(n log n).
std::vector<std::pair<SliceId, SliceId>> autograd_pairs(const Trace& trace,
                                                        std::vector<NumberedOperator> operators);

}  // namespace kino
