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

bool are_united(std::span<const TimeRange> ranges) {
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (!holds_together(ranges[i]) || ranges[i].begin_ns == ranges[i].end_ns) return false;
    if (i > 0 && ranges[i - 1].end_ns >= ranges[i].begin_ns) return false;
  }
  return true;
}

bool holds_together(const CommunicationKernel& kernel, const RankDigest& digest) {
  const std::uint32_t texts = digest.texts.size();
  return bearable(kernel.start_ns) && bearable_length(kernel.duration_ns) &&
         (kernel.group == CommunicationKernel::kNoGroup || kernel.group < digest.groups.size()) &&
         kernel.family < texts && kernel.algorithm < texts && kernel.dtype < texts && kernel.stream < texts &&
         kernel.kind <= CollectiveKind::other && kernel.evidence <= GroupEvidence::none;
}

bool holds_together(const Stretch& stretch, std::size_t kernels) {
  if (stretch.previous != Stretch::kNone && stretch.previous >= kernels) return false;
  if (!bearable_length(stretch.length_ns) || !bearable_length(stretch.beside_ns)) return false;
  std::int64_t rest = stretch.length_ns;
  for (const std::int64_t part : stretch.times) {
    if (part < 0 || part > rest) return false;
    rest -= part;
  }
  return rest == 0;
}

bool holds_together(const KernelClass& it) {
  return bearable_length(it.alone_ns) && bearable_length(it.beside_ns) && it.alone_median_ns >= 0 &&
         it.beside_median_ns >= 0 && it.alone_median_ns <= kMostNs && it.beside_median_ns <= kMostNs;
}

bool holds_together(const RankMemory& memory) {
  return bearable(memory.peak_ns) && memory.peak_bytes >= -1 &&
         std::ranges::is_sorted(memory.curve, {}, &MemoryPoint::time_ns) &&
         std::ranges::all_of(memory.curve,
                             [](const MemoryPoint& it) { return bearable(it.time_ns) && it.bytes >= 0; });
}

bool holds_together(const Table& table) {
  return std::ranges::all_of(table.columns, [&](const TableColumn& column) {
    return column.size() == table.row_count() && column.unit <= Unit::flop;
  });
}

}  // namespace

bool holds_together(const RankDigest& digest) {
  const std::size_t kernels = digest.kernels.size();
  return digest.texts.size() > 0 && digest.texts[0].empty() &&
         holds_together(TimeRange{digest.first_ns, digest.last_ns}) &&
         std::ranges::all_of(digest.groups,
                             [](const RankGroup& it) { return std::ranges::is_sorted(it.members); }) &&
         std::ranges::all_of(digest.kernels, [&](const auto& it) { return holds_together(it, digest); }) &&
         std::ranges::is_sorted(digest.kernels, {}, &CommunicationKernel::start_ns) &&
         digest.stretches.size() == kernels &&
         std::ranges::all_of(digest.stretches,
                             [&](const Stretch& it) { return holds_together(it, kernels); }) &&
         are_united(digest.compute) && are_united(digest.copies) &&
         std::ranges::all_of(digest.steps, [](const RankStep& it) { return holds_together(it.range); }) &&
         std::ranges::all_of(digest.classes, [](const KernelClass& it) { return holds_together(it); }) &&
         std::ranges::is_sorted(digest.classes, {}, &KernelClass::key) && holds_together(digest.memory) &&
         std::ranges::all_of(digest.tables, [](const Table& it) { return holds_together(it); });
}

}  // namespace kino
