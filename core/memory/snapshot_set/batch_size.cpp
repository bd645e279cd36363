#include "core/memory/snapshot_set/batch_size.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <utility>

#include "core/base/ascii.hpp"
#include "core/base/byte_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/time_text.hpp"
#include "core/memory/categories/memory_category.hpp"
#include "core/tables/table_request.hpp"

namespace kino {
namespace {

constexpr std::uint64_t kMostSize = 1'000'000'000'000;
// Largest change of batch-independent memory, relative to the larger value.
constexpr double kMostConstantChange = 0.001;
// Largest negative value of a line at size 0, relative to the bytes at the largest size. For memory that
// grows with the square of the size, the value is -0.5 if one size is twice the other.
constexpr double kMostBelowNothing = 0.05;
// Smallest growth of a category that is checked, relative to the growth of the peak.
constexpr double kLeastGrowth = 0.05;
// Largest deviation of a third size from the line.
constexpr double kMostOff = 0.02;

constexpr std::array kConstant{MemoryCategory::parameters,       MemoryCategory::master_weights,
                               MemoryCategory::optimizer_state,  MemoryCategory::copies_of_parameters,
                               MemoryCategory::gradient_buffers, MemoryCategory::kv_cache};

std::string bytes_in(double bytes, ByteUnits units) {
  return (bytes < 0 ? "-" : "") + text_from_bytes(std::abs(bytes), units);
}

/// Returns the first word for a size that a number follows, and the number.
std::optional<std::pair<std::string, std::uint64_t>> size_in_name(std::string_view name) {
  constexpr std::array<std::string_view, 14> kWords{"batch", "batchsize", "bs",  "bsz",     "mbs",
                                                    "gbs",   "b",         "ctx", "context", "seqlen",
                                                    "seq",   "tokens",    "len", "size"};
  std::string word;
  for (std::size_t i = 0; i < name.size();) {
    if (is_letter(name[i])) {
      word.clear();
      for (; i < name.size() && is_letter(name[i]); ++i) word += lower(name[i]);
      continue;
    }
    if (!is_digit(name[i])) {
      // These characters may separate a word from its number.
      if (name[i] != '_' && name[i] != '-' && name[i] != '=' && name[i] != ' ') word.clear();
      ++i;
      continue;
    }
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(name.data() + i, name.data() + name.size(), number);
    i = static_cast<std::size_t>(end - name.data());
    // Exclude 8b, which is the size of a model, and 0.5, which is a share.
    const bool alone =
        i == name.size() ||
        (!is_letter(name[i]) && (name[i] != '.' || i + 1 == name.size() || !is_digit(name[i + 1])));
    if (error == std::errc() && alone && number > 0 && number <= kMostSize &&
        std::ranges::find(kWords, word) != kWords.end())
      return std::pair(word, number);
    word.clear();
  }
  return std::nullopt;
}

/// Returns the bytes of a category at the peak.
std::uint64_t bytes_of(const SnapshotSums& sums, std::string_view category) {
  for (const SumRow& row : sums.by(SumsBy::category)) {
    if (row.key == category) return row.bytes;
  }
  return 0;
}

class Fit {
 public:
  Fit(const SnapshotSet& set, std::span<const std::uint64_t> sizes, std::optional<std::uint64_t> capacity,
      ByteUnits units)
      : set_(set), units_(units) {
    made_.capacity = capacity;
    find_points(sizes);
  }

  BatchFit run() {
    made_.refused = why_no_points();
    if (made_.refused.empty()) made_.refused = why_other_program();
    if (!made_.refused.empty()) return std::move(made_);
    draw_lines();
    made_.refused = why_no_line();
    if (made_.refused.empty()) {
      find_most();
      find_doubts();
    }
    return std::move(made_);
  }

