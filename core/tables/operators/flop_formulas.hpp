// How many floating-point operations one call of an operator is, from the shapes and arguments recorded.
#pragma once

#include <optional>
#include <string_view>

#include "core/trace/event_facts.hpp"

namespace kino {

/// A multiplication and an addition are two operations. Those of one call.
struct FlopCount {
  double hardware = 0;  ///< what the device computes
  double model = 0;  ///< what the model asks for: without what fused attention computes again in its backward
  bool at_most = false;  ///< an upper bound, as lengths are not recorded
};

/// Whether calls of this name can be counted when their shapes are told. O(length).
bool has_flop_formula(std::string_view op);

/// Nothing when the operator is not known, or its shapes or what else it takes were not recorded. `around`
/// are the facts of the operator that called it, for those that do not tell their own weight (null: none).
///   mm, _scaled_mm, _int_mm [m,k][k,n]: 2 m k n; addmm, _addmm_activation from their second input on;
///   (elements of type Float4_e2m1fn_x2 are two numbers of k);
///   mv [m,k][k]: 2 m k; bmm, baddbmm: times the batch; _grouped_mm, _scaled_grouped_mm: of all groups,
///   an upper bound where groups are parts of a matrix, as their offsets are data.
///   convolution: 2 * outputs * weights of one output channel; transposed: 2 * inputs * weights of one input
///   channel. Its backward: as much for each of input and weight gradient that output_mask asks for (both
///   where it is not recorded).
///   attention of b batches, h heads of queries, s queries, t keys, heads of d (values: e):
///   2 b h s t (d + e); backward 2 b h s t (3 d + 2 e), of which the scores, computed again, are d: not the
///   model's. Causal, if the argument is_causal says so: only the keys that a query may see; or of a
///   window. If several sequences are packed into one, cu_seqlens has their lengths, and the recording has
///   only how many there are: an upper bound, as if all were as long as the longest. So is a cache of keys
///   that is filled in part (seqused_k). Sequences that fill the packed one at the longest length are exact.
/// The definitions are those of PyTorch's torch/utils/flop_counter.py, which leaves out causality.
std::optional<FlopCount> flops_of(std::string_view op, const EventFacts& facts,
                                  const EventFacts* around = nullptr);

/// The type of what is multiplied, as PyTorch writes it; empty when it was not recorded.
std::string_view flop_type(std::string_view op, const EventFacts& facts);

}  // namespace kino
