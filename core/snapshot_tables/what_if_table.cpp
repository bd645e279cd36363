#include "core/snapshot_tables/what_if_table.hpp"

#include <algorithm>
#include <array>

#include "core/base/byte_text.hpp"
#include "core/base/parallel.hpp"
#include "core/base/time_text.hpp"
#include "core/snapshot/allocator_settings.hpp"

namespace kino {
namespace {

constexpr std::string_view kBaseline = "as recorded";

struct Trial {
  std::string_view key;
  std::string_view value;
};
constexpr std::array kTrials{
    Trial{"expandable_segments", "True"},   Trial{"expandable_segments", "False"},
    Trial{"max_split_size_mb", "32"},       Trial{"max_split_size_mb", "64"},
    Trial{"max_split_size_mb", "128"},      Trial{"max_split_size_mb", "256"},
    Trial{"max_split_size_mb", "512"},      Trial{"roundup_power2_divisions", "2"},
    Trial{"roundup_power2_divisions", "4"}, Trial{"roundup_power2_divisions", "8"},
};

std::string bytes_text(std::uint64_t bytes) { return text_from_bytes(static_cast<double>(bytes)); }

std::string conf_of(const std::vector<std::string>& settings) {
  std::string conf;
  for (const std::string& setting : settings) conf += (conf.empty() ? "" : ",") + setting;
  std::ranges::replace(conf, '=', ':');
  return conf;
}

class Answers {
 public:
  Answers(const Snapshot& snapshot, std::size_t device, const std::stop_token& stop)
      : snapshot_(snapshot), device_(device), stop_(stop) {}

  Result<WhatIfAnswers> run(const std::vector<std::string>& settings) {
    WhatIfAnswers made;
    const std::string conf = conf_of(settings);
    // Told before the replay, which takes longer.
    if (const auto tried = rules_with({}, conf); !tried.ok()) return tried.error();
    made.proved = proved_allocator(snapshot_, device_, stop_);
    if (!made.proved->refused().empty()) return made;
    const AllocatorTrace& trace = made.proved->trace;
    made.bounds = capacity_bounds(snapshot_, device_, trace);
    Result<AllocatorRules> asked = rules_with(trace.rules, conf);
    if (!asked.ok()) return asked.error();
    AllocatorRules baseline = trace.rules;
    baseline.capacity = asked.value().capacity;
    made.answers.push_back({std::string(kBaseline), {}, {}, baseline, {}, 0, {}});
    if (asked.value() != baseline) {
      made.answers.push_back({conf, {}, {}, asked.value(), {}, 0, {}});
    } else {
      add_trials(baseline, made);
    }
    answer(made);
    choose_best(made);
    if (asked.value().capacity == kUnlimitedBytes && !stop_.stop_requested())
      made.least_capacity = least_capacity(trace, trace.rules, {WhatIfStart::fresh, trace.downwards}, stop_);
    return made;
  }

 private:
  static void add_trials(const AllocatorRules& baseline, WhatIfAnswers& made) {
    for (const Trial& trial : kTrials) {
      const std::string setting = std::string(trial.key) + ":" + std::string(trial.value);
      const auto rules = rules_with(baseline, setting);
      if (!rules.ok() || rules.value() == baseline) continue;
      AllocatorRules tried = rules.value();
      // Expandable segments are split anyhow.
      if (trial.key == "max_split_size_mb") tried.expandable = false;
      made.answers.push_back({setting, std::string(trial.key), std::string(trial.value), tried, {}, 0, {}});
    }
  }

  void answer(WhatIfAnswers& made) const {
    const AllocatorTrace& trace = made.proved->trace;
    parallel_for(thread_count_or_default(0), made.answers.size(), stop_, [&](std::size_t i, unsigned) {
      WhatIfAnswer& of = made.answers[i];
      of.result = what_if(trace, of.rules, {WhatIfStart::fresh, trace.downwards}, nullptr, nullptr, stop_);
      of.other_way_peak =
          what_if(trace, of.rules, {WhatIfStart::fresh, !trace.downwards}, nullptr, nullptr, stop_)
              .peak_reserved;
      AllocatorRules there = of.rules;
      if (made.bounds.from_oom && there.capacity == kUnlimitedBytes) there.capacity = *made.bounds.from_oom;
      for (std::size_t oom = 0; oom < std::min(trace.ooms.size(), kMostOoms); ++oom)
        of.ooms.push_back(answer_oom(trace, there, oom, stop_));
    });
  }

