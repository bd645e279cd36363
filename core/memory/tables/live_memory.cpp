// Live memory at a moment: by stack, line, size and other groups, and as folded stacks.
#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "core/base/byte_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/parallel.hpp"
#include "core/base/time_text.hpp"
#include "core/memory/snapshot_summary.hpp"
#include "core/memory/snapshot_text.hpp"
#include "core/memory/tables/snapshot_columns.hpp"
#include "core/memory/tables/snapshot_groups.hpp"
#include "core/memory/tables/snapshot_tables.hpp"

namespace kino {
namespace {

std::vector<AllocationId> live_and_wanted(const SnapshotScope& scope, EventIndex at) {
  std::vector<AllocationId> live = live_at(scope.of().history, at);
  if (scope.query != nullptr) std::erase_if(live, [&](AllocationId id) { return !scope.query->matches(id); });
  return live;
}

Message moment_words(const SnapshotDevice& device, EventIndex event) {
  if (!has_history(device)) return msg::when_the_snapshot_was_taken;
  if (event == kBeforeRecording) return msg::before_the_recording;
  const std::string since = time_between(device, 0, event);
  if (since.empty()) return {msg::after_event, std::to_string(event)};
  return {msg::after_event_and_time, std::to_string(event), since};
}

void note_moment(const SnapshotScope& scope, Table& table) {
  note_device(scope, table);
  table.notes.emplace_back(msg::memory_named, moment_words(scope.of(), scope.at));
}

/// Allocations that form one row.
struct LiveGroup {
  AllocationId largest = kNoAllocation;
  AllocationId oldest = kNoAllocation;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::uint64_t bytes_before = 0;
  std::uint64_t count_before = 0;
  Message name;
  std::array<std::uint64_t, kConfidenceCount> sure_bytes{};
  std::uint64_t categories = 0;  ///< bits of AllocationCategories::bit_of
  std::int64_t growth() const { return signed_of(bytes) - signed_of(bytes_before); }
};

/// Finds or adds the row of an allocation: by stack or number, or by the name of its group.
class Grouper {
 public:
  Grouper(const SnapshotScope& scope, LiveGrouping by)
      : scope_(scope), by_(by), places_(scope), names_(scope, by) {}

  LiveGroup& row_of(AllocationId id) {
    const Allocations& all = scope_.of().history.allocations;
    const std::uint32_t i = index_of(id);
    if (by_ == LiveGrouping::stack || by_ == LiveGrouping::allocation) {
      const std::uint64_t key = by_ == LiveGrouping::stack ? stack_row(all, id) : i;
      const auto [at, fresh] = by_number_.try_emplace(key, rows_.size());
      if (fresh) rows_.push_back({id, id, 0, 0, 0, 0, places_.of(id), {}});
      return rows_[at->second];
    }
    const GroupName& group = names_.of(id);
    const auto [at, fresh] = by_name_.try_emplace(group.key, rows_.size());
    if (fresh) rows_.push_back({id, id, 0, 0, 0, 0, group.name, {}});
    return rows_[at->second];
  }
  std::vector<LiveGroup> take() { return std::move(rows_); }

