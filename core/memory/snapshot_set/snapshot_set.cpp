#include "core/memory/snapshot_set/snapshot_set.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/base/byte_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr std::size_t kLeastForOutliers = 3;
constexpr std::uint64_t kOutlierShare = 20;  // divisor of the median peak
// Three standard deviations, estimated from the median distance as for a normal distribution.
constexpr double kOutlierDistances = 3 * 1.4826;

std::int64_t distance(std::uint64_t a, std::uint64_t b) { return static_cast<std::int64_t>(a - b); }

template <class T>
T lower_median(std::vector<T> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Returns the complete members, or all members if none is complete.
std::vector<std::uint32_t> compared_members(const SnapshotSet& set) {
  std::vector<std::uint32_t> whole;
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < set.members.size(); ++i) {
    all.push_back(i);
    if (set.members[i].whole) whole.push_back(i);
  }
  return whole.empty() ? all : whole;
}

bool has_time(const SnapshotMember& member) { return member.sums.first_us != SnapshotEntries::kNoTime; }

void sort_members(SnapshotSet& set) {
  std::vector<SnapshotMember>& members = set.members;
  const bool ranks =
      std::ranges::all_of(members, [](const SnapshotMember& member) { return member.rank >= 0; });
  std::ranges::stable_sort(members, {}, [](const SnapshotMember& member) {
    return std::pair<const std::string&, std::int32_t>(member.file, member.sums.device);
  });
  const auto first = [](const SnapshotMember& member) { return member.sums.first_us; };
  if (ranks) {
    std::ranges::stable_sort(
        members, {}, [&](const SnapshotMember& member) { return std::pair(member.rank, first(member)); });
  } else if (set.timed) {
    std::ranges::stable_sort(members, {}, first);
  }
}

void name_members(SnapshotSet& set) {
  std::map<std::int64_t, std::size_t> of_rank;
  std::map<std::string, std::size_t> of_file;
  for (const SnapshotMember& member : set.members) {
    if (member.rank >= 0) ++of_rank[member.rank];
    ++of_file[member.file];
  }
  for (const auto& [rank, count] : of_rank) {
    std::set<std::string> files;
    for (const SnapshotMember& member : set.members) {
      if (member.rank == rank) files.insert(member.file);
    }
    if (files.size() > 1) set.doubled_ranks.push_back(rank);
  }
  const auto ranked = static_cast<std::size_t>(
      std::ranges::count_if(set.members, [](const SnapshotMember& member) { return member.rank >= 0; }));
  const bool by_rank = ranked == set.members.size() && set.doubled_ranks.empty() && ranked > 0;
  set.by_rank = by_rank && of_rank.size() == ranked;
  std::map<std::string, std::size_t> used;
  for (const SnapshotMember& member : set.members) {
    Message name = by_rank ? Message(msg::word_rank, std::to_string(member.rank)) : Message(member.file);
    if (!member.alone) name = Message(msg::device_of_snapshot, name, std::to_string(member.sums.device));
    const std::size_t time = ++used[name.str()];
    set.names.push_back(time == 1 ? name : Message(msg::with_parentheses, name, std::to_string(time)));
  }
}

/// Returns whether the snapshots may belong to one program: half of the snapshots with stacks share a line of
/// code, or fewer than two have stacks.
bool share_code(const SnapshotSet& set) {
  std::unordered_map<std::string_view, std::size_t> members_of;
  std::size_t with_stacks = 0;
  std::size_t most = 0;
  for (const SnapshotMember& member : set.members) {
    bool any = false;
    for (const SumRow& row : member.sums.by(SumsBy::line)) {
      if (row.key.find_first_of("/\\") == std::string::npos) continue;  // not a line of a file
      any = true;
      most = std::max(most, ++members_of[row.key]);
    }
    with_stacks += any ? 1 : 0;
  }
  return with_stacks < 2 || 2 * most >= with_stacks;
}

void find_outliers(SnapshotSet& set) {
  const std::size_t count = set.members.size();
  std::vector<std::int64_t> away(count);
  for (std::uint32_t i = 0; i < count; ++i) away[i] = std::abs(set.difference(i));
  set.outlier.assign(count, false);
  std::vector<std::int64_t> of_whole;
  for (const std::uint32_t i : compared_members(set)) of_whole.push_back(away[i]);
  const auto usual = static_cast<double>(lower_median(of_whole));
  const auto least = static_cast<std::int64_t>(set.median_peak() / kOutlierShare);
  for (std::uint32_t i = 0; i < count; ++i) {
    const bool far = set.typical && of_whole.size() >= kLeastForOutliers && set.members[i].whole &&
                     away[i] > least && static_cast<double>(away[i]) > kOutlierDistances * usual;
    set.outlier[i] = far || set.members[i].sums.out_of_memory.has_value();
    set.order.push_back(i);
  }
  std::ranges::stable_sort(set.order, std::ranges::greater{}, [&](std::uint32_t i) {
    const SnapshotMember& member = set.members[i];
    return std::tuple(member.sums.out_of_memory.has_value(), member.whole, away[i]);
  });
}

