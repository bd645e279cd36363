#include "core/job/rank_digest_check.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <type_traits>
#include <variant>

namespace kino {
namespace {

// The year 2067, and so far below the end of the numbers that two of them can be added.
constexpr std::int64_t kMostNs = std::numeric_limits<std::int64_t>::max() / 3;

bool bearable(std::int64_t time_ns) { return time_ns >= -kMostNs && time_ns <= kMostNs; }
bool bearable_length(std::int64_t length_ns) { return length_ns >= 0 && length_ns <= kMostNs; }
bool holds_together(const TimeRange& range) {
  return bearable(range.begin_ns) && bearable(range.end_ns) && range.begin_ns <= range.end_ns;
}

bool are_united(const PackedRanges& ranges) {
  if (!ranges.sound()) return false;
  std::int64_t end_ns = -kMostNs - 1;  // of the one before
  for (const TimeRange it : ranges) {
    if (!holds_together(it) || it.begin_ns == it.end_ns || end_ns >= it.begin_ns) return false;
    end_ns = it.end_ns;
  }
  return true;
}

bool holds_together(const CommunicationOperation& it, const RankDigest& digest) {
  const std::uint32_t texts = digest.texts.size();
  return (it.group == CommunicationKernel::kNoGroup || it.group < digest.groups.size()) &&
         it.family < texts && it.algorithm < texts && it.dtype < texts && it.stream < texts &&
         it.kind <= CollectiveKind::other && it.evidence <= GroupEvidence::none;
}

bool holds_together(const KernelClass& it) {
  return bearable_length(it.alone_ns) && bearable_length(it.beside_ns) && it.alone_median_ns >= 0 &&
         it.beside_median_ns >= 0 && it.alone_median_ns <= static_cast<double>(kMostNs) &&
         it.beside_median_ns <= static_cast<double>(kMostNs);
}

bool holds_together(const KernelTimes& times) {
  const PackedTable& alone = times.alone;
  if (!std::ranges::all_of(times.classes, [](const KernelClass& it) { return holds_together(it); }) ||
      !std::ranges::is_sorted(times.classes, {}, &KernelClass::key))
    return false;
  if (alone.empty()) return true;
  // Sums of them fit, too.
  constexpr std::int64_t kMostOfCall = kMostNs >> 16U;
  if (!alone.sound(KernelTimes::kColumns) || !alone.within(KernelTimes::kDuration, 0, kMostOfCall))
    return false;
  for (std::size_t i = 1; i < alone.size(); ++i) {
    if (alone.at(i - 1, KernelTimes::kCall) >= alone.at(i, KernelTimes::kCall)) return false;
  }
  return true;
}

bool holds_together(const RankMemory& memory) {
  return bearable(memory.peak_ns) && memory.peak_bytes >= -1 &&
         std::ranges::is_sorted(memory.curve, {}, &MemoryPoint::time_ns) &&
         std::ranges::all_of(memory.curve,
                             [](const MemoryPoint& it) { return bearable(it.time_ns) && it.bytes >= 0; });
}

bool holds_together(const Table& table) {
  return std::ranges::all_of(table.columns, [&](const TableColumn& column) {
    return column.size() == table.row_count() && column.unit <= Unit::flop &&
           (column.words.empty() || column.words.size() == column.size());
  });
}

}  // namespace

bool holds_together(const RankDigest& digest) {
  const std::size_t kernels = digest.kernels.size();
  return digest.texts.size() > 0 && digest.texts[0].empty() &&
         holds_together(TimeRange{digest.first_ns, digest.last_ns}) &&
         std::ranges::all_of(digest.groups,
                             [](const RankGroup& it) { return std::ranges::is_sorted(it.members); }) &&
         digest.kernels.sound(kMostNs) &&
         std::ranges::all_of(digest.kernels.operations(),
                             [&](const auto& it) { return holds_together(it, digest); }) &&
         digest.stretches.size() == kernels && digest.stretches.sound(kernels, kMostNs) &&
         are_united(digest.compute) && are_united(digest.copies) &&
         std::ranges::all_of(digest.steps, [](const RankStep& it) { return holds_together(it.range); }) &&
         holds_together(digest.kernel_times) && holds_together(digest.memory) &&
         std::ranges::all_of(digest.tables, [](const Table& it) { return holds_together(it); });
}

}  // namespace kino
