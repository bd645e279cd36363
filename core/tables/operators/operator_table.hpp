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
  std::uint32_t facts = 0;  ///< of its first call; contains the shapes if grouped by them
  std::string stack;        ///< if grouped by stack: innermost frame first, separated by ';'
  std::uint64_t calls = 0;
  std::int64_t host_ns = 0;       ///< sum of durations; calls within calls of the same name count twice
  std::int64_t host_self_ns = 0;  ///< without direct children and own runtime calls
  std::int64_t device_ns = 0;     ///< GPU work launched by it and by operators it calls
  std::int64_t device_self_ns = 0;
  SliceId longest = kNoSlice;
  bool tensor_core_eligible = false;
};

/// Whether Tensor Cores can multiply the operator's matrices (the plugin's list: convolutions, matrix
/// products, recurrent cells, attention).
bool is_tensor_core_operator(std::string_view name);

/// Compute kernels of such operators: see owner_of(). 1/8 byte per slice. O(slices + kernels * depth).
SliceSet tensor_core_work(const Trace& trace, const std::stop_token& stop = {});

/// Rows of a tree's nodes, valid for every range of the trace.
struct OperatorGroups {
  static constexpr std::uint32_t kNone = 0xffffffffU;

  struct Group {
    NameId name{};
    std::string stack;  ///< if grouped by stack
    bool tensor_core_eligible = false;
  };
  std::vector<Group> groups;            ///< in order of their first node
  PooledColumn<std::uint32_t> of_node;  ///< index of its group; kNone if it is not an operator
};

/// `tree` contains operators and annotations; only operators are in groups. 4 bytes per node. O(nodes), in
/// one thread.
OperatorGroups operator_groups(const Trace& trace, const OperatorTree& tree, OperatorGrouping grouping,
                               const std::stop_token& stop = {});

/// `groups` are for the whole tree. Most device time first, then most host time. O(nodes of the part).
std::vector<OperatorRow> operator_rows(const Trace& trace, const OperatorTreePart& part,
                                       const OperatorGroups& groups, const std::stop_token& stop = {});
/// Computes the groups for the tree alone.
std::vector<OperatorRow> operator_rows(const Trace& trace, const OperatorTree& tree,
                                       OperatorGrouping grouping, const std::stop_token& stop = {});

/// Calls counted by the row of `example`, in order of the tree's nodes. O(nodes of the part).
std::vector<SliceId> operator_instances(const OperatorTreePart& part, const OperatorGroups& groups,
                                        SliceId example, const std::stop_token& stop = {});

/// Call stacks of operators: the argument Call stack, or else the surrounding Python frames.
class OperatorStacks {
 public:
  /// Limits stacks to the innermost `most_frames`. `trace` must outlive this. O(distinct facts).
  OperatorStacks(const Trace& trace, std::size_t most_frames);
  /// Returns an index per distinct stack, 0 for none. Amortized O(1).
  std::uint32_t of(SliceId slice);
  /// Innermost frame first, separated by ';'.
  const std::string& text(std::uint32_t stack) const { return texts_[stack]; }

 private:
  std::uint32_t number_of(std::string text);
  std::string python_text(SliceId frame) const;

  const Trace& trace_;
  std::size_t most_frames_;
  std::vector<EventFacts> facts_;
  std::vector<std::uint32_t> by_facts_;                        // stack index + 1
  std::unordered_map<std::uint32_t, std::uint32_t> by_frame_;  // SliceId of the innermost Python frame
  std::unordered_map<std::string, std::uint32_t> by_text_;
  std::vector<std::string> texts_{""};
};

/// Table `operators`. `coverage` is for the time of the rows. Without GPU work in the trace, device cells are
/// empty.
Table operator_table(const Trace& trace, const std::vector<OperatorRow>& rows, OperatorGrouping grouping,
                     const LaunchCoverage& coverage);

extern const TableKind<OperatorParts> kOperatorTable;

}  // namespace kino
