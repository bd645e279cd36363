#include "core/tables/name_stats/sequence_table.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>

#include "core/base/messages/message.hpp"
#include "core/base/saturating.hpp"
#include "core/trace/links/range_parts.hpp"
#include "core/trace/name_text.hpp"
#include "core/trace/row_window.hpp"

namespace kino {
namespace {

/// Numbers by position in the concatenated streams. Equal numbers mean equal names.
using Numbers = std::vector<std::uint32_t>;

/// Range of a stream's positions, [first, last).
struct StreamPositions {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// Assigns numbers to sequences: equal sequences have equal numbers. A sequence is identified by the numbers
/// of its first and its last part.
class SequenceNumbers {
 public:
  SequenceNumbers(const Trace& trace, const GpuWork& work) {
    Numbers names;
    for (const StreamWork& stream : work.streams) {
      streams_.push_back({slices_.size(), slices_.size() + stream.slices.size()});
      slices_.insert(slices_.end(), stream.slices.begin(), stream.slices.end());
    }
    for (const SliceId slice : slices_) names.push_back(index_of(trace.name(slice)));
    powers_.push_back(std::move(names));
  }

  const std::vector<SliceId>& slices() const { return slices_; }
  const std::vector<StreamPositions>& streams() const { return streams_; }

  /// Returns by position the number of the sequence of this length (at least 1) that starts there. The number
  /// is meaningful only if the sequence ends in the same stream.
  Numbers of_length(std::size_t length) {
    while ((std::size_t{2} << (powers_.size() - 1)) <= length)
      powers_.push_back(paired(powers_.back(), std::size_t{1} << (powers_.size() - 1)));
    const std::size_t power = std::bit_floor(length);
    const Numbers& half = powers_[static_cast<std::size_t>(std::bit_width(power)) - 1];
    return power == length ? half : paired(half, length - power);
  }

 private:
  static Numbers paired(const Numbers& parts, std::size_t distance) {
    Numbers numbers(parts.size(), 0);
    std::unordered_map<std::uint64_t, std::uint32_t> known;
    for (std::size_t i = 0; i + distance < parts.size(); ++i) {
      const std::uint64_t pair = std::uint64_t{parts[i]} << 32 | parts[i + distance];
      numbers[i] = known.try_emplace(pair, static_cast<std::uint32_t>(known.size())).first->second;
    }
    return numbers;
  }

  std::vector<SliceId> slices_;
  std::vector<StreamPositions> streams_;
  std::vector<Numbers> powers_;  // numbers for the lengths 1, 2, 4, ...
};

/// Count and time of a sequence, while occurrences are counted.
struct Counted {
  std::uint32_t number = 0;
  std::size_t first = 0;
  std::size_t next = 0;  // earliest position of another occurrence
  std::uint64_t count = 0;
  std::int64_t total_ns = 0;
};

/// Returns the sequences with at least two occurrences, most time first, at most kMaxCandidates.
std::vector<Counted> counted_sequences(const SequenceNumbers& numbers, const Numbers& of_length,
                                       std::size_t length, std::span<const std::int64_t> before_ns) {
  constexpr std::size_t kMaxCandidates = 1000;
  std::unordered_map<std::uint32_t, Counted> found;
  for (const StreamPositions& stream : numbers.streams()) {
    for (std::size_t i = stream.first; i + length <= stream.last; ++i) {
      Counted& sequence = found.try_emplace(of_length[i], Counted{of_length[i], i, i, 0, 0}).first->second;
      if (i < sequence.next) continue;
      sequence.next = i + length;
      ++sequence.count;
      add_saturating(sequence.total_ns, saturating_subtract(before_ns[i + length], before_ns[i]));
    }
  }
  std::vector<Counted> most;
  for (const auto& [number, sequence] : found) {
    if (sequence.count > 1) most.push_back(sequence);
  }
  std::ranges::sort(most, [](const Counted& a, const Counted& b) {
    return a.total_ns != b.total_ns ? a.total_ns > b.total_ns : a.first < b.first;
  });
  most.resize(std::min(most.size(), kMaxCandidates));
  return most;
}

/// Returns the first kMaxSequences of `most`, omitting sequences that mostly overlap an earlier one. Without
/// this filter, a loop would be listed once per possible first piece.
std::vector<Counted> apart_sequences(const SequenceNumbers& numbers, const Numbers& of_length,
                                     std::size_t length, const std::vector<Counted>& most) {
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> positions;  // by number
  for (const Counted& sequence : most) positions[sequence.number].reserve(sequence.count);
  for (const StreamPositions& stream : numbers.streams()) {
    for (std::size_t i = stream.first; i + length <= stream.last; ++i) {
      const auto found = positions.find(of_length[i]);
      if (found == positions.end()) continue;
      if (found->second.empty() || found->second.back() + length <= i) found->second.push_back(i);
    }
  }
  std::vector<bool> taken(numbers.slices().size(), false);
  std::vector<Counted> apart;
  for (const Counted& sequence : most) {
    if (apart.size() == kMaxSequences) break;
    const std::vector<std::size_t>& at = positions[sequence.number];
    const auto overlaps =
        std::ranges::count_if(at, [&](std::size_t i) { return taken[i] || taken[i + length - 1]; });
    if (2 * static_cast<std::size_t>(overlaps) > at.size()) continue;
    for (const std::size_t i : at) std::fill_n(taken.begin() + static_cast<std::ptrdiff_t>(i), length, true);
    apart.push_back(sequence);
  }
  return apart;
}

bool is_part_of(const SequenceRow& shorter, const SequenceRow& longer) {
  return shorter.names.size() < longer.names.size() && shorter.count == longer.count &&
         std::search(longer.names.begin(), longer.names.end(), shorter.names.begin(), shorter.names.end()) !=
             longer.names.end();
}

std::string text_of_sequence(const Trace& trace, std::span<const NameId> names) {
  constexpr std::size_t kMaxNames = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMaxNames, names.size()); ++i)
    text += (i == 0 ? "" : ", ") + short_name(trace.name_text(names[i]));
  if (names.size() > kMaxNames) text += ", ...";
  return text;
}

constexpr std::string_view kSequenceKeys[] = {"length", "all_names"};

}  // namespace

