#include "core/memory/tables/what_if_table.hpp"

#include <algorithm>

#include "core/base/byte_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/parallel.hpp"
#include "core/base/time_text.hpp"
#include "core/memory/tables/snapshot_search.hpp"
#include "core/tables/table_request.hpp"

namespace kino {
namespace {

std::string conf_of(const std::vector<std::string>& settings) {
  std::string conf;
  for (const std::string& setting : settings) conf += (conf.empty() ? "" : ",") + setting;
  std::ranges::replace(conf, '=', ':');
  return conf;
}

/// Returns the settings to evaluate, the baseline first.
Result<std::vector<WhatIfSetting>> settings_to_try(const AllocatorRules& recorded, const std::string& conf) {
  Result<WhatIfSetting> requested = setting_of(recorded, conf);
  if (!requested.ok()) return requested.error();
  AllocatorRules baseline = recorded;
  baseline.capacity = requested.value().rules.capacity;
  baseline.limit = std::min(baseline.limit, requested.value().rules.limit);
  std::vector<WhatIfSetting> settings{{{}, baseline}};
  if (requested.value().rules != baseline) {
    settings.push_back(std::move(requested).value());
    return settings;
  }
  const std::vector<WhatIfSetting> usual = usual_settings(baseline);
  settings.insert(settings.end(), usual.begin(), usual.end());
  return settings;
}

void note_proof(const WhatIfReports& made, ByteUnits units, Table& table) {
  const AllocatorProof& proof = made.proved->proof;
  table.notes.emplace_back(msg::model_is_exact, grouped(proof.same_address),
                           grouped(proof.driver_calls_equal), grouped(proof.released_equal));
  for (const Message& problem : made.proved->trace.problems)
    table.notes.emplace_back(msg::possible_errors, problem);
  const std::uint64_t recorded = made.proved->trace.recorded_peak;
  const WhatIfReport& baseline = made.answers.front();
  if (!baseline.result.oom && baseline.result.peak_reserved != recorded) {
    table.notes.emplace_back(msg::replay_reserves_and_recorded,
                             bytes_text(baseline.result.peak_reserved, units), bytes_text(recorded, units));
  }
  if (made.bounds.from_oom)
    table.notes.emplace_back(msg::at_the_out_of_memory_error, bytes_text(*made.bounds.from_oom, units));
  if (made.least_capacity)
    table.notes.emplace_back(msg::run_needs_about, bytes_text(*made.least_capacity, units));
}

void note_best(const Snapshot& snapshot, const WhatIfReports& made, ByteUnits units, Table& table) {
  if (made.answers.size() > 2 && !made.best) table.notes.emplace_back(msg::no_setting_saves);
  if (made.best) {
    const WhatIfReport& best = made.answers[*made.best];
    const std::uint64_t before = made.answers.front().result.peak_reserved;
    if (best.result.peak_reserved < before) {
      table.notes.emplace_back(msg::best_setting_saves,
                               bytes_text(before - best.result.peak_reserved, units));
    }
    if (const std::string line = line_of(allocator_settings(snapshot), best.setting); !line.empty())
      table.notes.emplace_back(msg::how_to_set, line);
  }
  table.notes.emplace_back(msg::assumes_same_requests);
  const bool by_source = std::ranges::any_of(
      made.answers, [](const WhatIfReport& answer) { return is_by_source(answer.setting.rules); });
  if (by_source) table.notes.emplace_back(msg::source_code_rows_note);
}

msg::Id verdict_of(const WhatIfReport& answer) {
  if (answer.result.oom) return msg::runs_out_of_memory;
  if (answer.ooms.empty())
    return answer.setting.rules.capacity == kUnlimitedBytes ? msg::nothing : msg::outcome_fits;
  return answer.fits_ooms() ? msg::failed_request_fits : msg::failed_request_does_not_fit;
}

void add_columns(const std::vector<WhatIfReport>& rows, Table& table) {
  const std::uint64_t before = rows.front().result.peak_reserved;
  table.text_column(rows, "setting", msg::setting, msg::setting_of_alloc_conf, [](const WhatIfReport& row) {
    return row.setting.conf.empty() ? Message(msg::recorded_settings_replayed) : Message(row.setting.conf);
  });
  table.integers_of(rows, "reserved_bytes", msg::peak_reserved, Unit::bytes, msg::maximum_reserved,
                    [](const WhatIfReport& row) { return row.result.peak_reserved; });
  table.integers_of(
      rows, "change_bytes", msg::change, Unit::bytes, msg::change_from_replay,
      [&](const WhatIfReport& row) { return signed_of(row.result.peak_reserved) - signed_of(before); });
  table.text_column(rows, "outcome", msg::outcome, msg::outcome_meaning, verdict_of);
  table.integers_of(rows, "other_way_bytes", msg::other_order, Unit::bytes, msg::other_order_meaning,
                    &WhatIfReport::other_way_peak);
  table.integers_of(rows, "active_bytes", msg::in_use, Unit::bytes, msg::rounded_blocks_at_that_peak,
                    [](const WhatIfReport& row) { return row.result.active_at_peak; });
  table.number_column(rows, "fragmentation", msg::fragmentation, Unit::share, msg::fragmentation_meaning,
                      [](const WhatIfReport& row) { return row.result.fragmentation(); });
  table.integers_of(
      rows, "stuck_bytes", msg::stuck, Unit::bytes, msg::stuck_memory_meaning,
      [](const WhatIfReport& row) { return row.result.free.free - row.result.free.releasable; });
  table.integers_of(rows, "left_bytes", msg::left, Unit::bytes, msg::unreserved_capacity,
                    [](const WhatIfReport& row) {
                      if (row.setting.rules.capacity == kUnlimitedBytes || row.result.oom) return kNoInteger;
                      return signed_of(row.setting.rules.capacity) - signed_of(row.result.peak_reserved);
                    });
  table.integers_of(rows, "device_calls", msg::device_calls, Unit::count, msg::device_calls_meaning,
                    [](const WhatIfReport& row) { return row.result.counts.device_calls; });
  table.integers_of(rows, "retries", msg::retries, Unit::count, msg::allocation_retries_meaning,
                    [](const WhatIfReport& row) { return row.result.counts.retries; });
  table.integers_of(rows, "event", msg::ran_out_at, Unit::id, msg::event_that_did_not_fit,
                    [](const WhatIfReport& row) {
                      return row.result.oom ? std::int64_t{row.result.oom->event} : kNoInteger;
                    });
  table.text_column(rows, "known", msg::evidence_title, msg::evidence_meaning, [](const WhatIfReport& row) {
    return is_by_source(row.setting.rules) ? msg::from_source_code : msg::from_recordings;
  });
}

}  // namespace

Result<std::uint64_t> capacity_alone(const std::vector<std::string>& settings) {
  const Result<AllocatorRules> set = what_if_settings(settings);
  if (!set.ok()) return set.error();
  AllocatorRules only;
  only.capacity = set.value().capacity;
  if (only.capacity == kUnlimitedBytes || set.value() != only)
    return request_error(msg::only_capacity_can_be_set);
  return only.capacity;
}

std::optional<std::uint64_t> capacity_from_text(std::string_view text, ByteUnits units) {
  while (text.ends_with(' ')) text.remove_suffix(1);
  const bool plain = text.find_first_not_of("0123456789. ") == text.npos;
  const std::string with_unit = std::string(text) + (plain ? std::string(name_of(units)) : std::string());
  const std::optional<std::uint64_t> bytes = bytes_from_text(with_unit);
  constexpr std::uint64_t kMost = std::uint64_t{1} << 60;
  return bytes && *bytes >= AllocatorRules::kSmallBuffer && *bytes <= kMost ? bytes : std::nullopt;
}

Result<AllocatorRules> what_if_settings(const std::vector<std::string>& settings) {
  return rules_with({}, conf_of(settings));
}

Result<WhatIfReports> what_if_reports(const Snapshot& snapshot, std::size_t device,
                                      const std::vector<std::string>& settings, const std::stop_token& stop) {
  WhatIfReports made;
  const std::string conf = conf_of(settings);
  // Fail before the replay, because the replay takes longer.
  if (const auto tried = rules_with({}, conf); !tried.ok()) return tried.error();
  made.proved = proved_allocator(snapshot, device, stop);
  if (!made.proved->refused().empty()) return made;
  const AllocatorTrace& trace = made.proved->trace;
  made.bounds = capacity_bounds(snapshot, device, trace);
  const Result<std::vector<WhatIfSetting>> tried = settings_to_try(trace.rules, conf);
  if (!tried.ok()) return tried.error();
  made.answers.resize(tried.value().size());
  parallel_for(thread_count_or_default(0), made.answers.size(), stop, [&](std::size_t i, unsigned) {
    made.answers[i] = answer_setting(trace, made.bounds, tried.value()[i], stop);
  });
  made.best = best_answer(made.answers);
  if (tried.value().front().rules.capacity == kUnlimitedBytes && !stop.stop_requested())
    made.least_capacity = least_capacity(trace, trace.rules, {WhatIfStart::fresh, trace.downwards}, stop);
  return made;
}

Table what_if_table(const SnapshotScope& scope, const std::stop_token& stop) {
  Table table = titled_table(kWhatIfTable, msg::what_if_definition);
  const Result<WhatIfReports> made = what_if_reports(*scope.snapshot, scope.device, scope.settings, stop);
  std::vector<WhatIfReport> rows;
  if (!made.ok()) {
    table.notes.emplace_back(made.error().what.str() + ".");
  } else if (made.value().answers.empty()) {
    table.notes.push_back(made.value().proved->refused());
    table.notes.emplace_back(msg::no_what_if_without_exact_replay);
  } else {
    rows = made.value().answers;
    // The baseline remains first.
    std::ranges::stable_sort(rows.begin() + 1, rows.end(), {},
                             [](const WhatIfReport& answer) { return answer.result.peak_reserved; });
    note_proof(made.value(), scope.units, table);
    note_best(*scope.snapshot, made.value(), scope.units, table);
  }
  if (rows.empty()) rows.push_back({});
  add_columns(rows, table);
  if (made.ok() && !made.value().answers.empty()) return table;
  for (TableColumn& column : table.columns) {
    std::visit([](auto& values) { values.clear(); }, column.values);
    column.words.clear();
  }
  return table;
}

constexpr TableKind<SnapshotScope> kWhatIfTable{
    {.name = "what-if",
     .title = msg::what_if,
     .heading = {},
     .about = msg::about_what_if,
     .supports = {.settings = true}},
    [](const SnapshotScope& scope, const TableQuery& /*query*/, const std::stop_token& stop) {
      return what_if_table(scope, stop);
    }};

}  // namespace kino
