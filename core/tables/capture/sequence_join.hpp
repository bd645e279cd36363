// Assigns the work of a graph's replay to the launches that were captured into the graph.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

namespace kino {

enum class NodeKind : std::uint8_t { kernel, copy, memset, other };

/// How the work of a replay was assigned to a capture, best first. Definitions: README.md, Levels.
enum class JoinLevel : std::uint8_t { exact, aligned, occurrence, order, none };
inline constexpr std::size_t kJoinLevelCount = 5;
/// Returns "exact", "aligned", "occurrence", "order" or "none".
std::string_view text_of(JoinLevel level);

/// A captured launch or a piece of replayed work, reduced to the features that are compared. Both sequences
/// number their names in the same way.
struct SequenceItem {
  static constexpr std::uint32_t kUnnamed = 0xffffffffU;

  NodeKind kind = NodeKind::kernel;
  std::uint32_t name = kUnnamed;                 ///< of a kernel; ignored for other kinds
  std::array<std::int64_t, 3> grid{-1, -1, -1};  ///< negative: not recorded
  /// Captured launches: equal for equal operator, input shapes and number of the launch within its operator.
  std::uint32_t call = 0;

  bool operator==(const SequenceItem&) const = default;
};

struct SequenceJoin {
  static constexpr std::uint32_t kNone = 0xffffffffU;

  JoinLevel level = JoinLevel::none;
  /// By piece of work: index of its captured launch, or kNone. Empty if the level is `none`.
  std::vector<std::uint32_t> nodes;
  std::size_t joined = 0;  ///< number of entries of `nodes` other than kNone
  std::size_t steps = 0;   ///< cost of the comparison, in steps of the alignment
};

/// Whether kernels were captured, and the names of all of them are known.
bool has_names(std::span<const SequenceItem> captured);

/// Returns the first level that holds, with its assignment. O(n log n); for the level `aligned` also
/// O((n + m) d) for d differences, of which at most 2,000 are accepted (Myers 1986, "An O(ND) Difference
/// Algorithm and Its Variations").
SequenceJoin join_sequences(std::span<const SequenceItem> captured, std::span<const SequenceItem> work,
                            const std::stop_token& stop = {});

}  // namespace kino