 private:
  const SnapshotScope& scope_;
  LiveGrouping by_;
  SnapshotPlaces places_;
  GroupNames names_;
  std::vector<LiveGroup> rows_;
  std::unordered_map<std::uint64_t, std::size_t> by_number_;
  std::unordered_map<std::string, std::size_t> by_name_;
};

/// Adds columns for bytes by confidence, and for the reason of the largest allocation's category.
void add_sureness(Table& table, const SnapshotScope& scope, const std::vector<LiveGroup>& rows) {
  struct SureColumn {
    const char* key;
    msg::Id title;
    msg::Id about;
  };
  constexpr std::array<SureColumn, kConfidenceCount> kColumns{
      SureColumn{"certain_bytes", msg::certain_other, msg::evidence_frame},
      SureColumn{"likely_bytes", msg::likely_other, msg::evidence_phase_or_sizes},
      SureColumn{"guess_bytes", msg::guessed, msg::evidence_weak},
      SureColumn{"unknown_bytes", msg::unknown_other, msg::evidence_none}};
  std::array<std::uint64_t, kConfidenceCount> sums{};
  std::uint64_t total = 0;
  for (std::size_t sure = 0; sure < kConfidenceCount; ++sure) {
    table.integers_of(rows, kColumns[sure].key, kColumns[sure].title, Unit::bytes, kColumns[sure].about,
                      [&](const LiveGroup& row) { return row.sure_bytes[sure]; });
    for (const LiveGroup& row : rows) sums[sure] += row.sure_bytes[sure];
    total += sums[sure];
  }
  table.text_column(rows, "why", msg::because, msg::evidence_for_largest,
                    [&](const LiveGroup& row) { return scope.categories->why_of(index_of(row.largest)); });
  const auto percent = [&](Confidence sure) {
    return text_from_share(total == 0 ? 0
                                      : static_cast<double>(sums[static_cast<std::size_t>(sure)]) /
                                            static_cast<double>(total));
  };
  table.notes.emplace_back(msg::bytes_by_confidence, percent(Confidence::certain),
                           percent(Confidence::likely), percent(Confidence::guess),
                           percent(Confidence::unknown));
  std::ranges::copy(scope.categories->notes, std::back_inserter(table.notes));
}

std::uint64_t bytes_of(const Allocations& all, const std::vector<AllocationId>& ids) {
  std::uint64_t sum = 0;
  for (const AllocationId id : ids) sum += all.size[index_of(id)];
  return sum;
}

std::vector<LiveGroup> group_live(const SnapshotScope& scope, LiveGrouping by,
                                  const std::vector<AllocationId>& live, const std::stop_token& stop) {
  const Allocations& all = scope.of().history.allocations;
  Grouper grouper(scope, by);
  for (std::size_t k = 0; k < live.size(); ++k) {
    if (k % kCancelStride == 0 && stop.stop_requested()) break;
    const std::uint32_t i = index_of(live[k]);
    LiveGroup& row = grouper.row_of(live[k]);
    ++row.count;
    row.bytes += all.size[i];
    if (scope.categories != nullptr) {
      row.sure_bytes[static_cast<std::size_t>(scope.categories->sure[i])] += all.size[i];
      row.categories |= scope.categories->bit_of(i);
    }
    if (all.size[i] > all.size[index_of(row.largest)]) row.largest = live[k];
  }
  if (scope.baseline != kNoMoment) {
    for (const AllocationId id : live_and_wanted(scope, scope.baseline)) {
      LiveGroup& row = grouper.row_of(id);
      ++row.count_before;
      row.bytes_before += all.size[index_of(id)];
    }
  }
  return grouper.take();
}

/// Adds columns of bytes, counts and ages.
void add_sums(Table& table, const SnapshotScope& scope, LiveGrouping by, const std::vector<LiveGroup>& rows,
              std::uint64_t live_bytes) {
  const SnapshotDevice& device = scope.of();
  const Allocations& all = device.history.allocations;
  const auto total = static_cast<double>(std::max<std::uint64_t>(1, live_bytes));
  table.text_column(rows, "place", group_title(by), msg::grouping_key, &LiveGroup::name);
  table.integers_of(rows, "bytes", msg::bytes, Unit::bytes, msg::as_requested, &LiveGroup::bytes);
  if (scope.baseline != kNoMoment) {
    table.integers_of(rows, "growth_bytes", msg::growth, Unit::bytes, msg::difference_from_other_moment,
                      &LiveGroup::growth);
    table.integers_of(rows, "bytes_before", msg::bytes_before, Unit::bytes, msg::at_the_other_moment,
                      &LiveGroup::bytes_before);
  }
  table.number_column(rows, "share", msg::share, Unit::share, msg::share_of_listed,
                      [&](const LiveGroup& row) { return static_cast<double>(row.bytes) / total; });
  const bool each = by == LiveGrouping::allocation;
  if (!each) {
    table.integers_of(rows, "count", msg::count, Unit::count, msg::allocations, &LiveGroup::count);
    table.integers_of(rows, "largest_bytes", msg::largest, Unit::bytes, msg::largest_one,
                      [&](const LiveGroup& row) { return all.size[index_of(row.largest)]; });
  }
  table.integers_of(rows, "age_events", each ? msg::age_in_events : msg::oldest_in_events, Unit::count,
                    msg::since_allocation_or_empty, [&](const LiveGroup& row) {
                      return count_or_none(all.begin[index_of(row.oldest)], scope.at);
                    });
  table.integers_of(
      rows, "age_ns", each ? msg::age : msg::oldest, Unit::ns, msg::same_as_time,
      [&](const LiveGroup& row) { return ns_or_none(device, all.begin[index_of(row.oldest)], scope.at); });
}

/// In the order of LiveGrouping.
constexpr TableGroup kLiveGroups[] = {{"stack", msg::by_stack},       {"allocation", msg::by_allocation},
                                      {"line", msg::by_line},         {"function", msg::by_function},
                                      {"file", msg::by_file},         {"size", msg::by_size},
                                      {"category", msg::by_category}, {"stream", msg::by_stream},
                                      {"pool", msg::by_pool}};

}  // namespace

msg::Id group_title(LiveGrouping by) {
  constexpr std::array kNames{msg::allocated_in, msg::allocated_in, msg::allocated_in,
                              msg::function,     msg::file,         msg::size,
                              msg::category,     msg::stream,       msg::pool};
  return kNames[static_cast<std::size_t>(by)];
}

Table live_memory_table(const SnapshotScope& scope, LiveGrouping by, const std::stop_token& stop) {
  const SnapshotDevice& device = scope.of();
  const Allocations& all = device.history.allocations;
  const bool compared = scope.baseline != kNoMoment;
  const std::vector<AllocationId> live = live_and_wanted(scope, scope.at);
  std::vector<LiveGroup> rows = group_live(scope, by, live, stop);
  if (compared) {
    std::erase_if(rows,
                  [](const LiveGroup& row) { return row.growth() == 0 && row.count == row.count_before; });
    std::ranges::stable_sort(rows, std::ranges::greater{}, &LiveGroup::growth);
  } else {
    std::ranges::stable_sort(rows, std::ranges::greater{}, &LiveGroup::bytes);
  }
  const std::uint64_t live_bytes = bytes_of(all, live);
  Table table = titled_table(kLiveTable, msg::live_memory_definition);
  note_moment(scope, table);
  table.notes.emplace_back(msg::live_allocations_with, grouped(live.size()),
                           bytes_text(live_bytes, scope.units));
  if (compared) table.notes.emplace_back(msg::compared_with_memory, moment_words(device, scope.baseline));
  const std::size_t found = rows.size();
  if (by == LiveGrouping::allocation && rows.size() > scope.most_rows) rows.resize(scope.most_rows);
  if (by == LiveGrouping::allocation) note_left_out(scope, found, table);
  add_sums(table, scope, by, rows, live_bytes);
  std::vector<AllocationId> largest;
  std::ranges::transform(rows, std::back_inserter(largest), &LiveGroup::largest);
  table.links.assign(largest.begin(), largest.end());
  if (by == LiveGrouping::allocation) {
    table.integers_of(
        rows, "freed_in_events", msg::freed_after, Unit::count, msg::events_from_this_moment_to_its,
        [&](const LiveGroup& row) { return count_or_none(scope.at, all.end[index_of(row.largest)]); });
    add_facts(table, scope, largest);
    add_stacks(table, scope, largest);
    add_frees(table, scope, largest);
  }
  if (by == LiveGrouping::category && scope.categories != nullptr) add_sureness(table, scope, rows);
  if (by == LiveGrouping::stack) {
    if (scope.categories != nullptr) {
      table.text_column(rows, "category", msg::category, msg::category_of_row,
                        [&](const LiveGroup& row) { return scope.categories->text_of_set(row.categories); });
    }
    if (scope.adds_largest_origin) add_places(table, scope, largest);
    add_stacks(table, scope, largest);
  }
  note_recording(scope, table);
  return table;
}

std::string folded_stacks(const SnapshotScope& scope, const std::stop_token& stop) {
  const Snapshot& snapshot = *scope.snapshot;
  const Allocations& all = scope.of().history.allocations;
  struct Folded {
    StackId stack;
    bool of_free;
    std::uint64_t bytes;
  };
  std::vector<Folded> sums;
  std::unordered_map<std::uint64_t, std::size_t> row_of;
  for (const AllocationId id : live_and_wanted(scope, scope.at)) {
    const StackId stack = all.stack[index_of(id)];
    const bool of_free = all.origin[index_of(id)] == AllocationOrigin::freed_only;
    const std::uint64_t key = std::uint64_t{static_cast<std::uint32_t>(stack)} << 1U | (of_free ? 1U : 0U);
    const auto [at, fresh] = row_of.try_emplace(key, sums.size());
    if (fresh) sums.push_back({stack, of_free, 0});
    sums[at->second].bytes += all.size[index_of(id)];
  }
  std::ranges::stable_sort(sums, std::ranges::greater{}, &Folded::bytes);
  std::string text;
  for (const Folded& sum : sums) {
    if (stop.stop_requested()) break;
    std::string line =
        sum.of_free ? std::string(english(msg::older_than_the_recording_by_where)) : std::string();
    const auto frames = snapshot.stacks.frames(sum.stack);
    for (std::size_t i = frames.size(); i-- > 0;) {
      std::string frame = frame_text(snapshot, frames[i]);
      for (char& c : frame) {
        if (c == ';' || c == '\n' || c == '\r') c = ' ';
      }
      line += (line.empty() ? "" : ";") + frame;
    }
    if (frames.empty()) line += (line.empty() ? "" : ";") + std::string(english(msg::no_stack_recorded));
    text += line + " " + std::to_string(sum.bytes) + "\n";
  }
  return text;
}

constexpr TableKind<SnapshotScope> kLiveTable{
    {.name = "live",
     .title = msg::live_memory,
     .heading = {},
     .about = msg::about_live,
     .groups = kLiveGroups,
     .supports = {.moment = true, .since = true, .find = true}},
    [](const SnapshotScope& scope, const TableQuery& query, const std::stop_token& stop) {
      return live_memory_table(scope, static_cast<LiveGrouping>(query.group), stop);
    }};

}  // namespace kino
