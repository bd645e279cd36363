#include "core/base/damage.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>

namespace kino {
namespace {

struct ReasonText {
  msg::Id text;
  msg::Id several;
  bool drops;
};

constexpr std::array<ReasonText, kDamageReasonCount> kReasons{{
    {msg::damage_unreadable_event, msg::damage_unreadable_event_several, true},
    {msg::damage_truncated_event, msg::damage_truncated_event_several, true},
    {msg::damage_no_phase, msg::damage_no_phase_several, true},
    {msg::damage_unknown_phase, msg::damage_unknown_phase_several, true},
    {msg::damage_no_timestamp, msg::damage_no_timestamp_several, true},
    {msg::damage_time_out_of_range, msg::damage_time_out_of_range_several, true},
    {msg::damage_time_in_ns, msg::damage_time_in_ns_several, false},
    {msg::damage_not_an_event, msg::damage_not_an_event_several, true},
    {msg::damage_no_duration, msg::damage_no_duration_several, false},
    {msg::damage_negative_duration, msg::damage_negative_duration_several, false},
    {msg::damage_begin_without_end, msg::damage_begin_without_end_several, false},
    {msg::damage_end_without_begin, msg::damage_end_without_begin_several, true},
    {msg::damage_async_without_begin, msg::damage_async_without_begin_several, false},
    {msg::damage_async_without_end, msg::damage_async_without_end_several, false},
    {msg::damage_repaired_event, msg::damage_repaired_event_several, false},
    {msg::damage_repaired_document, msg::damage_repaired_document_several, false},
    {msg::damage_counter_without_value, msg::damage_counter_without_value_several, true},
    {msg::damage_overlap_spilled, msg::damage_overlap_spilled_several, false},
    {msg::damage_correlation_out_of_range, msg::damage_correlation_out_of_range_several, false},
    {msg::damage_truncated_file, msg::damage_truncated_file_several, false},
    {msg::damage_truncated_gzip, msg::damage_truncated_gzip_several, false},
    {msg::damage_gzip_checksum, msg::damage_gzip_checksum, false},
    {msg::damage_trailing_data, msg::damage_trailing_data_several, false},
    {msg::damage_header_unreadable, msg::damage_header_unreadable, false},
    {msg::damage_far_outlier, msg::damage_far_outlier_several, false},
    {msg::damage_flow_without_slice, msg::damage_flow_without_slice_several, false},
    {msg::damage_flow_without_partner, msg::damage_flow_without_partner_several, false},
    {msg::damage_spool_limit, msg::damage_spool_limit, false},
    {msg::damage_unknown_action, msg::damage_unknown_action_several, false},
    {msg::damage_number_out_of_range, msg::damage_number_out_of_range_several, false},
    {msg::damage_unreadable_rest, msg::damage_unreadable_rest, false},
    {msg::damage_further_events, msg::damage_further_events_several, false},
    {msg::damage_invalid_escape, msg::damage_invalid_escape_several, false},
    {msg::damage_event_lines, msg::damage_event_lines_several, false},
    {msg::damage_unclosed_array, msg::damage_unclosed_array, false},
    {msg::damage_unclosed_document, msg::damage_unclosed_document, false},
    {msg::damage_truncated_rest, msg::damage_truncated_rest, false},
    {msg::damage_flow_begun_again, msg::damage_flow_begun_again_several, false},
    {msg::damage_flow_without_start, msg::damage_flow_without_start_several, false},
    {msg::damage_samples_not_shown, msg::damage_samples_not_shown_several, false},
    {msg::damage_launch_flow_start, msg::damage_launch_flow_start_several, false},
    {msg::damage_launch_flow_end, msg::damage_launch_flow_end_several, false},
}};

}  // namespace

msg::Id text_of(DamageReason reason) { return kReasons[static_cast<std::size_t>(reason)].text; }

msg::Id text_of(DamageReason reason, std::uint64_t count) {
  const ReasonText& text = kReasons[static_cast<std::size_t>(reason)];
  return count == 1 ? text.text : text.several;
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