 private:
  const SnapshotSums& sums_of(const SizePoint& point) const { return set_.members[point.member].sums; }
  const Message& name_of(const SizePoint& point) const { return set_.names[point.member]; }
  const SizePoint& last() const { return made_.points.back(); }
  const SizePoint& before() const { return made_.points[made_.points.size() - 2]; }
  /// Returns whether the peak is at the same line of code as the peak of the largest size.
  bool same_moment(const SizePoint& point) const {
    return sums_of(point).peak_place == sums_of(last()).peak_place;
  }

  void find_points(std::span<const std::uint64_t> sizes) {
    std::vector<std::uint32_t> highest(sizes.size(), SnapshotSet::kNone);
    for (std::uint32_t i = 0; i < set_.members.size(); ++i) {
      const std::size_t source = set_.members[i].source;
      if (source >= sizes.size() || sizes[source] == 0) continue;
      std::uint32_t& known = highest[source];
      if (known == SnapshotSet::kNone ||
          set_.members[i].sums.peak_bytes > set_.members[known].sums.peak_bytes)
        known = i;
    }
    for (std::size_t source = 0; source < sizes.size(); ++source) {
      const std::uint32_t i = highest[source];
      if (i == SnapshotSet::kNone) continue;
      const SnapshotMember& member = set_.members[i];
      const auto& failed = member.sums.out_of_memory;
      if (failed) {
        if (!made_.capacity) {
          made_.capacity = failed->reserved + failed->device_free;
          made_.capacity_from_oom = true;
        }
        made_.doubts.emplace_back(msg::size_ran_out_of_memory, grouped(sizes[source]));
      } else if (!member.whole) {
        made_.doubts.emplace_back(msg::file_of_size_incomplete, grouped(sizes[source]));
      } else {
        made_.points.push_back({i, sizes[source]});
      }
    }
    std::ranges::stable_sort(made_.points, {}, &SizePoint::size);
  }

  Message why_no_points() const {
    if (made_.points.size() < 2) return msg::line_needs_two_sizes;
    for (std::size_t i = 1; i < made_.points.size(); ++i) {
      if (made_.points[i].size == made_.points[i - 1].size)
        return {msg::two_snapshots_have_the_size, grouped(made_.points[i].size)};
    }
    return {};
  }

  Message why_other_program() const {
    for (const MemoryCategory category : kConstant) {
      const std::string_view key = english(text_of(category));
      for (const SizePoint& point : made_.points) {
        const auto here = static_cast<double>(bytes_of(sums_of(point), key));
        const auto there = static_cast<double>(bytes_of(sums_of(last()), key));
        if (std::abs(here - there) <= kMostConstantChange * std::max(here, there)) continue;
        return {msg::not_one_program, text_of(category),       bytes_in(here, units_),
                name_of(point),       bytes_in(there, units_), name_of(last())};
      }
    }
    return {};
  }

  SizeLine line_through(auto&& bytes) const {
    SizeLine line;
    for (const SizePoint& point : made_.points) line.bytes.push_back(std::invoke(bytes, sums_of(point)));
    const auto high = static_cast<double>(line.bytes.back());
    const auto low = static_cast<double>(line.bytes[line.bytes.size() - 2]);
    line.per_unit = (high - low) / static_cast<double>(last().size - before().size);
    line.fixed = high - line.per_unit * static_cast<double>(last().size);
    return line;
  }

  void draw_lines() {
    made_.peak = line_through(&SnapshotSums::peak_bytes);
    made_.reserved = line_through(&SnapshotSums::reserved_peak_bytes);
    for (const SizePoint& point : made_.points) {
      for (const SumRow& row : sums_of(point).by(SumsBy::category)) {
        if (std::ranges::find(made_.lines, row.key, &SizeLine::key) != made_.lines.end()) continue;
        made_.lines.push_back(
            line_through([&](const SnapshotSums& sums) { return bytes_of(sums, row.key); }));
        made_.lines.back().key = row.key;
        made_.lines.back().name = row.name;
      }
    }
    std::ranges::stable_sort(made_.lines, [](const SizeLine& a, const SizeLine& b) {
      return a.per_unit != b.per_unit ? a.per_unit > b.per_unit : a.fixed > b.fixed;
    });
  }