std::vector<SequenceRow> sequence_rows(const Trace& trace, const GpuWork& work, TimeRange range,
                                       const std::stop_token& stop) {
  SequenceNumbers numbers(trace, work);
  const std::vector<SliceId>& slices = numbers.slices();
  std::vector<std::int64_t> before_ns{0};
  before_ns.reserve(slices.size() + 1);
  for (const SliceId slice : slices)
    before_ns.push_back(saturating_add(before_ns.back(), clipped_ns(trace, index_of(slice), range)));
  std::vector<SequenceRow> rows;
  for (const std::size_t length : kSequenceLengths) {
    if (stop.stop_requested()) return {};
    if (length > slices.size()) break;
    const Numbers of_length = numbers.of_length(length);
    const std::vector<Counted> most = counted_sequences(numbers, of_length, length, before_ns);
    for (const Counted& sequence : apart_sequences(numbers, of_length, length, most)) {
      SequenceRow& row = rows.emplace_back();
      for (std::size_t i = sequence.first; i < sequence.first + length; ++i)
        row.names.push_back(trace.name(slices[i]));
      row.count = sequence.count;
      row.total_ns = sequence.total_ns;
      row.first = slices[sequence.first];
    }
  }
  std::vector<SequenceRow> listed;
  for (const SequenceRow& row : rows) {
    if (std::ranges::none_of(rows, [&](const SequenceRow& other) { return is_part_of(row, other); }))
      listed.push_back(row);
  }
  std::ranges::stable_sort(listed, std::ranges::greater(), &SequenceRow::total_ns);
  return listed;
}

std::vector<SliceId> sequence_instances(const Trace& trace, const GpuWork& work, SliceId first,
                                        std::size_t length) {
  const auto name_of = [&](SliceId slice) { return trace.name(slice); };
  std::vector<NameId> names;
  for (const StreamWork& stream : work.streams) {
    const auto begin = std::ranges::find(stream.slices, first);
    if (static_cast<std::size_t>(stream.slices.end() - begin) < length) continue;
    for (std::size_t i = 0; i < length; ++i) names.push_back(name_of(begin[static_cast<std::ptrdiff_t>(i)]));
    break;
  }
  std::vector<SliceId> found;
  if (names.empty()) return found;
  for (const StreamWork& stream : work.streams) {
    const std::span<const SliceId> all = stream.slices;
    for (std::size_t i = 0; i + length <= all.size();) {
      const std::span<const SliceId> part = all.subspan(i, length);
      const bool same = std::ranges::equal(part, names, {}, name_of);
      if (same) found.insert(found.end(), part.begin(), part.end());
      i += same ? length : 1;
    }
  }
  return found;
}

Table sequence_table(const Trace& trace, const std::vector<SequenceRow>& rows) {
  Table table{.definition = msg::row_per_sequence};
  table.texts_of(rows, "names", msg::sequence, msg::short_names_in_their_order_the,
                 [&](const SequenceRow& row) { return text_of_sequence(trace, row.names); });
  table.texts_of(rows, "all_names", msg::full_names, msg::in_their_order_separated_by_line,
                 [&](const SequenceRow& row) {
                   std::string text;
                   for (const NameId name : row.names)
                     text += (text.empty() ? "" : "\n") + std::string(trace.name_text(name));
                   return text;
                 });
  table.columns.back().export_only = true;
  table.integers_of(rows, "length", msg::length, Unit::count, msg::pieces_of_gpu_work_in_it,
                    [](const SequenceRow& row) { return row.names.size(); });
  table.integers_of(rows, "count", msg::count, Unit::count, msg::number_of_occurrences, &SequenceRow::count);
  table.integers_of(rows, "total_ns", msg::total, Unit::ns, msg::summed_durations_of_its_work_every,
                    &SequenceRow::total_ns);
  table.number_column(rows, "mean_ns", msg::mean, Unit::ns, msg::total_divided_by_count,
                      [](const SequenceRow& row) {
                        return static_cast<double>(row.total_ns) / static_cast<double>(row.count);
                      });
  for (const SequenceRow& row : rows) table.links.emplace_back(row.first);
  return table;
}

constexpr TableKind<RangeParts> kSequenceTable{
    {.name = "sequences",
     .title = msg::sequences,
     .heading = msg::gpu,
     .about = msg::about_sequences,
     .keys = kSequenceKeys},
    [](const RangeParts& parts, const TableQuery&, const std::stop_token& stop) -> Table {
      const Trace& trace = parts.trace();
      return sequence_table(trace, sequence_rows(trace, parts.work(stop), parts.gpu_range(stop), stop));
    },
    [](const RangeParts& parts, const RowQuery& query, const std::stop_token& stop) {
      const auto& lengths = std::get<TableColumn::Integers>(query.table.find("length")->values);
      return sequence_instances(parts.trace(), parts.work(stop), query.example,
                                static_cast<std::size_t>(lengths[query.row]));
    }};

}  // namespace kino
