#include "loaders/query/stack_table.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/ascii.hpp"
#include "core/trace/links/slice_relations.hpp"
#include "core/trace/python_frame.hpp"
#include "loaders/query/joined_events.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostFrames = 1000;
constexpr std::uint32_t kStepsBetweenLooks = 1 << 16;  // slices and ancestors between checks of the clock
constexpr int kFrameBits = 10;                         // lowest bits of a row's id; see kMostFrames

enum {
  stack_slice_column,
  stack_depth_column,
  stack_frame_column,
  stack_function_column,
  stack_file_column,
  stack_line_column,
  stack_frame_slice_column,
  stack_column_count
};

struct StackRow {
  std::string_view frame;
  SliceId slice = kNoSlice;  // slice of the frame; kNoSlice if it has none
};

class StackCursor : public SqlCursor {
 public:
  StackCursor(const QueryModel& model, QueryClock& clock) : model_(model), clock_(clock) {}

  bool begin(int plan, const char*, std::span<sqlite3_value* const> values) override {
    frames_.clear();
    at_ = 0;
    slice_ = end_ = 0;
    joined_ = joined_events(model_, clock_.stop());
    if (joined_ == nullptr) return false;
    if (plan == 0) {
      end_ = model_.slice_count();
      return fill();
    }
    const EventNumber event = event_with_id(model_, values[0]);
    if (event == kNoEvent || !model_.is_slice(event)) return true;
    slice_ = event;
    end_ = slice_ + 1;
    return fill();
  }

  bool next() override {
    if (++at_ < frames_.size()) return true;
    ++slice_;
    return fill();
  }
  bool at_end() const override { return slice_ >= end_; }

  void column(sqlite3_context* out, int column) override {
    const StackRow& row = frames_[at_];
    const PythonFrame parts = python_frame_of(row.frame);
    switch (column) {
      case stack_slice_column:
        return sqlite3_result_int64(out, slice_);
      case stack_depth_column:
        return sqlite3_result_int64(out, static_cast<std::int64_t>(at_));
      case stack_frame_column:
        return give_text(out, row.frame);
      case stack_function_column:
        return give_text(out, parts.function);
      case stack_file_column:
        if (!parts.file.empty()) give_text(out, parts.file);
        return;
      case stack_line_column:
        if (!parts.file.empty()) sqlite3_result_int64(out, parts.line);
        return;
      default:
        if (row.slice != kNoSlice) sqlite3_result_int64(out, index_of(row.slice));
    }
  }
  std::int64_t row_id() const override {
    return (std::int64_t{slice_} << kFrameBits) + static_cast<std::int64_t>(at_);
  }

 private:
  /// Advances to the next slice that has frames.
  bool fill() {
    for (at_ = 0; slice_ < end_; ++slice_) {
      if (++steps_ >= kStepsBetweenLooks) {
        steps_ = 0;
        if (clock_.over()) return false;
      }
      find_frames(SliceId{slice_});
      if (!frames_.empty()) return true;
    }
    return true;
  }

  void find_frames(SliceId slice) {
    frames_.clear();
    const Trace& trace = model_.trace();
    for (SliceId at = cpu_side_of(trace, slice); at != kNoSlice && frames_.size() < kMostFrames;
         at = trace.parent(at)) {
      ++steps_;
      if (trace.kind(at) == SliceKind::python) {
        frames_.push_back({trace.name_of(at), at});
      } else if (frames_.empty()) {
        take_written(joined_->facts[facts_index(trace, at)].call_stack);
        if (!frames_.empty()) return;
      }
    }
  }

  /// Splits a stack that is recorded as text at ";" and line ends.
  void take_written(std::string_view text) {
    while (!text.empty() && frames_.size() < kMostFrames) {
      const std::size_t end = std::min(text.find_first_of(";\n"), text.size());
      const std::string_view frame = trimmed(text.substr(0, end));
      if (!frame.empty()) frames_.push_back({frame, kNoSlice});
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  const QueryModel& model_;
  QueryClock& clock_;
  const JoinedEvents* joined_ = nullptr;
  EventNumber slice_ = 0;
  EventNumber end_ = 0;
  std::uint32_t steps_ = 0;       // since the clock was last checked
  std::vector<StackRow> frames_;  // frames of slice_
  std::size_t at_ = 0;
};

class StackTable : public SqlTable {
 public:
  explicit StackTable(QueryContext& context) : context_(context) {}
  std::string columns() const override {
    return "slice_id INTEGER, depth INTEGER, frame TEXT, function TEXT, filename TEXT, line INTEGER, "
           "frame_slice_id INTEGER";
  }
  int column_count() const override { return stack_column_count; }
  bool best_index(sqlite3_index_info& info) const override {
    constexpr std::int64_t kFramesOfSlice = 16;
    std::int64_t slices = 1;
    for (const auto& model : context_.files) slices = std::max<std::int64_t>(slices, model->slice_count());
    info.estimatedRows = slices * kFramesOfSlice;
    info.estimatedCost = static_cast<double>(info.estimatedRows);
    plan_search(info, stack_slice_column, kFramesOfSlice, kFramesOfSlice);
    return true;
  }
  std::unique_ptr<SqlCursor> open(const QueryModel& model, std::uint32_t) const override {
    return std::make_unique<StackCursor>(model, *context_.clock);
  }

 private:
  QueryContext& context_;
};

}  // namespace

std::unique_ptr<SqlTable> stack_table(QueryContext& context) { return std::make_unique<StackTable>(context); }

}  // namespace kino