  Message why_no_line() const {
    const auto peak = static_cast<double>(made_.peak.bytes.back());
    if (made_.peak.per_unit <= 0) {
      return {msg::peak_does_not_grow,
              bytes_in(static_cast<double>(made_.peak.bytes[made_.points.size() - 2]), units_),
              grouped(before().size), bytes_in(peak, units_), grouped(last().size)};
    }
    for (const SizeLine& line : made_.lines) {
      if (line.per_unit < kLeastGrowth * made_.peak.per_unit ||
          line.fixed >= -kMostBelowNothing * static_cast<double>(line.bytes.back()))
        continue;
      return {msg::grows_faster_than_size, line.name, bytes_in(line.fixed, units_)};
    }
    for (const SizePoint& point : made_.points) {
      const auto recorded = static_cast<double>(sums_of(point).peak_bytes);
      const double line = made_.peak.at(static_cast<double>(point.size));
      if (!same_moment(point) || std::abs(line - recorded) <= kMostOff * recorded) continue;
      return {msg::peak_not_linear, grouped(point.size),    grouped(before().size),
              grouped(last().size), bytes_in(line, units_), bytes_in(recorded, units_)};
    }
    return {};
  }

  std::uint64_t most_of(const SizeLine& line) const {
    const double room = static_cast<double>(*made_.capacity) - line.fixed;
    if (room < 0) return 0;
    return static_cast<std::uint64_t>(std::clamp(std::floor(room / line.per_unit), 0.0, BatchFit::kMostSize));
  }

  void find_most() {
    if (!made_.capacity) return;
    made_.most_live = most_of(made_.peak);
    if (made_.reserved.per_unit > 0) made_.most_reserved = most_of(made_.reserved);
  }

  void find_doubts() {
    std::size_t checked = 0;
    double off = 0;
    for (std::size_t i = 0; i + 2 < made_.points.size(); ++i) {
      const SizePoint& point = made_.points[i];
      if (!same_moment(point)) continue;
      const auto recorded = static_cast<double>(sums_of(point).peak_bytes);
      off = std::max(off, std::abs(made_.peak.at(static_cast<double>(point.size)) - recorded) / recorded);
      ++checked;
    }
    if (checked > 0) {
      made_.doubts.emplace_back(msg::smaller_sizes_on_the_line, grouped(checked), text_from_share(off));
    } else {
      made_.doubts.emplace_back(msg::two_sizes_form_a_line);
    }
    for (const SizePoint& point : made_.points) {
      if (same_moment(point)) continue;
      made_.doubts.emplace_back(msg::peak_at_another_line, grouped(point.size), sums_of(point).peak_place,
                                grouped(last().size), sums_of(last()).peak_place);
      break;
    }
    for (const SizePoint& point : made_.points) {
      if (!sums_of(point).lacks_events) continue;
      made_.doubts.emplace_back(msg::some_recordings_incomplete);
      break;
    }
    made_.doubts.emplace_back(msg::assumes_linear_growth);
  }

  const SnapshotSet& set_;
  ByteUnits units_;
  BatchFit made_;
};

}  // namespace

std::vector<std::uint64_t> sizes_in_names(std::span<const std::string> names) {
  std::vector<std::uint64_t> sizes;
  std::string word;
  for (const std::string& name : names) {
    const auto found = size_in_name(name);
    if (!found || (!sizes.empty() && found->first != word) ||
        std::ranges::find(sizes, found->second) != sizes.end())
      return {};
    word = found->first;
    sizes.push_back(found->second);
  }
  return sizes;
}

Result<std::vector<std::uint64_t>> sizes_from_text(std::string_view text) {
  std::vector<std::uint64_t> sizes;
  for (;;) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, comma);
    std::uint64_t size = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), size);
    if (error != std::errc() || end != part.data() + part.size() || size == 0 || size > kMostSize)
      return request_error(msg::sizes_format);
    sizes.push_back(size);
    if (comma == text.size()) return sizes;
    text.remove_prefix(comma + 1);
  }
}

