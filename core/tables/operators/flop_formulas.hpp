// FLOPs of one call of an operator, from its recorded shapes and arguments.
#pragma once

#include <optional>
#include <string_view>

#include "core/trace/event_facts.hpp"

namespace kino {

/// Operations of one call. A multiplication and an addition are two operations.
struct FlopCount {
  double hardware = 0;   ///< operations computed by the device
  double model = 0;      ///< operations of the model: excludes recomputation in the backward pass of fused
                         ///< attention
  bool at_most = false;  ///< whether the counts are upper bounds, because lengths or offsets are not recorded
};

/// Whether flops_of() can count calls of this name if their shapes and arguments are recorded. O(length).
bool has_flop_formula(std::string_view op);

/// Returns the operations of one call. nullopt if the operator is unknown, or its shapes or other required
/// arguments were not recorded. `around` contains the facts of the calling operator, for calls whose inputs
/// do not include the weight; null if there is none. The definitions are those of PyTorch's
/// torch/utils/flop_counter.py, which ignores causality:
/// - mm, _scaled_mm and _int_mm of [m, k] and [k, n]: 2 m k n. addmm and _addmm_activation multiply their
/// second and third input. An element of type Float4_e2m1fn_x2 contains two numbers of k.
/// - mv of [m, k] and [k]: 2 m k. bmm and baddbmm: 2 m k n times the batch size.
/// - _grouped_mm and _scaled_grouped_mm: the sum of all groups. This is an upper bound if groups are parts of
/// a matrix, because their offsets are data.
/// - convolution: 2 * outputs * weights of one output channel. Transposed: 2 * inputs * weights of one input
/// channel.
/// - backward pass of a convolution: as much for each gradient (input, weight) in output_mask. If the mask is
/// not recorded, both gradients count.
/// - attention of b batches, h query heads, s queries, t keys and head size d (values: e): 2 b h s t (d + e).
/// - backward pass of attention: 2 b h s t (3 d + 2 e), where one of the three d is for recomputed scores,
/// which do not count as operations of the model.
///
/// With is_causal or a window, only the visible keys count. For packed sequences, cu_seqlens contains the
/// lengths, but only their number is recorded. The count is then an upper bound, as if all sequences had the
/// maximum length. It is exact if the total length is the number of sequences times the maximum length. A
/// partly filled cache of keys (seqused_k) also makes the count an upper bound.
std::optional<FlopCount> flops_of(std::string_view op, const EventFacts& facts,
                                  const EventFacts* around = nullptr);

/// Returns the type of the multiplied numbers, as named by PyTorch; empty if it was not recorded.
std::string_view flop_type(std::string_view op, const EventFacts& facts);

}  // namespace kino
