// What other settings of the allocator would have reserved, as a table.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/byte_text.hpp"
#include "core/base/result.hpp"
#include "core/memory/allocator/allocator_proof.hpp"
#include "core/memory/allocator/what_if_answers.hpp"
#include "core/memory/tables/snapshot_tables.hpp"

namespace kino {

struct WhatIfAnswers {
  std::shared_ptr<const ProvedAllocator> proved;
  CapacityBounds bounds;
  std::vector<WhatIfAnswer> answers;  ///< the baseline first
  std::optional<std::size_t> best;    ///< of them, where one is better than the baseline by 1 % or more
  std::optional<std::uint64_t> least_capacity;  ///< of the baseline, about
};

/// The settings that are worth a try, or the one that `settings` make together ("expandable_segments=True",
/// "capacity_mb=40960", ...); a capacity holds for the baseline, too. Fails with one sentence about what
/// cannot be set. Each runs on a thread. No answers where the recording is not repeated exactly.
Result<WhatIfAnswers> what_if_answers(const Snapshot& snapshot, std::size_t device,
                                      const std::vector<std::string>& settings,
                                      const std::stop_token& stop = {});

/// The rules that settings make together, from PyTorch's own on.
Result<AllocatorRules> what_if_settings(const std::vector<std::string>& settings);

/// The bytes of "capacity_mb=40960". Fails with one sentence for anything else.
Result<std::uint64_t> capacity_alone(const std::vector<std::string>& settings);

/// "40", "40 GiB": a number alone is in GB or GiB. Nothing for what is none, or no
/// device has.
std::optional<std::uint64_t> capacity_from_text(std::string_view text, ByteUnits units);

/// A row a setting.
Table what_if_table(const SnapshotScope& scope, const std::stop_token& stop = {});
extern const TableKind<SnapshotScope> kWhatIfTable;

}  // namespace kino
