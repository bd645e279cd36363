#include <algorithm>
#include <unordered_map>

#include "core/snapshot_summary.hpp"
#include "core/snapshot_tables.hpp"
#include "core/snapshot_text.hpp"
#include "core/time_text.hpp"

namespace kino {
namespace {

struct Side {
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;
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
  void add(const SnapshotScope& scope, Side ComparedRow::*side) {
    const Snapshot& snapshot = *scope.snapshot;
    const Allocations& all = scope.of().history.allocations;
    std::unordered_map<std::uint32_t, std::size_t> of_group;  // of this file
    for (const AllocationId id : live_at(scope.of().history, scope.at)) {
      if (scope.query != nullptr && !scope.query->matches(id)) continue;
      const auto i = static_cast<std::size_t>(id);
      const auto [at, fresh] = of_group.try_emplace(band_group(all, id), 0);
      if (fresh) at->second = row_of(snapshot, all.stack[i], all.size[i]);
      Side& sum = rows_[at->second].*side;
      sum.bytes += all.size[i];
      ++sum.count;
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

std::string total_of(const SnapshotScope& scope) {
  const std::uint64_t bytes = curve_at(scope.of(), MemoryCurve::active, scope.at);
  return text_from_bytes(static_cast<double>(bytes)) +
         (scope.at == kBeforeRecording ? " before the recording"
                                       : " after event " + grouped(static_cast<std::uint64_t>(scope.at)));
}

}  // namespace

Table snapshot_comparison(const SnapshotScope& before, const SnapshotScope& after,
                          const std::stop_token& stop) {
  Rows sums;
  sums.add(before, &ComparedRow::before);
  if (!stop.stop_requested()) sums.add(after, &ComparedRow::after);
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
  add("difference_bytes", "Difference", Unit::bytes, "Second less first",
      [](const ComparedRow& row) { return row.difference(); });
  add("before_bytes", "First", Unit::bytes, "Live in the first snapshot",
      [](const ComparedRow& row) { return row.before.bytes; });
  add("after_bytes", "Second", Unit::bytes, "Live in the second snapshot",
      [](const ComparedRow& row) { return row.after.bytes; });
  add("before_count", "Count in first", Unit::count, "Allocations",
      [](const ComparedRow& row) { return row.before.count; });
  add("after_count", "Count in second", Unit::count, "Allocations",
      [](const ComparedRow& row) { return row.after.count; });
  table.texts_of(rows, "stack", "Stack", "All frames, innermost first",
                 [](const ComparedRow& row) { return row.stack; });
  table.columns.back().export_only = true;
  table.notes.push_back("First: " + total_of(before) + "; second: " + total_of(after) + ".");
  return table;
}

}  // namespace kino
