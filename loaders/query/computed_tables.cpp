#include "loaders/query/computed_tables.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/saturating.hpp"
#include "core/tables/analysis/range_summary.hpp"
#include "core/tables/compare/comparison_tables.hpp"
#include "core/tables/compare/run_comparison.hpp"
#include "core/tables/compare/time_attribution.hpp"
#include "core/trace/links/gpu_work.hpp"

namespace kino {
namespace {

/// Plans a call of a table function. Its arguments, the first hidden columns, are all optional: bit i of the
/// plan is set if argument i is present.
bool plan_arguments(sqlite3_index_info& info, int count, std::int64_t rows) {
  int next = 1;
  for (int argument = 0; argument < count; ++argument) {
    for (int i = 0; i < info.nConstraint; ++i) {
      const auto& constraint = info.aConstraint[i];
      if (constraint.iColumn != argument || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
      if (constraint.usable == 0) return false;
      info.aConstraintUsage[i].argvIndex = next++;
      info.aConstraintUsage[i].omit = 1;
      info.idxNum |= 1 << argument;
      break;
    }
  }
  info.estimatedRows = rows;
  info.estimatedCost = static_cast<double>(rows);
  return true;
}

/// Returns an argument; null if it is absent or NULL.
sqlite3_value* argument_of(int plan, std::span<sqlite3_value* const> values, int argument) {
  if ((plan >> argument & 1) == 0) return nullptr;
  std::size_t place = 0;
  for (int before = 0; before < argument; ++before) place += static_cast<std::size_t>(plan >> before & 1);
  return sqlite3_value_type(values[place]) == SQLITE_NULL ? nullptr : values[place];
}

class NameStatsCursor : public IndexedCursor {
 public:
  enum {
    start_column,
    end_column,
    track_column,
    name_column,
    kind_column,
    count_column,
    total_column,
    self_column,
    min_column,
    mean_column,
    max_column,
    calls_column,
    column_count
  };

  NameStatsCursor(const QueryModel& model, QueryClock& clock) : model_(model), clock_(clock) {}

  bool begin(int plan, const char*, std::span<sqlite3_value* const> values) override {
    row_index = 0;
    names_.clear();
    const Trace& trace = model_.trace();
    TimeRange range = whole_range(trace);
    const auto time = [&](sqlite3_value* value, std::int64_t none) {
      return value == nullptr ? none : saturating_subtract(sqlite3_value_int64(value), trace.origin_unix_ns);
    };
    range.begin_ns = std::max(range.begin_ns, time(argument_of(plan, values, start_column), range.begin_ns));
    range.end_ns = std::min(range.end_ns, time(argument_of(plan, values, end_column), range.end_ns));
    if (range.begin_ns >= range.end_ns) return true;
    std::optional<std::span<const TrackId>> chosen;
    if (sqlite3_value* const track = argument_of(plan, values, track_column)) {
      const Nesting* const nested = model_.nesting(clock_.stop());
      if (nested == nullptr) return false;
      const std::int64_t number = sqlite3_value_int64(track);
      if (number < 0 || number >= static_cast<std::int64_t>(nested->tracks.size())) return true;
      const QueryTrack& query_track = nested->tracks[static_cast<std::size_t>(number)];
      chosen = query_track.thread == QueryTrack::kNoThread
                   ? std::span(&query_track.source, 1)
                   : std::span(model_.threads()[query_track.thread].sources);
    }
    Result<RangeSummary> summary = summarize_range(trace, range, chosen, clock_.stop());
    if (!summary.ok()) return false;
    names_ = std::move(summary.value().names);
    std::ranges::sort(names_, [](const NameStats& a, const NameStats& b) {
      return std::tuple(-a.stats.total_ns, index_of(a.name), a.kind) <
             std::tuple(-b.stats.total_ns, index_of(b.name), b.kind);
    });
    return true;
  }
  bool at_end() const override { return row_index >= names_.size(); }

  void column(sqlite3_context* out, int column) override {
    const NameStats& stats = names_[row_index];
    switch (column) {
      case name_column:
        return give_text(out, model_.trace().name_text(stats.name));
      case kind_column:
        return give_text(out, text_of(stats.kind));
      case count_column:
        return sqlite3_result_int64(out, static_cast<sqlite3_int64>(stats.stats.count));
      case total_column:
        return sqlite3_result_int64(out, stats.stats.total_ns);
      case self_column:
        return sqlite3_result_int64(out, stats.stats.self_ns);
      case min_column:
        return sqlite3_result_int64(out, stats.stats.min_ns);
      case mean_column:
        return sqlite3_result_double(out, stats.stats.mean_ns());
      case max_column:
        return sqlite3_result_int64(out, stats.stats.max_ns);
      case calls_column:
        return sqlite3_result_int64(out, static_cast<sqlite3_int64>(stats.stats.calls()));
      default:
        return;  // SQLite does not request the arguments
    }
  }

 private:
  const QueryModel& model_;
  QueryClock& clock_;
  std::vector<NameStats> names_;
};

class NameStatsTable : public SqlTable {
 public:
  explicit NameStatsTable(QueryContext& context) : context_(context) {}
  std::string columns() const override {
    return "start_ts HIDDEN INTEGER, end_ts HIDDEN INTEGER, of_track_id HIDDEN INTEGER, name TEXT, kind "
           "TEXT, "
           "count INTEGER, total INTEGER, self INTEGER, min INTEGER, mean REAL, max INTEGER, calls INTEGER";
  }
  int column_count() const override { return NameStatsCursor::column_count; }
  bool best_index(sqlite3_index_info& info) const override {
    constexpr std::int64_t kNames = 1000;
    return plan_arguments(info, NameStatsCursor::name_column, kNames);
  }
  std::unique_ptr<SqlCursor> open(const QueryModel& model, std::uint32_t) const override {
    return std::make_unique<NameStatsCursor>(model, *context_.clock);
  }

 private:
  QueryContext& context_;
};

/// Returns the record of one file for comparisons, which is cached with its model.
const RunRecord* record_of(const QueryModel& model, const std::stop_token& stop) {
  return model.kept<RunRecord>(stop, [&] {
    const Trace& trace = model.trace();
    return run_record(trace, TimeAttribution(trace, attributed_thread(trace, stop), stop), {}, stop);
  });
}

class DiffKernelCursor : public IndexedCursor {
 public:
  enum {
    by_column,
    name_column,
    cause_column,
    status_column,
    dur_a_column,
    dur_b_column,
    change_column,
    count_a_column,
    count_b_column,
    p_column,
    q_column,
    column_count
  };

  explicit DiffKernelCursor(QueryContext& context) : context_(context) {}

  bool begin(int plan, const char*, std::span<sqlite3_value* const> values) override {
    row_index = 0;
    rows_.clear();
    CompareOptions options;
    if (sqlite3_value* const by = argument_of(plan, values, by_column)) {
      const std::string_view key_name = text_of(by);
      const auto key = run_key_named(key_name == "short_name" ? "short" : key_name);
      if (!key || (*key != RunKey::name && *key != RunKey::short_name)) {
        failure = "diff_kernel() compares by 'name' or by 'short_name'";
        return false;
      }
      options.key = *key;
    }
    if (context_.files.size() < 2) {
      failure =
          "diff_kernel() compares the kernels of the first file with those of the second; open two files";
      return false;
    }
    const std::stop_token stop = context_.clock->stop();
    const RunRecord* const a = record_of(*context_.files[0], stop);
    const RunRecord* const b = a == nullptr ? nullptr : record_of(*context_.files[1], stop);
    if (b == nullptr) return false;
    if (a->windows.empty() || b->windows.empty()) return true;
    it_ = compare_runs(*a, *b, options, stop);
    if (stop.stop_requested()) return false;
    for (std::size_t i = 0; i < it_.rows.size(); ++i) {
      const TimeCategory cause = it_.rows[i].cause;
      if (cause == TimeCategory::compute || cause == TimeCategory::comm) rows_.push_back(i);
    }
    return true;
  }
  bool at_end() const override { return row_index >= rows_.size(); }

  void column(sqlite3_context* out, int column) override {
    const ComparedRow& row = it_.rows[rows_[row_index]];
    const auto per_step = [&](std::int64_t sum, const std::vector<std::int64_t>& steps) {
      if (!steps.empty())
        sqlite3_result_double(out, static_cast<double>(sum) / static_cast<double>(steps.size()));
    };
    const auto known = [&](double value) {
      if (!std::isnan(value)) sqlite3_result_double(out, value);
    };
    switch (column) {
      case name_column:
        return give_text(out, row.key);
      case cause_column:
        return give_text(out, text_of(row.cause));
      case status_column:
        return give_text(out, english(text_of(row.status)));
      case dur_a_column:
        return per_step(row.sum_a, it_.steps_a);
      case dur_b_column:
        return per_step(row.sum_b, it_.steps_b);
      case change_column:
        if (!it_.steps_a.empty() && !it_.steps_b.empty())
          sqlite3_result_double(out, mean_change(it_, row.change));
        return;
      case count_a_column:
        return per_step(row.count_a, it_.steps_a);
      case count_b_column:
        return per_step(row.count_b, it_.steps_b);
      case p_column:
        return known(row.p);
      case q_column:
        return known(row.q);
      default:
        return;  // SQLite does not request the argument
    }
  }

 private:
  QueryContext& context_;
  RunComparison it_;
  std::vector<std::size_t> rows_;  // indices of the rows to return
};

class DiffKernelTable : public SqlTable {
 public:
  explicit DiffKernelTable(QueryContext& context) : context_(context) {}
  std::string columns() const override {
    return "by_key HIDDEN TEXT, name TEXT, cause TEXT, status TEXT, dur_a REAL, dur_b REAL, change REAL, "
           "count_a REAL, count_b REAL, p REAL, q REAL";
  }
  int column_count() const override { return DiffKernelCursor::column_count; }
  bool of_one_file() const override { return false; }
  bool best_index(sqlite3_index_info& info) const override {
    constexpr std::int64_t kKernels = 1000;
    return plan_arguments(info, DiffKernelCursor::name_column, kKernels);
  }
  std::unique_ptr<SqlCursor> open(const QueryModel&, std::uint32_t) const override {
    return std::make_unique<DiffKernelCursor>(context_);
  }

 private:
  QueryContext& context_;
};

}  // namespace

int register_computed_tables(sqlite3* database, QueryContext& context) {
  const int code = register_table(database, "name_stats", std::make_unique<NameStatsTable>(context), context);
  if (code != SQLITE_OK) return code;
  return register_table(database, "diff_kernel", std::make_unique<DiffKernelTable>(context), context);
}

}  // namespace kino
