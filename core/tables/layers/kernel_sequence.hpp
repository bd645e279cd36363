// Kernels of one stream as a sequence of symbols, in which repeated layers are searched.
#pragma once

#include <cstdint>
#include <optional>
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

/// Kernels of a stream in order of start, without copies, memsets and collectives.
struct KernelSequence {
  std::vector<SliceId> kernels;
  std::vector<std::uint32_t>
      step;  ///< by kernel: one more than the index of the step that launched it; 0: none
  std::int64_t total_ns = 0;
};

/// The sequences of all streams with at least a tenth of the kernel time, the most time first. Without GPU
/// work: the outermost operators of each thread. O(slices).
std::vector<KernelSequence> kernel_sequences(const Trace& trace, const GpuWork& work, const Steps& steps,
                                             bool operators, const std::stop_token& stop = {});

/// Removes template arguments, and replaces digits by "*".
std::string name_without_details(std::string_view name);

/// The symbol of each name on one rung, by NameId. Equal symbols are equal names. O(names).
std::vector<std::uint32_t> symbols_of_names(const Trace& trace, NameRung rung, const WorkRules& rules);

/// Consecutive kernels that count as one: equal neighbours, and loops of 2 to 4 symbols.
struct SymbolUnit {
  std::uint32_t symbol = 0;
  std::uint32_t first = 0;  ///< index of its first kernel
};

/// The sequence as units. A separator, which is equal to nothing, is at the begin of each step; it has no
/// kernels. Symbols from kFirstSeparator on are separators. O(kernels).
inline constexpr std::uint32_t kFirstSeparator = 0x80000000U;
std::vector<SymbolUnit> symbol_units(const Trace& trace, const KernelSequence& sequence,
                                     const std::vector<std::uint32_t>& symbol_of_name);

}  // namespace kino
