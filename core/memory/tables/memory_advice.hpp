// Advice to reduce the peak of a recording: single changes, each with the remaining peak.
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
  place,     ///< a line of code allocates nothing
  category,  ///< a category is moved elsewhere, such as to the host
  lifetime,  ///< allocations end earlier, or are absent for a while; see shorter_lifetimes()
};

struct MemoryAdvice {
  AdviceKind kind{};
  Message what;      ///< the setting, category or shorter life; for places the frame as text
  std::string line;  ///< assignment of a setting
  OomPlace place;    ///< removed memory at the peak; frame is kNoFrame except for places
  /// Resulting peak of requested bytes, and the first event after which it is reached.
  CurvePeak live;
  std::optional<std::uint64_t> reserved;  ///< resulting peak; only if the model reproduces the recording
};

struct MemoryAdviceList {
  CurvePeak live;  ///< as recorded
  std::shared_ptr<const ProvedAllocator> proved;
  std::optional<std::uint64_t> reserved;  ///< of the same model with the recorded settings
  std::vector<MemoryAdvice> advices;      ///< sorted by remaining peak, lowest first; only effective ones
  std::vector<Message> assumed;           ///< assumptions of shorter lives, one sentence each
};

/// Evaluates the places with the most memory at the peak, the categories (scope.categories may be null),
/// shorter lives and the usual settings, each alone. The program is assumed to make the same requests
/// otherwise. Exact: every entry is replayed without the removed memory, in bytes and in the allocator's
/// model. Uses only the device of `scope`. O(entries), and one run of the model per advice, on all
/// processors.
MemoryAdviceList advise_memory(const SnapshotScope& scope, const std::stop_token& stop = {});

/// One row per advice, the best first.
Table advice_table(const SnapshotScope& scope, const std::stop_token& stop = {});
extern const TableKind<SnapshotScope> kAdviceTable;

}  // namespace kino