bool recorded_together(const SnapshotSet& set) {
  std::int64_t last_begin = INT64_MIN;
  std::int64_t first_end = INT64_MAX;
  for (const SnapshotMember& member : set.members) {
    if (!has_time(member)) continue;
    last_begin = std::max(last_begin, member.sums.first_us);
    first_end = std::min(first_end, member.sums.last_us);
  }
  return set.timed && last_begin <= first_end;
}

bool peaks_rise(const SnapshotSet& set) {
  if (!set.timed || set.together || set.members.size() < kLeastForOutliers) return false;
  std::vector<const SnapshotSums*> by_time;
  for (const SnapshotMember& member : set.members) {
    if (!has_time(member) || !member.whole) return false;
    by_time.push_back(&member.sums);
  }
  std::ranges::stable_sort(by_time, {}, &SnapshotSums::first_us);
  for (std::size_t i = 1; i < by_time.size(); ++i) {
    if (by_time[i]->peak_bytes <= by_time[i - 1]->peak_bytes) return false;
    if (by_time[i]->first_us < by_time[i - 1]->last_us) return false;  // recorded at the same time
  }
  return true;
}

/// Returns the line with the largest difference in the same direction as `difference`; null if there is none.
const SumDifference* main_line(const std::vector<SumDifference>& lines, std::int64_t difference) {
  for (const SumDifference& row : lines) {
    if (row.key != smaller_rows_key() && (row.difference() < 0) == (difference < 0)) return &row;
  }
  return nullptr;
}

std::string signed_words(std::int64_t bytes, ByteUnits units) {
  return (bytes < 0 ? "-" : "+") + bytes_text(static_cast<std::uint64_t>(std::abs(bytes)), units);
}

/// Sentences on a difference, by the share of its main line. A line is called "most" of the difference only
/// if it has more than half of it, and not more than all of it.
struct DifferenceSentence {
  msg::Id alone;
  msg::Id most;
  msg::Id largest_part;
  msg::Id offset;
};
constexpr DifferenceSentence kMoreThanMedian{msg::peak_above_median, msg::peak_above_median_mostly,
                                             msg::peak_above_median_largest_part,
                                             msg::peak_above_median_offset};
constexpr DifferenceSentence kLessThanMedian{msg::peak_below_median, msg::peak_below_median_mostly,
                                             msg::peak_below_median_largest_part,
                                             msg::peak_below_median_offset};
constexpr DifferenceSentence kRises{msg::peak_rises, msg::peak_rises_mostly, msg::peak_rises_largest_part,
                                    msg::peak_rises_offset};

/// Returns the sentence. `figures`: its arguments before the line, which has the form "train.py:12 f (+1.9
/// GB)".
Message difference_words(const DifferenceSentence& sentence, std::vector<Message> figures,
                         const SnapshotSums& member, const SnapshotSums& other, ByteUnits units) {
  const std::int64_t difference = distance(member.peak_bytes, other.peak_bytes);
  const std::vector<SumDifference> lines = differences(member, other, SumsBy::line);
  const SumDifference* const line = difference == 0 ? nullptr : main_line(lines, difference);
  if (line == nullptr) return Message::filled(sentence.alone, figures);
  figures.emplace_back(msg::line_with_difference, line->name, signed_words(line->difference(), units));
  const auto own = static_cast<std::uint64_t>(std::abs(line->difference()));
  const auto all = static_cast<std::uint64_t>(std::abs(difference));
  if (own > all) return Message::filled(sentence.offset, figures);
  return Message::filled(own > all / 2 ? sentence.most : sentence.largest_part, figures);
}

Message median_words(const SnapshotSet& set, std::uint32_t member, ByteUnits units) {
  const std::int64_t difference = set.difference(member);
  return difference_words(difference < 0 ? kLessThanMedian : kMoreThanMedian,
                          {bytes_text(static_cast<std::uint64_t>(std::abs(difference)), units)},
                          set.members[member].sums, set.members[set.median].sums, units);
}

