// Table of PyTorch's key_averages(), computed from a trace.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/memory_pool.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/event_facts.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/operator_tree_part.hpp"
#include "core/trace/trace.hpp"

namespace kino {

class OperatorParts;

/// Group of events, see torch.autograd.profiler_util.FunctionEventAvg (torch 1.13.1; README.md, Key
/// averages).
struct KeyAverage {
  std::string key;
  std::string input_shapes;        ///< recorded shapes, if grouped by shape; "[]" if there are none
  std::vector<std::string> stack;  ///< if grouped by stack: innermost frames first, at most kStackFrames
  bool on_device = false;          ///< whether the row contains GPU work, which has separate rows
  std::uint64_t count = 0;
  std::int64_t cpu_ns = 0;
  std::int64_t self_cpu_ns = 0;
  std::int64_t device_ns = 0;
  double device_us = 0;  ///< device time summed with PyTorch's rounding, so that the mean has the same last
                         ///< digit
  std::int64_t self_device_ns = 0;
  std::int64_t cpu_bytes = 0;
  std::int64_t self_cpu_bytes = 0;
  std::int64_t device_bytes = 0;
  std::int64_t self_device_bytes = 0;
  SliceId longest = kNoSlice;  ///< longest event; the one with the smallest id if several are equal
};

struct KeyAverages {
  std::vector<KeyAverage> rows;  ///< in order of their first event
  bool has_device = false;
  bool has_memory = false;
};

/// Attributes that, with the name, define a group. `stack` corresponds to group_by_stack_n = kStackFrames,
/// except that operators of the backward pass keep the stack recorded for them.
enum class KeyAverageGrouping : std::uint8_t { name, shape, stack };
inline constexpr std::size_t kStackFrames = 5;

/// Kinds of nodes in the tree for key_averages().
inline constexpr OperatorTreeKinds kKeyAverageKinds{.annotations = true, .runtime = true};

/// Groups of events, valid for every range of the trace.
struct KeyGroups {
  struct Group {
    KeyAverage key;        ///< key attributes; all figures are 0
    bool skipped = false;  ///< whether PyTorch omits these events
  };
  std::vector<Group> groups;
  PooledColumn<std::uint32_t> of_node;  ///< index of each node's group
  std::vector<std::uint32_t> of_work;   ///< index of the group of GPU work, by NameId
};

/// Assigns the events to groups. `tree` must contain kKeyAverageKinds. 4 bytes per node. O(slices), in one
/// thread.
KeyGroups key_groups(const Trace& trace, const OperatorTree& tree, KeyAverageGrouping grouping,
                     const std::stop_token& stop = {});

/// Returns the key averages of a range. `work` and `part` cover `range`, and `groups` covers the whole tree.
/// O(nodes of the part + work).
KeyAverages key_averages(const Trace& trace, TimeRange range, const GpuWork& work,
                         const OperatorTreePart& part, const KeyGroups& groups,
                         const std::stop_token& stop = {});
/// Computes tree, groups and averages from the trace. O(slices).
KeyAverages key_averages(const Trace& trace, TimeRange range, KeyAverageGrouping grouping,
                         const std::stop_token& stop = {});

/// Returns the events counted in the row that contains `example`, in no particular order. O(nodes of the part
/// + work).
std::vector<SliceId> key_average_instances(const Trace& trace, const GpuWork& work,
                                           const OperatorTreePart& part, const KeyGroups& groups,
                                           SliceId example, const std::stop_token& stop = {});

enum class KeyAverageOrder : std::uint8_t {
  none,
  cpu_time_total,
  self_cpu_time_total,
  cuda_time_total,
  self_cuda_time_total,
  cpu_memory_usage,
  self_cpu_memory_usage,
  cuda_memory_usage,
  self_cuda_memory_usage,
  count,
};

/// Returns the output of PyTorch's `table(sort_by, row_limit, max_name_column_width=80)`, equal byte for
/// byte. `row_limit` < 0: all rows.
std::string key_averages_text(const KeyAverages& averages, KeyAverageGrouping grouping,
                              KeyAverageOrder sort_by, std::int64_t row_limit = 100);

/// Table `key-averages`. `averages` must be computed from `trace`. Cells are empty if the trace lacks the
/// data: device times if there is no GPU work, memory if there are no allocations.
Table key_average_table(const Trace& trace, const KeyAverages& averages, KeyAverageGrouping grouping);
extern const TableKind<OperatorParts> kKeyAverageTable;

}  // namespace kino
