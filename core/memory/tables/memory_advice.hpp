// Advice to reduce the peak of a recording: single changes, each with the peak that would remain.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/memory/allocator/allocator_proof.hpp"
#include "core/memory/tables/oom_analysis.hpp"
#include "core/memory/tables/snapshot_tables.hpp"

namespace kino {

enum class AdviceKind : std::uint8_t {
  setting,   ///< an allocator setting
  place,     ///< a line of code allocates no memory
  category,  ///< a category is moved elsewhere, such as to the host
  lifetime,  ///< allocations end earlier, or are absent for a time; see shorter_lifetimes()
};

struct MemoryAdvice {
  AdviceKind kind{};
  Message what;      ///< name of the setting, category or shorter lifetime; for places, the frame as text
  std::string line;  ///< shell assignment of a setting
  OomPlace place;    ///< removed memory at the peak; frame is kNoFrame unless the change is a place
  /// Resulting peak of requested bytes, and the first event after which it is reached.
  CurvePeak live;
  std::optional<std::uint64_t> reserved;  ///< resulting reserved peak; only if the model is exact
};

struct MemoryAdviceList {
  CurvePeak live;  ///< recorded peak of live memory
  std::shared_ptr<const ProvedAllocator> proved;
  std::optional<std::uint64_t> reserved;  ///< peak of reserved memory of the model with the recorded settings
  /// Effective changes, sorted by `reserved`, or by `live` if it is not set; lowest first.
  std::vector<MemoryAdvice> advices;
  std::vector<Message> assumed;  ///< assumptions of shorter lifetimes, one sentence each
};

/// Evaluates changes, each alone: the places with the most memory at the peak, the categories
/// (scope.categories may be null), shorter lifetimes, and the usual settings. Except for settings, changes
/// below 0.5 % of the peak are left out. Apart from the change, the program is assumed to make the same
/// requests. Every entry is replayed without the removed memory, in bytes and in the allocator's model.
/// Ignores the moments and the query of `scope`. O(entries), and one run of the model per change, on all
/// processors.
MemoryAdviceList advise_memory(const SnapshotScope& scope, const std::stop_token& stop = {});

/// Returns a table with one row per change, the best first.
Table advice_table(const SnapshotScope& scope, const std::stop_token& stop = {});
extern const TableKind<SnapshotScope> kAdviceTable;

}  // namespace kino