  static bool fits_ooms(const WhatIfAnswer& of) {
    return std::ranges::all_of(of.ooms, [](const OomAnswer& oom) { return oom.reached && oom.fits; });
  }

  static void choose_best(WhatIfAnswers& made) {
    const WhatIfAnswer& baseline = made.answers.front();
    for (std::size_t i = 1; i < made.answers.size(); ++i) {
      const WhatIfAnswer& of = made.answers[i];
      if (of.result.oom) continue;
      const bool rescues = (baseline.result.oom.has_value()) || (fits_ooms(of) && !fits_ooms(baseline));
      const bool saves =
          of.result.peak_reserved <= baseline.result.peak_reserved - baseline.result.peak_reserved / 100;
      if (!rescues && !saves) continue;
      if (!made.best || of.result.peak_reserved < made.answers[*made.best].result.peak_reserved)
        made.best = i;
    }
  }

  static constexpr std::size_t kMostOoms = 4;
  const Snapshot& snapshot_;
  std::size_t device_;
  const std::stop_token& stop_;
};

void note_proof(const WhatIfAnswers& made, Table& table) {
  const AllocatorProof& proof = made.proved->proof;
  table.notes.push_back("The model repeats the recording exactly: " + grouped(proof.same_address) +
                        " requests at their addresses, " + grouped(proof.driver_calls_equal) +
                        " calls of the device, " + grouped(proof.released_equal) + " segments given back.");
  for (const std::string& problem : made.proved->trace.problems)
    table.notes.push_back("In doubt: " + problem + ".");
  const std::uint64_t recorded = made.proved->trace.recorded_peak;
  const WhatIfAnswer& baseline = made.answers.front();
  if (!baseline.result.oom && baseline.result.peak_reserved != recorded) {
    table.notes.push_back("Begun with an empty cache the run reserves " +
                          bytes_text(baseline.result.peak_reserved) + " as it was set, " +
                          bytes_text(recorded) + " in the recording.");
  }
  if (made.bounds.from_oom) {
    table.notes.push_back("At the out-of-memory error the allocator could reserve " +
                          bytes_text(*made.bounds.from_oom) + ".");
  }
  if (made.least_capacity) {
    table.notes.push_back("As it was set, the run has room in about " + bytes_text(*made.least_capacity) +
                          ".");
  }
}

void note_best(const Snapshot& snapshot, const WhatIfAnswers& made, Table& table) {
  if (made.answers.size() > 2 && !made.best)
    table.notes.emplace_back("None of these settings reserves less by 1 % or more.");
  if (made.best) {
    const WhatIfAnswer& best = made.answers[*made.best];
    const std::uint64_t before = made.answers.front().result.peak_reserved;
    if (best.result.peak_reserved < before) {
      table.notes.push_back("The best of them reserves " + bytes_text(before - best.result.peak_reserved) +
                            " less.");
    }
    if (!best.key.empty())
      table.notes.push_back("To set it: " + line_to_set(allocator_settings(snapshot), best.key, best.value));
  }
  table.notes.emplace_back(
      "This assumes the same requests: programs that look at free memory or pick other kernels differ.");
  const bool by_source =
      std::ranges::any_of(made.answers, [](const WhatIfAnswer& of) { return is_by_source(of.rules); });
  if (by_source) {
    table.notes.emplace_back(
        "What is by source was never seen in a recording: it is known from the allocator's code.");
  }
}

const char* verdict_of(const WhatIfAnswer& of) {
  if (of.result.oom) return "runs out of memory";
  if (of.ooms.empty()) return of.rules.capacity == kUnlimitedBytes ? "" : "has room";
  const bool fits =
      std::ranges::all_of(of.ooms, [](const OomAnswer& oom) { return oom.reached && oom.fits; });
  return fits ? "the request that failed fits" : "the request that failed does not fit";
}

void add_columns(const std::vector<WhatIfAnswer>& rows, Table& table) {
  const std::uint64_t before = rows.front().result.peak_reserved;
  table.texts_of(rows, "setting", "Setting", "Of PYTORCH_CUDA_ALLOC_CONF",
                 [](const WhatIfAnswer& row) { return row.setting; });
  table.integers_of(rows, "reserved_bytes", "Peak reserved", Unit::bytes, "At its highest",
                    [](const WhatIfAnswer& row) { return row.result.peak_reserved; });
  table.integers_of(
      rows, "change_bytes", "Change", Unit::bytes, "Against the run as it was set",
      [&](const WhatIfAnswer& row) { return signed_of(row.result.peak_reserved) - signed_of(before); });
  table.texts_of(rows, "outcome", "Outcome", "Whether memory suffices", verdict_of);
  table.integers_of(rows, "other_way_bytes", "Other way", Unit::bytes,
                    "The peak when new segments lie the other way: equal free blocks are taken by address",
                    [](const WhatIfAnswer& row) { return row.other_way_peak; });
  table.integers_of(rows, "active_bytes", "In use", Unit::bytes, "Rounded blocks at that peak",
                    [](const WhatIfAnswer& row) { return row.result.active_at_peak; });
  table.numbers_of(rows, "fragmentation", "Fragmentation", Unit::share,
                   "Of the reserved memory at its peak, what is in no block in use",
                   [](const WhatIfAnswer& row) { return row.result.fragmentation(); });
  table.integers_of(
      rows, "stuck_bytes", "Stuck", Unit::bytes, "Free memory at the peak that cannot go back to the device",
      [](const WhatIfAnswer& row) { return row.result.free.free - row.result.free.releasable; });
  table.integers_of(rows, "left_bytes", "Left", Unit::bytes, "Of the capacity at the peak",
                    [](const WhatIfAnswer& row) {
                      if (row.rules.capacity == kUnlimitedBytes || row.result.oom) return kNoInteger;
                      return signed_of(row.rules.capacity) - signed_of(row.result.peak_reserved);
                    });
  table.integers_of(rows, "device_calls", "Device calls", Unit::count, "That got memory",
                    [](const WhatIfAnswer& row) { return row.result.counts.device_calls; });
  table.integers_of(rows, "retries", "Retries", Unit::count,
                    "Requests for which all of the cache was given back",
                    [](const WhatIfAnswer& row) { return row.result.counts.retries; });
  table.integers_of(rows, "event", "Ran out at", Unit::id, "The event of the request without room",
                    [](const WhatIfAnswer& row) {
                      return row.result.oom ? std::int64_t{row.result.oom->event} : kNoInteger;
                    });
  table.texts_of(
      rows, "known", "Known", "From recordings, or from the allocator's source only",
      [](const WhatIfAnswer& row) { return is_by_source(row.rules) ? "by source" : "from recordings"; });
}

}  // namespace

Result<AllocatorRules> what_if_settings(const std::vector<std::string>& settings) {
  return rules_with({}, conf_of(settings));
}

Result<WhatIfAnswers> what_if_answers(const Snapshot& snapshot, std::size_t device,
                                      const std::vector<std::string>& settings, const std::stop_token& stop) {
  return Answers(snapshot, device, stop).run(settings);
}

Table what_if_table(const SnapshotScope& scope, const std::stop_token& stop) {
  Table table;
  table.name = "what-if";
  table.title = "What if";
  table.definition =
      "The recorded requests run through a model of the caching allocator under other settings.";
  const Result<WhatIfAnswers> made = what_if_answers(*scope.snapshot, scope.device, scope.settings, stop);
  std::vector<WhatIfAnswer> rows;
  if (!made.ok()) {
    table.notes.push_back(made.error().what + ".");
  } else if (made.value().answers.empty()) {
    table.notes.push_back(made.value().proved->refused());
    table.notes.emplace_back("Without an exact replay no question about other settings is answered.");
  } else {
    rows = made.value().answers;
    // The baseline stays first.
    std::stable_sort(rows.begin() + 1, rows.end(), [](const WhatIfAnswer& a, const WhatIfAnswer& b) {
      return a.result.peak_reserved < b.result.peak_reserved;
    });
    note_proof(made.value(), table);
    note_best(*scope.snapshot, made.value(), table);
  }
  if (rows.empty()) rows.push_back({});
  add_columns(rows, table);
  if (made.ok() && !made.value().answers.empty()) return table;
  for (TableColumn& column : table.columns) std::visit([](auto& values) { values.clear(); }, column.values);
  return table;
}

constexpr TableKind kWhatIfTable{
    .name = "what-if",
    .title = "What if",
    .heading = {},
    .about = "What other settings of the allocator would have reserved",
    .heeds = {.settings = true},
    .compute = [](const SnapshotScope& scope, std::size_t /*group*/, const std::stop_token& stop) {
      return what_if_table(scope, stop);
    }};

}  // namespace kino
