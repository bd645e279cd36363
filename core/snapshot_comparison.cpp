#include <algorithm>
#include <span>
#include <unordered_map>

#include "core/snapshot_summary.hpp"
#include "core/snapshot_tables.hpp"
#include "core/snapshot_text.hpp"
#include "core/time_text.hpp"

namespace kino {
namespace {

constexpr std::size_t kComparedBetweenStops = 4096;

struct Side {
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;
  AllocationId largest = kNoAllocation;
  std::uint64_t largest_bytes = 0;
};
struct ComparedRow {
  std::string place;
  std::string stack;
  Side before;
  Side after;
  std::int64_t difference() const {
    return static_cast<std::int64_t>(after.bytes) - static_cast<std::int64_t>(before.bytes);
  }
};

/// Whole frames, so that stacks of two files can be told to be the same.
std::string words_of(const Snapshot& snapshot, StackId stack, std::uint64_t size) {
  std::string text;
  for (const FrameId frame : snapshot.stacks.frames(stack))
    text += (text.empty() ? "" : "; ") + full_frame_text(snapshot, frame);
  return text.empty() ? "no stack recorded, " + grouped(size) + " B each" : text;
}

class Rows {
 public:
  void add(const SnapshotScope& scope, Side ComparedRow::*side, const std::stop_token& stop) {
    const Snapshot& snapshot = *scope.snapshot;
    const Allocations& all = scope.of().history.allocations;
    std::unordered_map<std::uint32_t, std::size_t> of_group;  // of this file
    std::size_t seen = 0;
    for (const AllocationId id : live_at(scope.of().history, scope.at)) {
      if (++seen % kComparedBetweenStops == 0 && stop.stop_requested()) return;
      if (scope.query != nullptr && !scope.query->matches(id)) continue;
      const auto i = static_cast<std::size_t>(id);
      const auto [at, fresh] = of_group.try_emplace(band_group(all, id), 0);
      if (fresh) at->second = row_of(snapshot, all.stack[i], all.size[i]);
      Side& sum = rows_[at->second].*side;
      sum.bytes += all.size[i];
      ++sum.count;
      if (sum.largest != kNoAllocation && all.size[i] <= sum.largest_bytes) continue;
      sum.largest = id;
      sum.largest_bytes = all.size[i];
    }
  }
  std::vector<ComparedRow> take() {
    std::stable_sort(rows_.begin(), rows_.end(), [](const ComparedRow& a, const ComparedRow& b) {
      return std::abs(a.difference()) > std::abs(b.difference());
    });
    return std::move(rows_);
  }

 private:
  std::size_t row_of(const Snapshot& snapshot, StackId stack, std::uint64_t size) {
    std::string words = words_of(snapshot, stack, size);
    const auto [at, fresh] = of_words_.try_emplace(words, rows_.size());
    if (fresh) {
      const FrameId frame = place_frame(snapshot, stack);
      rows_.push_back({frame == kNoFrame ? words : frame_text(snapshot, frame), std::move(words), {}, {}});
    }
    return at->second;
  }

  std::vector<ComparedRow> rows_;
  std::unordered_map<std::string, std::size_t> of_words_;
};

std::string bytes_words(std::uint64_t bytes) { return text_from_bytes(static_cast<double>(bytes)); }

std::string total_of(const SnapshotScope& scope, const char* name) {
  std::string text =
      name + std::string(": ") + bytes_words(curve_at(scope.of(), MemoryCurve::active, scope.at)) +
      (scope.at == kBeforeRecording ? " before the recording"
                                    : " after event " + grouped(static_cast<std::uint64_t>(scope.at)));
  if (scope.snapshot->devices.size() > 1)
    text += scope.of().host ? " of host memory" : " of device " + std::to_string(scope.of().ordinal);
  return text;
}

/// How much of each side has its stack in the other one, too: what is left compares nothing.
std::string coverage_of(std::span<const ComparedRow> rows, const ComparisonWords& words) {
  Side before;
  Side after;
  Side both_before;
  Side both_after;
  std::size_t both = 0;
  for (const ComparedRow& row : rows) {
    before.bytes += row.before.bytes;
    after.bytes += row.after.bytes;
    if (row.before.count == 0 || row.after.count == 0) continue;
    ++both;
    both_before.bytes += row.before.bytes;
    both_after.bytes += row.after.bytes;
  }
  const auto share = [](const char* name, const Side& part, const Side& all) {
    return name + std::string(" ") + bytes_words(part.bytes) + " of " + bytes_words(all.bytes);
  };
  return grouped(both) + " of " + grouped(rows.size()) + " rows are in both, with " +
         share(words.before, both_before, before) + ", " + share(words.after, both_after, after) + ".";
}

}  // namespace

Table snapshot_comparison(const SnapshotScope& before, const SnapshotScope& after,
                          const std::stop_token& stop, const ComparisonWords& words) {
  Rows sums;
  sums.add(before, &ComparedRow::before, stop);
  if (!stop.stop_requested()) sums.add(after, &ComparedRow::after, stop);
  const std::vector<ComparedRow> rows = sums.take();
  Table table;
  table.name = "compare";
  table.title = "Comparison";
  table.definition =
      "Live memory of two snapshots by stack; stacks are the same when all of their frames are.";
  table.texts_of(rows, "place", "Allocated in", "The innermost frame of the user's code",
                 [](const ComparedRow& row) { return row.place; });
  const auto add = [&](const char* key, const char* title, Unit unit, const char* about, auto&& get) {
    table.integers_of(rows, key, title, unit, about, get);
  };
  add("difference_bytes", "Difference", Unit::bytes,
      (words.after + std::string(" less ") + words.before).c_str(),
      [](const ComparedRow& row) { return row.difference(); });
  add("before_bytes", words.before, Unit::bytes, "Live in the one that is compared with",
      [](const ComparedRow& row) { return row.before.bytes; });
  add("after_bytes", words.after, Unit::bytes, "Live in the one that is compared",
      [](const ComparedRow& row) { return row.after.bytes; });
  add("before_count", words.before_count, Unit::count, "Allocations",
      [](const ComparedRow& row) { return row.before.count; });
  add("after_count", words.after_count, Unit::count, "Allocations",
      [](const ComparedRow& row) { return row.after.count; });
  table.texts_of(rows, "stack", "Stack", "All frames, innermost first",
                 [](const ComparedRow& row) { return row.stack; });
  table.columns.back().export_only = true;
  for (const ComparedRow& row : rows) {
    table.other_allocations.push_back(row.before.largest);
    table.allocations.push_back(row.after.largest);
  }
  table.notes.push_back(total_of(before, words.before) + "; " + total_of(after, words.after) + ".");
  table.notes.push_back(coverage_of(rows, words));
  return table;
}

}  // namespace kino