Message out_of_memory_verdict(const SnapshotSet& set, ByteUnits units) {
  std::vector<std::uint32_t> failed;
  for (const std::uint32_t i : set.order) {
    if (set.members[i].sums.out_of_memory) failed.push_back(i);
  }
  const std::uint32_t first = failed.front();
  const SnapshotSums& sums = set.members[first].sums;
  Message text(msg::out_of_memory_named, set.names[first]);
  if (failed.size() > 1) {
    constexpr std::size_t kNamed = 4;
    std::vector<Message> names;
    names.reserve(kNamed + 1);
    for (std::size_t i = 0; i < std::min(kNamed, failed.size()); ++i) names.push_back(set.names[failed[i]]);
    if (failed.size() > kNamed) names.emplace_back("...");
    const bool alone = std::ranges::all_of(set.members, &SnapshotMember::alone);
    text = Message(alone ? msg::out_of_memory_of_snapshots : msg::out_of_memory_of_devices,
                   grouped(failed.size()), grouped(set.members.size()), comma_list(names));
  }
  text.then({failed.size() == 1 ? msg::it_requested_with_free : msg::first_requested_with_free,
             bytes_text(sums.out_of_memory->asked, units),
             bytes_text(sums.out_of_memory->device_free, units)});
  if (!set.typical) return text;
  const std::int64_t difference = set.difference(first);
  if (first == set.median || std::abs(difference) * 100 < static_cast<std::int64_t>(set.median_peak()))
    return text.then(msg::peak_equals_median);
  return text.then(median_words(set, first, units));
}

Message outlier_verdict(const SnapshotSet& set, ByteUnits units) {
  const std::uint32_t first = set.order.front();
  Message text(msg::outlier_named, set.names[first]);
  text.then(median_words(set, first, units));
  const auto more = std::ranges::count(set.outlier, true) - 1;
  if (more > 0) text.then({msg::other_outliers, grouped(static_cast<std::uint64_t>(more))});
  return text;
}

Message rising_verdict(const SnapshotSet& set, ByteUnits units) {
  const auto peak = [](const SnapshotMember& member) { return member.sums.peak_bytes; };
  return difference_words(kRises, {bytes_text(set.lowest_peak, units), bytes_text(set.highest_peak, units)},
                          std::ranges::max_element(set.members, {}, peak)->sums,
                          std::ranges::min_element(set.members, {}, peak)->sums, units);
}

}  // namespace

std::int64_t SnapshotSet::difference(std::uint32_t member) const {
  return median == kNone ? 0 : distance(members[member].sums.peak_bytes, median_peak());
}

SnapshotSet snapshot_set(std::vector<SnapshotMember> members) {
  SnapshotSet set;
  set.members = std::move(members);
  if (set.members.empty()) return set;
  set.timed = std::ranges::any_of(set.members, has_time) &&
              std::ranges::all_of(set.members, [](const SnapshotMember& member) {
                return has_time(member) || member.sums.events == 0;
              });
  sort_members(set);
  name_members(set);
  set.together = recorded_together(set);
  std::vector<std::uint32_t> by_peak = compared_members(set);
  const auto peak = [&](std::uint32_t i) { return set.members[i].sums.peak_bytes; };
  std::ranges::stable_sort(by_peak, {}, peak);
  set.median = by_peak[(by_peak.size() - 1) / 2];
  set.lowest_peak = peak(by_peak.front());
  set.highest_peak = peak(by_peak.back());
  set.typical = by_peak.size() >= kLeastForOutliers && share_code(set);
  find_outliers(set);
  set.rises = set.typical && peaks_rise(set);
  return set;
}

std::vector<SumDifference> differences(const SnapshotSums& member, const SnapshotSums& median, SumsBy by) {
  std::vector<SumDifference> all;
  std::unordered_map<std::string_view, std::size_t> of_key;
  for (const SumRow& row : member.by(by)) {
    of_key[row.key] = all.size();
    all.push_back({row.key, row.name, row.bytes, 0});
  }
  for (const SumRow& row : median.by(by)) {
    const auto found = of_key.find(row.key);
    if (found == of_key.end()) {
      all.push_back({row.key, row.name, 0, row.bytes});
    } else {
      all[found->second].median_bytes = row.bytes;
    }
  }
  std::erase_if(all, [](const SumDifference& row) { return row.bytes == row.median_bytes; });
  std::ranges::stable_sort(all, std::ranges::greater{},
                           [](const SumDifference& row) { return std::abs(row.difference()); });
  return all;
}

