// Operators by name, or by name and input shapes: calls, time on the CPU and of the GPU work they launched.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/memory_pool.hpp"
#include "core/base/slice_set.hpp"
#include "core/tables/gpu/launch_times.hpp"
#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/event_facts.hpp"
#include "core/trace/links/operator_tree.hpp"
#include "core/trace/links/operator_tree_part.hpp"
#include "core/trace/trace.hpp"

namespace kino {

class OperatorParts;

enum class OperatorGrouping : std::uint8_t { name, shape, stack };

/// The TensorBoard plugin's operator table (README.md, Operators), with launches of the driver and of graphs
/// too.
struct OperatorRow {
  NameId name{};
  std::uint32_t facts = 0;  ///< of its first call; tells the shapes when grouped by them
  std::string stack;        ///< when grouped by it: innermost frame first, ';' between
  std::uint64_t calls = 0;
  std::int64_t host_ns = 0;       ///< summed durations; a nested call of one name counts in both
  std::int64_t host_self_ns = 0;  ///< without direct children and own runtime calls
  std::int64_t device_ns = 0;     ///< GPU work launched by it and by what it calls
  std::int64_t device_self_ns = 0;
  SliceId longest = kNoSlice;
  bool tensor_core_eligible = false;
};

/// Operators whose matrices Tensor Cores can multiply (the plugin's list: convolutions, matrix products,
/// recurrent cells, attention).
bool is_tensor_core_operator(std::string_view name);

/// Kernels that compute, of such operators: see owner_of(). 1/8 byte a slice. O(slices + kernels * depth).
/// Empty when stopped.
SliceSet tensor_core_work(const Trace& trace, const std::stop_token& stop = {});

/// The rows that a tree's nodes count in, for every range of the trace.
struct OperatorGroups {
  static constexpr std::uint32_t kNone = 0xffffffffU;

  struct Group {
    NameId name{};
    std::string stack;  ///< when grouped by it
    bool tensor_core_eligible = false;
  };
  std::vector<Group> groups;            ///< in order of their first node
  PooledColumn<std::uint32_t> of_node;  ///< index of its group; kNone for what is no operator
};

/// `tree` is of operators and annotations; only operators are in groups. 4 bytes a node. O(nodes), in one
/// thread. Empty when stopped.
OperatorGroups operator_groups(const Trace& trace, const OperatorTree& tree, OperatorGrouping grouping,
                               const std::stop_token& stop = {});

/// `groups` are of the whole tree. Most device time first, then most host time. O(nodes of the part).
std::vector<OperatorRow> operator_rows(const Trace& trace, const OperatorTreePart& part,
                                       const OperatorGroups& groups, const std::stop_token& stop = {});
/// The same of a tree of its own.
std::vector<OperatorRow> operator_rows(const Trace& trace, const OperatorTree& tree,
                                       OperatorGrouping grouping, const std::stop_token& stop = {});

/// The calls that the row of `example` counts, in order of the tree's nodes. O(nodes of the part).
std::vector<SliceId> operator_instances(const OperatorTreePart& part, const OperatorGroups& groups,
                                        SliceId example, const std::stop_token& stop = {});

/// Call stacks of operators: the argument Call stack, or else the Python frames around it.
class OperatorStacks {
 public:
  /// Of at most so many frames, the innermost. `trace` must outlive it. O(distinct facts).
  OperatorStacks(const Trace& trace, std::size_t most_frames);
  /// A number for each distinct stack, 0 for none. Amortised O(1).
  std::uint32_t of(SliceId slice);
  /// Innermost frame first, ';' between.
  const std::string& text(std::uint32_t stack) const { return texts_[stack]; }

 private:
  std::uint32_t number_of(std::string text);
  std::string python_text(SliceId frame) const;

  const Trace& trace_;
  std::size_t most_frames_;
  std::vector<EventFacts> facts_;
  std::vector<std::uint32_t> by_facts_;                        // one more than the stack
  std::unordered_map<std::uint32_t, std::uint32_t> by_frame_;  // SliceId of the innermost Python frame
  std::unordered_map<std::string, std::uint32_t> by_text_;
  std::vector<std::string> texts_{""};
};

/// `operators`. `coverage` is of the time that the rows are of. Without GPU work in the trace, cells on the
/// device are empty.
Table operator_table(const Trace& trace, const std::vector<OperatorRow>& rows, OperatorGrouping grouping,
                     const LaunchCoverage& coverage);

extern const TableKind<OperatorParts> kOperatorTable;

}  // namespace kino
