#include "core/base/damage.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>

namespace kino {
namespace {

struct ReasonRow {
  msg::Id text;
  msg::Id several;
  unsigned traits;
};

/// Traits of a reason, each defined by the function of the same name in damage.hpp.
constexpr unsigned kNoTraits = 0;
constexpr unsigned kDropsEvent = 1U << 0U;
constexpr unsigned kKeepsSlice = 1U << 1U;
constexpr unsigned kEndsEarly = 1U << 2U;
constexpr unsigned kReadingNote = 1U << 3U;
constexpr unsigned kHasAllEvents = 1U << 4U;

constexpr std::array<ReasonRow, kDamageReasonCount> kReasons{{
    {msg::damage_unreadable_event, msg::damage_unreadable_event_several, kDropsEvent},
    {msg::damage_truncated_event, msg::damage_truncated_event_several, kDropsEvent | kEndsEarly},
    {msg::damage_no_phase, msg::damage_no_phase_several, kDropsEvent},
    {msg::damage_unknown_phase, msg::damage_unknown_phase_several, kDropsEvent},
    {msg::damage_no_timestamp, msg::damage_no_timestamp_several, kDropsEvent},
    {msg::damage_time_out_of_range, msg::damage_time_out_of_range_several, kDropsEvent},
    {msg::damage_time_in_ns, msg::damage_time_in_ns_several, kKeepsSlice | kReadingNote},
    {msg::damage_not_an_event, msg::damage_not_an_event_several, kDropsEvent},
    {msg::damage_no_duration, msg::damage_no_duration_several, kKeepsSlice},
    {msg::damage_negative_duration, msg::damage_negative_duration_several, kKeepsSlice},
    {msg::damage_begin_without_end, msg::damage_begin_without_end_several, kKeepsSlice},
    {msg::damage_end_without_begin, msg::damage_end_without_begin_several, kDropsEvent},
    {msg::damage_async_without_begin, msg::damage_async_without_begin_several, kNoTraits},
    {msg::damage_async_without_end, msg::damage_async_without_end_several, kKeepsSlice},
    {msg::damage_repaired_event, msg::damage_repaired_event_several, kKeepsSlice},
    {msg::damage_repaired_document, msg::damage_repaired_document_several, kNoTraits},
    {msg::damage_counter_without_value, msg::damage_counter_without_value_several, kDropsEvent},
    {msg::damage_overlap_spilled, msg::damage_overlap_spilled_several, kKeepsSlice},
    {msg::damage_correlation_out_of_range, msg::damage_correlation_out_of_range_several, kKeepsSlice},
    {msg::damage_truncated_file, msg::damage_truncated_file_several, kEndsEarly},
    {msg::damage_truncated_gzip, msg::damage_truncated_gzip_several, kEndsEarly},
    {msg::damage_gzip_checksum, msg::damage_gzip_checksum, kEndsEarly},
    {msg::damage_trailing_data, msg::damage_trailing_data_several, kNoTraits},
    {msg::damage_header_unreadable, msg::damage_header_unreadable, kNoTraits},
    {msg::damage_far_outlier, msg::damage_far_outlier_several, kKeepsSlice},
    {msg::damage_flow_without_slice, msg::damage_flow_without_slice_several, kNoTraits},
    {msg::damage_flow_without_partner, msg::damage_flow_without_partner_several, kNoTraits},
    {msg::damage_spool_limit, msg::damage_spool_limit, kEndsEarly},
    {msg::damage_unknown_action, msg::damage_unknown_action_several, kNoTraits},
    {msg::damage_number_out_of_range, msg::damage_number_out_of_range_several, kNoTraits},
    {msg::damage_unreadable_rest, msg::damage_unreadable_rest, kEndsEarly},
    {msg::damage_further_events, msg::damage_further_events_several, kNoTraits},
    {msg::damage_invalid_escape, msg::damage_invalid_escape_several, kKeepsSlice},
    {msg::damage_event_lines, msg::damage_event_lines_several, kKeepsSlice | kReadingNote},
    {msg::damage_unclosed_array, msg::damage_unclosed_array, kReadingNote | kHasAllEvents},
    {msg::damage_unclosed_document, msg::damage_unclosed_document, kHasAllEvents},
    {msg::damage_truncated_rest, msg::damage_truncated_rest, kEndsEarly | kHasAllEvents},
    {msg::damage_flow_begun_again, msg::damage_flow_begun_again_several, kNoTraits},
    {msg::damage_flow_without_start, msg::damage_flow_without_start_several, kNoTraits},
    {msg::damage_samples_not_shown, msg::damage_samples_not_shown_several, kReadingNote},
    {msg::damage_launch_flow_start, msg::damage_launch_flow_start_several, kReadingNote},
    {msg::damage_launch_flow_end, msg::damage_launch_flow_end_several, kReadingNote},
}};

const ReasonRow& row_of(DamageReason reason) { return kReasons[static_cast<std::size_t>(reason)]; }
bool has_trait(DamageReason reason, unsigned trait) { return (row_of(reason).traits & trait) != 0; }

}  // namespace

msg::Id text_of(DamageReason reason) { return row_of(reason).text; }

msg::Id text_of(DamageReason reason, std::uint64_t count) {
  return count == 1 ? row_of(reason).text : row_of(reason).several;
}

bool drops_event(DamageReason reason) { return has_trait(reason, kDropsEvent); }
bool keeps_slice(DamageReason reason) { return has_trait(reason, kKeepsSlice); }
bool ends_early(DamageReason reason) { return has_trait(reason, kEndsEarly); }
bool is_reading_note(DamageReason reason) { return has_trait(reason, kReadingNote); }
bool has_all_events(DamageReason reason) { return has_trait(reason, kHasAllEvents); }

void DamageLog::add(DamageReason reason, std::uint64_t offset, std::string_view sample, std::uint64_t count) {
  if (count == 0) return;
  auto entry = std::ranges::lower_bound(entries_, reason, {}, &Damage::reason);
  if (entry == entries_.end() || entry->reason != reason) {
    entry = entries_.insert(entry, Damage{});
    entry->reason = reason;
  }
  entry->count += count;
  if (offset < entry->first_offset || (entry->sample.empty() && offset == entry->first_offset)) {
    entry->first_offset = offset;
    entry->sample = sample.substr(0, Damage::kSampleBytes);
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
  // An event that is truncated at the end starts before the end, so a later offset of another entry is more
  // accurate.
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
  const auto entry = std::ranges::find(entries_, reason, &Damage::reason);
  return entry == entries_.end() ? 0 : entry->count;
}

}  // namespace kino