SetRows set_rows(const SnapshotSet& set, SumsBy by) {
  struct Range {
    const SumRow* row = nullptr;
    std::size_t members = 0;
    std::uint64_t lowest = 0;
    std::uint64_t highest = 0;
    std::uint32_t highest_member = 0;
    std::uint64_t size() const { return highest - lowest; }
  };
  std::vector<Range> ranges;
  std::unordered_map<std::string_view, std::size_t> of_key;
  for (std::uint32_t i = 0; i < set.members.size(); ++i) {
    for (const SumRow& row : set.members[i].sums.by(by)) {
      const auto [at, fresh] = of_key.try_emplace(row.key, ranges.size());
      if (fresh) ranges.push_back({&row, 0, row.bytes, row.bytes, i});
      Range& range = ranges[at->second];
      ++range.members;
      range.lowest = std::min(range.lowest, row.bytes);
      if (row.bytes <= range.highest) continue;
      range.highest = row.bytes;
      range.highest_member = i;
    }
  }
  for (Range& range : ranges) {
    if (range.members < set.members.size()) range.lowest = 0;
  }
  std::ranges::stable_sort(ranges, std::ranges::greater{},
                           [](const Range& range) { return std::pair(range.size(), range.highest); });
  SetRows found;
  found.left_out = ranges.size() - std::min(ranges.size(), SetRows::kMost);
  ranges.resize(ranges.size() - found.left_out);
  of_key.clear();
  for (const Range& range : ranges) {
    of_key[range.row->key] = found.rows.size();
    found.rows.push_back({range.row->key, range.row->name, std::vector<std::uint64_t>(set.members.size(), 0),
                          range.lowest, range.highest, range.highest_member});
  }
  for (std::uint32_t i = 0; i < set.members.size(); ++i) {
    for (const SumRow& row : set.members[i].sums.by(by)) {
      if (const auto at = of_key.find(row.key); at != of_key.end())
        found.rows[at->second].bytes[i] = row.bytes;
    }
  }
  return found;
}

Message set_verdict(const SnapshotSet& set, std::size_t broken, ByteUnits units) {
  if (set.members.empty()) return broken > 0 ? msg::no_readable_snapshot : msg::no_snapshot_found;
  const std::string lowest = bytes_text(set.lowest_peak, units);
  const std::string highest = bytes_text(set.highest_peak, units);
  const bool failed = std::ranges::any_of(
      set.members, [](const SnapshotMember& member) { return member.sums.out_of_memory.has_value(); });
  if (failed) return out_of_memory_verdict(set, units);
  if (set.members.size() == 1) return {msg::only_one_snapshot, highest};
  if (set.rises) return rising_verdict(set, units);
  if (std::ranges::count(set.outlier, true) > 0) return outlier_verdict(set, units);
  if (set.lowest_peak == set.highest_peak) return {msg::no_outliers_equal_peaks, highest};
  if (set.members.size() == 2) return {msg::only_two_snapshots, lowest, highest};
  if (!set.typical) return {msg::no_typical_snapshot, lowest, highest};
  // If the highest peak is more than twice the lowest, there is no typical peak.
  const bool wide = set.highest_peak / 2 > set.lowest_peak;
  return {wide ? msg::peaks_differ_widely : msg::no_outliers, lowest, highest,
          bytes_text(set.median_peak(), units)};
}

std::vector<Message> set_notes(const SnapshotSet& set) {
  std::vector<Message> notes;
  for (const std::int64_t rank : set.doubled_ranks) {
    std::vector<Message> files;
    for (const SnapshotMember& member : set.members) {
      if (member.rank == rank) files.emplace_back(member.file);
    }
    notes.emplace_back(msg::rank_occurs_twice, std::to_string(rank), comma_list(files));
  }
  if (!set.timed && !set.members.empty()) notes.emplace_back(msg::no_common_clock);
  const auto files_with = [&](const auto& condition) {
    std::set<std::string_view> files;
    for (const SnapshotMember& member : set.members) {
      if (condition(member)) files.insert(member.file);
    }
    return std::uint64_t{files.size()};
  };
  const std::uint64_t files = files_with([](const SnapshotMember&) { return true; });
  const std::uint64_t moments = files_with([](const SnapshotMember& member) { return !member.sums.history; });
  if (moments > 0) {
    notes.emplace_back(msg::snapshots_without_a_history_of, grouped(moments), grouped(files))
        .then(msg::values_from_moment_of_snapshot);
  }
  const std::uint64_t cut = files_with([](const SnapshotMember& member) { return member.sums.lacks_events; });
  if (cut > 0) {
    notes.emplace_back(msg::recordings_with_gaps, grouped(cut), grouped(files))
        .then(msg::peaks_of_recorded_part);
  }
  return notes;
}

}  // namespace kino