BatchFit batch_fit(const SnapshotSet& set, std::span<const std::uint64_t> sizes,
                   std::optional<std::uint64_t> capacity, ByteUnits units) {
  return Fit(set, sizes, capacity, units).run();
}

std::vector<Message> batch_notes(const BatchFit& fit, ByteUnits units) {
  if (!fit.refused.empty()) return {fit.refused};
  std::vector<Message> notes;
  notes.emplace_back(msg::peak_of_live_memory_x_size, bytes_in(fit.peak.fixed, units),
                     bytes_in(fit.peak.per_unit, units));
  if (fit.most_live) {
    notes.emplace_back(fit.capacity_from_oom ? msg::oom_capacity_fits : msg::capacity_fits,
                       bytes_in(static_cast<double>(*fit.capacity), units), grouped(*fit.most_live));
    if (fit.most_reserved) notes.emplace_back(msg::reserved_fits, grouped(*fit.most_reserved));
  } else {
    notes.emplace_back(msg::set_a_capacity);
  }
  notes.insert(notes.end(), fit.doubts.begin(), fit.doubts.end());
  return notes;
}

Table batch_table(const SnapshotSet& set, const BatchFit& fit, ByteUnits units) {
  struct BatchRow {
    Message name;
    const SizeLine* line = nullptr;
  };
  std::vector<BatchRow> rows;
  if (fit.refused.empty() && !fit.points.empty()) {
    for (const SizeLine& line : fit.lines) rows.push_back({line.name, &line});
    rows.push_back({msg::peak_of_live_memory, &fit.peak});
    if (fit.reserved.bytes.back() > 0) rows.push_back({msg::peak_reserved, &fit.reserved});
  }
  Table table = titled_table(kBatchTable, msg::batch_size_definition);
  table.text_column(rows, "category", msg::category, msg::purpose_of_memory, &BatchRow::name);
  table.number_column(rows, "fixed_bytes", msg::fixed, Unit::bytes, msg::value_at_size_0,
                      [](const BatchRow& row) { return row.line->fixed; });
  table.number_column(rows, "per_unit_bytes", msg::per_unit, Unit::bytes, msg::bytes_per_unit,
                      [](const BatchRow& row) { return row.line->per_unit; });
  table.number_column(rows, "growth_share", msg::growth_share, Unit::share, msg::growth_share_meaning,
                      [&](const BatchRow& row) {
                        return row.line == &fit.reserved ? kNoNumber : row.line->per_unit / fit.peak.per_unit;
                      });
  for (std::size_t i = 0; i < fit.points.size() && !rows.empty(); ++i) {
    table.integers_of(rows, ("bytes_" + std::to_string(i + 1)).c_str(),
                      {msg::size_named, grouped(fit.points[i].size)}, Unit::bytes, msg::recorded_at_peak,
                      [i](const BatchRow& row) { return row.line->bytes[i]; });
  }
  const double larger = fit.points.empty() ? 0 : 2 * static_cast<double>(fit.points.back().size);
  const Message title = larger > 0 ? Message(msg::size_named, grouped(static_cast<std::uint64_t>(larger)))
                                   : Message(msg::twice_the_size);
  table.number_column(rows, "twice_bytes", title, Unit::bytes, msg::value_at_twice_the_size,
                      [&](const BatchRow& row) { return row.line->at(larger); });
  if (!rows.empty()) table.links.assign(rows.size(), RowLink::to_recording(fit.points.back().member));
  if (!set.members.empty()) table.notes = batch_notes(fit, units);
  return table;
}

constexpr TableInfo kBatchTable{.name = "batch-size",
                                .title = msg::by_batch_size,
                                .heading = msg::many_snapshots,
                                .about = msg::about_batch_size,
                                .supports = {.settings = true}};

}  // namespace kino
