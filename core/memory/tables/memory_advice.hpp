// What would help most against the peak of a recording: single changes, each with the peak that it leaves.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/memory/allocator/allocator_proof.hpp"
#include "core/memory/tables/oom_autopsy.hpp"
#include "core/memory/tables/snapshot_tables.hpp"

namespace kino {

enum class AdviceKind : std::uint8_t {
  setting,   ///< of the allocator
  place,     ///< a line of code holds nothing
  category,  ///< everything of a category is elsewhere, such as on the host
  lifetime,  ///< something ends earlier, or is away for a while; see shorter_lives()
};

struct MemoryAdvice {
  AdviceKind kind{};
  Message what;      ///< the setting, the category or the shorter life; of a place its frame in words
  std::string line;  ///< to set it, of a setting
  OomPlace place;    ///< what goes, as it is at the peak; frame kNoFrame of all but places
  /// The highest requested bytes then, and the first event after which they are reached.
  CurvePeak live;
  std::optional<std::uint64_t> reserved;  ///< the highest then; only where the model repeats the recording
};

struct MemoryAdvices {
  CurvePeak live;  ///< as recorded
  std::shared_ptr<const ProvedAllocator> proved;
  std::optional<std::uint64_t> reserved;  ///< of the same model, as it was set
  std::vector<MemoryAdvice> advices;      ///< what leaves least first; none that changes nothing
  std::vector<Message> assumed;           ///< of those with a shorter life, a sentence each
};

/// The places that hold most at the peak of live memory, the categories (of scope.categories, which may be
/// null), shorter lives, and the usual settings, each alone. The program is taken to ask for the same
/// otherwise. Exact: every entry is gone through without what goes, in numbers of bytes, and in the
/// allocator's model. Looks at nothing else of `scope` than its device. O(entries), and a run of the model
/// for each, on all processors.
MemoryAdvices memory_advices(const SnapshotScope& scope, const std::stop_token& stop = {});

/// A row an advice, the best first.
Table advice_table(const SnapshotScope& scope, const std::stop_token& stop = {});
extern const TableKind<SnapshotScope> kAdviceTable;

}  // namespace kino
