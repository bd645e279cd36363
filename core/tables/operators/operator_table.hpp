// Operators by name, shapes or stack: calls, CPU time, and time of the GPU work they launched.
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

/// Row of the TensorBoard plugin's operator table (README.md, Operators), including launches of the driver
/// and of graphs.
struct OperatorRow {
  NameId name{};
  std::uint32_t facts = 0;  ///< facts index of the first call; the facts contain the shapes if rows are
                            ///< grouped by shape
  std::string stack;        ///< call stack if grouped by stack: innermost frame first, separated by ';'
  std::uint64_t calls = 0;
  std::int64_t host_ns = 0;       ///< sum of durations; calls within calls of the same name count again,
                                  ///< unless they are merged, see OperatorNode::merged
  std::int64_t host_self_ns = 0;  ///< `host_ns` minus direct children and own runtime calls
  std::int64_t device_ns = 0;     ///< time of GPU work launched by the operator and by operators it calls
  std::int64_t device_self_ns = 0;
  SliceId longest = kNoSlice;
  bool tensor_core_eligible = false;
};

/// Whether Tensor Cores can multiply the operator's matrices (the plugin's list: convolutions, matrix
/// products, recurrent cells, attention).
bool is_tensor_core_operator(std::string_view name);

/// Returns the compute kernels whose owner_of() is an operator for which is_tensor_core_operator() is true.
/// 1/8 byte per slice. O(slices + kernels * depth).
SliceSet tensor_core_work(const Trace& trace, const std::stop_token& stop = {});

/// Assignment of a tree's nodes to rows, valid for every range of the trace.
struct OperatorGroups {
  static constexpr std::uint32_t kNone = 0xffffffffU;

  struct Group {
    NameId name{};
    std::string stack;  ///< if grouped by stack
    bool tensor_core_eligible = false;
  };
  std::vector<Group> groups;            ///< in order of their first node
  PooledColumn<std::uint32_t> of_node;  ///< index of each node's group; kNone if the node is not an operator
};

/// Assigns the operators of a tree to groups. `tree` contains operators and annotations. Annotations have no
/// group. The same applies to the profiler's own annotations that older versions recorded as operators. 4
/// bytes per node. O(nodes), in one thread.
OperatorGroups operator_groups(const Trace& trace, const OperatorTree& tree, OperatorGrouping grouping,
                               const std::stop_token& stop = {});

/// Returns one row per group, sorted by device self time, then by host self time, both descending. `groups`
/// covers the whole tree. O(nodes of the part).
std::vector<OperatorRow> operator_rows(const Trace& trace, const OperatorTreePart& part,
                                       const OperatorGroups& groups, const std::stop_token& stop = {});
/// Returns the rows of a whole tree. Computes its groups.
std::vector<OperatorRow> operator_rows(const Trace& trace, const OperatorTree& tree,
                                       OperatorGrouping grouping, const std::stop_token& stop = {});

/// Returns the calls counted in the row that contains `example`, in order of the tree's nodes. O(nodes of the
/// part).
std::vector<SliceId> operator_instances(const OperatorTreePart& part, const OperatorGroups& groups,
                                        SliceId example, const std::stop_token& stop = {});

/// Call stacks of operators: the argument Call stack, or else the surrounding Python frames.
class OperatorStacks {
 public:
  /// Limits stacks to the innermost `most_frames` frames. `trace` must outlive the object. O(distinct facts).
  OperatorStacks(const Trace& trace, std::size_t most_frames);
  /// Returns the index of the slice's stack; equal stacks have equal indices, and 0 means no stack. O(depth).
  std::uint32_t of(SliceId slice);
  /// Returns the frames, innermost first, separated by ';'.
  const std::string& text(std::uint32_t stack) const { return texts_[stack]; }

 private:
  std::uint32_t number_of(std::string text);
  std::string python_text(SliceId frame) const;

  const Trace& trace_;
  std::size_t most_frames_;
  std::vector<EventFacts> facts_;
  std::vector<std::uint32_t> by_facts_;                        // stack index + 1
  std::unordered_map<std::uint32_t, std::uint32_t> by_frame_;  // stack index by SliceId of the innermost
                                                               // Python frame
  std::unordered_map<std::string, std::uint32_t> by_text_;
  std::vector<std::string> texts_{""};
};

/// Table `operators`. `coverage` is the launch coverage of the GPU work in the range of the rows. If the
/// trace has no GPU work, device cells are empty.
Table operator_table(const Trace& trace, const std::vector<OperatorRow>& rows, OperatorGrouping grouping,
                     const LaunchCoverage& coverage);

extern const TableKind<OperatorParts> kOperatorTable;

}  // namespace kino
