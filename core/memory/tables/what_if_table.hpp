// Table of memory that other allocator settings would have reserved.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/byte_text.hpp"
#include "core/base/result.hpp"
#include "core/memory/allocator/allocator_proof.hpp"
#include "core/memory/allocator/what_if_reports.hpp"
#include "core/memory/tables/snapshot_tables.hpp"

namespace kino {

struct WhatIfReports {
  std::shared_ptr<const ProvedAllocator> proved;
  CapacityBounds bounds;
  std::vector<WhatIfReport> answers;  ///< reports by setting, the baseline first
  std::optional<std::size_t> best;    ///< index into answers; nullopt if none beats the baseline
  /// Approximate smallest capacity for the recorded settings; nullopt if a capacity is set.
  std::optional<std::uint64_t> least_capacity;
};

/// Evaluates the settings to try, or the single setting that `settings` form together
/// ("expandable_segments=True", "capacity_mb=40960", ...). A capacity or a limit also applies to the
/// baseline. Fails for unknown settings. If the recording is not reproduced exactly, the result has no
/// answers. Runs on all processors.
Result<WhatIfReports> what_if_reports(const Snapshot& snapshot, std::size_t device,
                                      const std::vector<std::string>& settings,
                                      const std::stop_token& stop = {});

/// Returns the rules that the settings form together, starting from PyTorch's defaults.
Result<AllocatorRules> what_if_settings(const std::vector<std::string>& settings);

/// Returns the bytes of "capacity_mb=40960". Fails for any other setting.
Result<std::uint64_t> capacity_alone(const std::vector<std::string>& settings);

/// Parses "40" or "40 GiB"; a number alone is in GB or GiB. nullopt for malformed sizes, and for sizes below
/// 2 MiB or above 2^60 bytes.
std::optional<std::uint64_t> capacity_from_text(std::string_view text, ByteUnits units);

/// Returns a table with one row per setting.
Table what_if_table(const SnapshotScope& scope, const std::stop_token& stop = {});
extern const TableKind<SnapshotScope> kWhatIfTable;

}  // namespace kino
