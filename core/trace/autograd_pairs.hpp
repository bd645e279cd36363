// Matches operators of the forward and backward pass by their sequence numbers.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/trace/trace.hpp"

namespace kino {

/// Category of arrows from the forward to the backward pass.
inline constexpr std::string_view kAutogradFlow = "fwdbwd";

/// An operator that has a sequence number.
struct NumberedOperator {
  std::uint32_t sequence = 0;        ///< sequence number plus one
  std::uint16_t forward_thread = 0;  ///< Fwd thread id; 0 for operators of the forward pass
  SliceId slice = kNoSlice;
};

/// Returns pairs (forward, backward), matched as in Kineto (output_json.cpp and collection.cpp, fwdbwd).
/// Sequence numbers are unique per thread of the forward pass. The backward operator is the first one with
/// its sequence number and Fwd thread id. The forward operator is the last operator with the number on one
/// thread of the process that starts before the backward one. (Earlier operators with the number only call
/// the last one.) Fwd thread id is PyTorch's thread number, which the file does not map to a tid. If several
/// threads have the number, the thread with the most unambiguous pairs for that Fwd thread id is used. O(n
/// log n), unless many threads have the same numbers.
std::vector<std::pair<SliceId, SliceId>> autograd_pairs(const Trace& trace,
                                                        std::vector<NumberedOperator> operators);

}  // namespace kino
