// Which operator of the forward pass each one of the backward pass belongs to, by their Sequence numbers.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/trace/trace.hpp"

namespace kino {

/// The category of arrows from the forward to the backward pass.
inline constexpr std::string_view kAutogradFlow = "fwdbwd";

/// An operator that has a Sequence number.
struct NumberedOperator {
  std::uint32_t sequence = 0;        ///< one more than as written
  std::uint16_t forward_thread = 0;  ///< Fwd thread id; 0: of the forward pass
  SliceId slice = kNoSlice;
};

/// (forward, backward), as Kineto joins them (output_json and collection.cpp, fwdbwd): of the operators of
/// one number and thread the forward one is that which starts last, for the outer ones only call it; the
/// backward one is the first. Numbers are a thread's own, and Fwd thread id is PyTorch's number of a thread,
/// which the file does not tie to its tid: where several threads have the number, it is the thread that most
/// operators of that Fwd thread id can only belong to. O(n log n).
std::vector<std::pair<SliceId, SliceId>> autograd_pairs(const Trace& trace,
                                                        std::vector<NumberedOperator> operators);

}  // namespace kino
