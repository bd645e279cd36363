#include "core/base/damage.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>

namespace kino {
namespace {

struct ReasonText {
  std::string_view text;
  std::string_view several;  ///< empty if the text is the same for several
  bool drops;
};

constexpr std::array<ReasonText, kDamageReasonCount> kReasons{{
    {"event that could not be read, dropped", "events that could not be read, dropped", true},
    {"event cut off by the end of the file, dropped", "events cut off by the end of the file, dropped", true},
    {"event without a phase (ph), dropped", "events without a phase (ph), dropped", true},
    {"event of an unknown phase, dropped", "events of an unknown phase, dropped", true},
    {"event without a readable time stamp, dropped", "events without a readable time stamp, dropped", true},
    {"time stamp or duration out of range, dropped", "time stamps or durations out of range, dropped", true},
    {"time stamp too large for microseconds, read as nanoseconds, shown",
     "time stamps too large for microseconds, read as nanoseconds, shown", false},
    {"element of the event array that is not an object, dropped",
     "elements of the event array that are not objects, dropped", true},
    {"slice without a readable duration, shown with zero length",
     "slices without a readable duration, shown with zero length", false},
    {"slice with a negative duration, shown with zero length",
     "slices with a negative duration, shown with zero length", false},
    {"begin without an end, shown up to the end of what encloses it",
     "begins without an end, shown up to the end of what encloses them", false},
    {"end without a begin, dropped", "ends without a begin, dropped", true},
    {"async end or step without a begin, shown as an instant",
     "async ends or steps without a begin, shown as instants", false},
    {"async begin without an end, shown up to the end of the trace",
     "async begins without an end, shown up to the end of the trace", false},
    {"event with invalid JSON that could still be understood, shown",
     "events with invalid JSON that could still be understood, shown", false},
    {"comma, comment or line that JSON does not allow between or around the events, passed over",
     "commas, comments or lines that JSON does not allow between or around the events, passed over", false},
    {"counter without a numeric value, dropped", "counters without a numeric value, dropped", true},
    {"slice that overlaps its track's nesting, shown in a further lane or cut at its caller's end",
     "slices that overlap their track's nesting, shown in a further lane or cut at their caller's end",
     false},
    {"correlation id above 32 bits, shown but not linked",
     "correlation ids above 32 bits, shown but not linked", false},
    {"text that ends before its event array or document does",
     "texts that end before their event array or document does", false},
    {"compressed stream that ends early, shown as far as it goes",
     "compressed streams that end early, shown as far as they go", false},
    {"compressed data that does not match its checksum", "", false},
    {"run of bytes after the end of the data, ignored", "runs of bytes after the end of the data, ignored",
     false},
    {"metadata outside the event array that could not be read", "", false},
    {"time stamp far away from all others, shown but left out of 'fit all'",
     "time stamps far away from all others, shown but left out of 'fit all'", false},
    {"flow start, step or end without a slice at its place, counted but without an arrow",
     "flow starts, steps or ends without a slice at their place, counted but without an arrow", false},
    {"flow start without a later step or end of its id, counted but without an arrow",
     "flow starts without a later step or end of their id, counted but without an arrow", false},
    {"decompression that was stopped at a limit, shown as far as it goes", "", false},
    {"allocator entry with an unknown action, shown without effect",
     "allocator entries with an unknown action, shown without effect", false},
    {"number that is out of range or no number, shown as 0",
     "numbers that are out of range or no numbers, shown as 0", false},
    {"data that cannot be understood from here on, shown as far as it goes", "", false},
    {"further event array in the same file, shown with the first",
     "further event arrays in the same file, shown with the first", false},
    {"text with a backslash that starts no JSON escape, as in a Windows path, shown as written",
     "texts with a backslash that starts no JSON escape, as in a Windows path, shown as written", false},
    {"event separated from the one before by a line break instead of a comma, shown",
     "events separated from the one before by a line break instead of a comma, shown", false},
    {"closing bracket missing at the end of the event array, which its format allows; all events were read",
     "", false},
    {"closing bracket missing at the end of the file, after its last whole event or value; all events were "
     "read",
     "", false},
    {"text that ends within what follows its events; all events were read", "", false},
    {"flow start whose id is started again before a step or end, counted but without an arrow",
     "flow starts whose id is started again before a step or end, counted but without an arrow", false},
    {"flow step or end without an earlier start of its id, counted but without an arrow",
     "flow steps or ends without an earlier start of their id, counted but without an arrow", false},
    {"list of call-stack samples beside the events (\"samples\"), not shown",
     "lists of call-stack samples beside the events (\"samples\"), not shown", false},
    {"flow start without a step or end, not needed: its id is a call's correlation id, which links launches",
     "flow starts without a step or end, not needed: their ids are calls' correlation ids, which link "
     "launches",
     false},
    {"flow step or end without a start, not needed: its id is a call's correlation id, which links launches",
     "flow steps or ends without a start, not needed: their ids are calls' correlation ids, which link "
     "launches",
     false},
}};

}  // namespace

std::string_view text_of(DamageReason reason) { return kReasons[static_cast<std::size_t>(reason)].text; }

std::string_view text_of(DamageReason reason, std::uint64_t count) {
  const ReasonText& text = kReasons[static_cast<std::size_t>(reason)];
  return count == 1 || text.several.empty() ? text.text : text.several;
}

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
    case DamageReason::invalid_escape:
    case DamageReason::event_lines:
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
    case DamageReason::truncated_rest:
      return true;
    default:
      return false;
  }
}

