#include "core/base/damage.hpp"

#include <algorithm>
#include <array>

namespace kino {
namespace {

struct ReasonText {
  std::string_view text;
  bool drops;
};

constexpr std::array<ReasonText, kDamageReasonCount> kReasons{{
    {"event that could not be read, dropped", true},
    {"event cut off by the end of the file, dropped", true},
    {"event without a phase (ph), dropped", true},
    {"event of an unknown phase, dropped", true},
    {"event without a readable time stamp, dropped", true},
    {"time stamp or duration out of range, dropped", true},
    {"time stamp too large for microseconds, read as nanoseconds, shown", false},
    {"element of the event array that is not an object, dropped", true},
    {"slice without a readable duration, shown with zero length", false},
    {"slice with a negative duration, shown with zero length", false},
    {"begin without an end, shown up to the end of what encloses it", false},
    {"end without a begin, dropped", true},
    {"async end or step without a begin, shown as an instant", false},
    {"async begin without an end, shown up to the end of the trace", false},
    {"invalid JSON that could still be understood, shown", false},
    {"comma, comment or line that JSON does not allow between or around the events, passed over", false},
    {"counter without a numeric value, dropped", true},
    {"slice that overlaps its track's nesting, shown in a further lane", false},
    {"correlation id above 32 bits, shown but not linked", false},
    {"text that ends before its event array or document does", false},
    {"compressed stream that ends early, shown as far as it goes", false},
    {"compressed data that does not match its checksum", false},
    {"bytes after the end of the data, ignored", false},
    {"metadata outside the event array that could not be read", false},
    {"time stamp far away from all others, shown but left out of 'fit all'", false},
    {"flow end without a slice at its place, counted but without an arrow", false},
    {"flow end without a partner of its id, counted but without an arrow", false},
    {"decompression that was stopped at a limit, shown as far as it goes", false},
    {"allocator entry with an unknown action, shown without effect", false},
    {"number that is out of range or no number, shown as 0", false},
    {"data that cannot be understood from here on, shown as far as it goes", false},
    {"further event array in the same file, shown with the first", false},
}};

}  // namespace

std::string_view text_of(DamageReason reason) { return kReasons[static_cast<std::size_t>(reason)].text; }

bool drops_event(DamageReason reason) { return kReasons[static_cast<std::size_t>(reason)].drops; }

bool keeps_slice(DamageReason reason) {
  switch (reason) {
    case DamageReason::time_in_ns:
    case DamageReason::no_duration:
    case DamageReason::negative_duration:
    case DamageReason::begin_without_end:
    case DamageReason::async_without_end:
    case DamageReason::repaired_event:
    case DamageReason::overlap_spilled:
    case DamageReason::correlation_out_of_range:
    case DamageReason::far_outlier:
      return true;
    default:
      return false;
  }
}

bool ends_early(DamageReason reason) {
  switch (reason) {
    case DamageReason::truncated_event:
    case DamageReason::truncated_file:
    case DamageReason::truncated_gzip:
    case DamageReason::gzip_checksum:
    case DamageReason::spool_limit:
    case DamageReason::unreadable_rest:
      return true;
    default:
      return false;
  }
}

void DamageLog::add(DamageReason reason, std::uint64_t offset, std::string_view sample, std::uint64_t count) {
  if (count == 0) return;
  auto it = std::lower_bound(entries_.begin(), entries_.end(), reason,
                             [](const Damage& entry, DamageReason wanted) { return entry.reason < wanted; });
  if (it == entries_.end() || it->reason != reason) {
    it = entries_.insert(it, Damage{});
    it->reason = reason;
  }
  it->count += count;
  if (offset < it->first_offset || (it->sample.empty() && offset == it->first_offset)) {
    it->first_offset = offset;
    it->sample = std::string(sample.substr(0, Damage::kSampleBytes));
  }
}

void DamageLog::merge(const DamageLog& other) {
  for (const Damage& entry : other.entries_) add(entry.reason, entry.first_offset, entry.sample, entry.count);
}

void DamageLog::fill_samples(const std::function<std::string(std::uint64_t)>& text_at) {
  if (!text_at) return;
  for (Damage& entry : entries_) {
    if (!entry.sample.empty() || entry.first_offset == ~std::uint64_t{0}) continue;
    entry.sample = text_at(entry.first_offset).substr(0, Damage::kSampleBytes);
  }
}

std::uint64_t DamageLog::total() const {
  std::uint64_t sum = 0;
  for (const Damage& entry : entries_) sum += entry.count;
  return sum;
}

bool DamageLog::drops_events() const {
  return std::ranges::any_of(entries_, [](const Damage& entry) { return drops_event(entry.reason); });
}

std::uint64_t DamageLog::count(DamageReason reason) const {
  const auto it = std::find_if(entries_.begin(), entries_.end(),
                               [reason](const Damage& entry) { return entry.reason == reason; });
  return it == entries_.end() ? 0 : it->count;
}

}  // namespace kino
