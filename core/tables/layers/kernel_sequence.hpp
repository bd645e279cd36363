// Converts the kernels of a stream to a sequence of symbols, which name_stacks.hpp searches for repeated
// layers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/tables/layers/layer_stack.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/work_categories.hpp"
#include "core/trace/steps.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Kernels of a stream in order of start, without memory copies, memsets and collectives. Without GPU work,
/// outermost operators of a thread instead.
struct KernelSequence {
  std::vector<SliceId> kernels;
  std::vector<std::uint32_t> step;      ///< by kernel: index of the step that launched it, plus one; 0: none
  std::vector<std::int64_t> before_ns;  ///< by kernel: summed durations of all kernels before; last: the sum
  std::int64_t total_ns = 0;
};

/// Returns the sequences of all streams with at least a tenth of the kernel time of all streams, by
/// descending time. With `operators`, returns the outermost operators of each CPU thread instead. O(slices).
std::vector<KernelSequence> kernel_sequences(const Trace& trace, const GpuWork& work, const Steps& steps,
                                             bool operators, const std::stop_token& stop = {});

/// Returns the name without template arguments, and with "*" for each run of digits.
std::string name_without_details(std::string_view name);

/// Returns one symbol per NameId; 0 for names that are not in the sequences. Names that are equal on this
/// rung have equal symbols. Symbols are numbered from 1 on in order of their first kernel, because NameIds
/// differ from load to load. O(kernels + names).
std::vector<std::uint32_t> symbols_of_names(const Trace& trace, std::span<const KernelSequence> sequences,
                                            NameRung rung, const WorkRules& rules);

/// Consecutive kernels with equal symbols, which count as one unit. If a loop of 2 to 4 symbols is repeated
/// at least three times, only the first repetition has units.
struct SymbolUnit {
  std::uint32_t symbol = 0;
  std::uint32_t first = 0;  ///< index of its first kernel in the sequence
};

/// First symbol of units that separate steps. Symbols of kernels are smaller.
inline constexpr std::uint32_t kFirstSeparator = 0x80000000U;
/// Returns the units of a sequence. Kernels of different steps are separated by a unit that contains no
/// kernels and has a unique symbol from kFirstSeparator on. O(kernels).
std::vector<SymbolUnit> symbol_units(const Trace& trace, const KernelSequence& sequence,
                                     const std::vector<std::uint32_t>& symbol_of_name);

}  // namespace kino