bool is_reading_note(DamageReason reason) {
  return reason == DamageReason::time_in_ns || reason == DamageReason::event_lines ||
         reason == DamageReason::unclosed_array || reason == DamageReason::samples_not_shown ||
         reason == DamageReason::launch_flow_start || reason == DamageReason::launch_flow_end;
}

bool has_all_events(DamageReason reason) {
  return reason == DamageReason::unclosed_array || reason == DamageReason::unclosed_document ||
         reason == DamageReason::truncated_rest;
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

const Damage* DamageLog::cut() const {
  // An event cut off at the end begins before the end, so a later place of another entry is the better one.
  const auto rank = [](const Damage& entry) {
    const bool placed = entry.first_offset != ~std::uint64_t{0};
    return std::tuple(entry.reason != DamageReason::gzip_checksum,
                      entry.reason == DamageReason::truncated_gzip, placed, placed ? entry.first_offset : 0);
  };
  const Damage* farthest = nullptr;
  for (const Damage& entry : entries_) {
    if (!ends_early(entry.reason)) continue;
    if (farthest == nullptr || rank(*farthest) < rank(entry)) farthest = &entry;
  }
  return farthest;
}

void DamageLog::settle_missing_brackets() {
  const bool cut = std::ranges::any_of(entries_, [](const Damage& entry) {
    return ends_early(entry.reason) && entry.reason != DamageReason::truncated_rest;
  });
  if (!cut) return;
  const auto missing = [](const Damage& entry) { return has_all_events(entry.reason); };
  std::vector<Damage> brackets;
  std::ranges::copy_if(entries_, std::back_inserter(brackets), missing);
  std::erase_if(entries_, missing);
  for (const Damage& entry : brackets)
    add(DamageReason::truncated_file, entry.first_offset, entry.sample, entry.count);
}

DamageLog DamageLog::without(DamageReason reason, std::uint64_t count) const {
  DamageLog rest = *this;
  for (Damage& entry : rest.entries_) {
    if (entry.reason == reason) entry.count -= std::min(entry.count, count);
  }
  std::erase_if(rest.entries_, [](const Damage& entry) { return entry.count == 0; });
  return rest;
}

std::uint64_t DamageLog::total() const {
  std::uint64_t sum = 0;
  for (const Damage& entry : entries_) sum += is_reading_note(entry.reason) ? 0 : entry.count;
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
