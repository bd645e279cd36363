#include "app/pages/comparison/comparison_texts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "app/ui/text/texts.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/compare/comparison_tables.hpp"
#include "core/tables/compare/statistics.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostReasons = 4;
constexpr std::size_t kLeastSteps = 4;

const RunCheck* refusing(const RunComparison& comparison) {
  const auto found = std::ranges::find(comparison.checks, CheckResult::refuses, &RunCheck::result);
  return found == comparison.checks.end() ? nullptr : &*found;
}

/// Returns the explanation for a check that refuses the comparison.
Text text_for(RunCheckKind kind) {
  switch (kind) {
    case RunCheckKind::world_size:
      return Text::runs_different_rank_count;
    case RunCheckKind::gpu_work:
      return Text::runs_gpu_on_one;
    case RunCheckKind::shapes:
      return Text::runs_different_shapes;
    case RunCheckKind::matmul_types:
      return Text::runs_different_types;
    default:
      return Text::runs_different_gpu;
  }
}

/// Returns the mean steps of both runs: "213.8 ms → 181 ms per step".
std::string both_means(const ComparisonState& state, const RunComparison& comparison) {
  const StepChange& step = comparison.decisive();
  const std::string a = text_from_duration(std::llround(step.mean_a));
  const std::string b = text_from_duration(std::llround(step.mean_b));
  const auto& records = state.picture->runs->records;
  const bool steps = records[0].has_steps && records[1].has_steps;
  return filled(steps ? Text::runs_per_step : Text::runs_in_all, {a, b});
}

}  // namespace

std::string signed_percent(double share) {
  if (!std::isfinite(share)) return "?";
  return std::abs(share) < 0.0005 ? "0.0 %" : formatted("%+.1f %%", share * 100);
}

std::string signed_duration(double ns) {
  const std::int64_t whole = std::llround(ns);
  return (whole > 0 ? "+" : "") + text_from_duration(whole);
}

std::string cause_name(TimeCategory cause, std::optional<HostCause> host) {
  constexpr std::array kOfHost{Text::cause_host_sync, Text::cause_host_malloc, Text::cause_host_gc,
                               Text::cause_host_lock, Text::cause_host_other};
  static_assert(kOfHost.size() == kHostCauseCount);
  if (host) return tr(kOfHost[static_cast<std::size_t>(*host)]);
  constexpr std::array kNames{Text::cause_comm,        Text::cause_compute,   Text::cause_copy,
                              Text::cause_cpu,         Text::cause_idle_host, Text::cause_idle_launch,
                              Text::cause_idle_loader, Text::cause_idle_tail};
  static_assert(kNames.size() == kTimeCategoryCount);
  return tr(kNames[static_cast<std::size_t>(cause)]);
}

std::string phase_name(StepPhase phase, bool before_backward) {
  switch (phase) {
    case StepPhase::loading:
      return tr(Text::phase_loading);
    case StepPhase::forward:
      return tr(before_backward ? Text::phase_forward : Text::phase_work);
    case StepPhase::backward:
      return tr(Text::phase_backward);
    case StepPhase::optimizer:
      return tr(Text::phase_optimizer);
    case StepPhase::tail:
      break;
  }
  return tr(Text::cause_idle_tail);
}

std::string verdict_sentence(const ComparisonState& state) {
  if (state.picture == nullptr) return tr(state.failed ? Text::runs_no_memory : Text::runs_reading);
  const RunComparison& comparison = state.picture->comparison;
  if (comparison.steps_a.empty() || comparison.steps_b.empty()) return tr(Text::runs_nothing);
  switch (comparison.verdict) {
    case RunVerdict::faster:
      return filled(Text::runs_faster, {both_means(state, comparison)});
    case RunVerdict::slower:
      return filled(Text::runs_slower, {both_means(state, comparison)});
    case RunVerdict::no_change:
      return filled(Text::runs_no_change, {both_means(state, comparison)});
    case RunVerdict::cannot_tell:
      return filled(Text::runs_inconclusive, {both_means(state, comparison)});
    case RunVerdict::not_comparable:
      break;
  }
  const RunCheck* const check = refusing(comparison);
  return filled(Text::runs_refused, {check != nullptr ? tr(text_for(check->kind)) : "?"});
}

std::string verdict_reasons(const ComparisonState& state) {
  if (state.picture == nullptr) return {};
  const RunComparison& comparison = state.picture->comparison;
  if (comparison.verdict == RunVerdict::not_comparable) {
    const RunCheck* const check = refusing(comparison);
    if (check == nullptr) return {};
    return filled(Text::runs_refused_why, {in_language(check->what), escaped(check->a.str(language())),
                                           escaped(check->b.str(language())), in_language(check->outcome)});
  }
  const bool tested = comparison.steps_a.size() >= kLeastSteps && comparison.steps_b.size() >= kLeastSteps;
  const bool changed = comparison.verdict == RunVerdict::faster || comparison.verdict == RunVerdict::slower;
  std::vector<ComparedCause> causes;
  const auto collect = [&](bool any) {
    for (const ComparedCause& cause : comparison.fine_causes()) {
      if (cause.change != 0 && (any || cause.p < kSignificant)) causes.push_back(cause);
    }
  };
  collect(!tested);
  // If the step differs although no single cause differs significantly, the largest causes are named.
  const bool alone = causes.empty() && tested && changed;
  if (alone) collect(true);
  // In a job, most ranks just wait, so the straggler is named as well.
  const auto with_job = [&](const std::string& words) {
    const Message sentence = state.picture->runs->job.sentence();
    if (!sentence.empty()) return in_language(sentence) + " " + words;
    if (state.sides[1].job == nullptr || state.sides[1].job->verdict.empty()) return words;
    return filled(Text::runs_and_job, {words, escaped(state.sides[1].job->verdict)});
  };
  if (causes.empty()) return with_job(tr(tested ? Text::runs_no_cause : Text::runs_same));
  std::ranges::stable_sort(causes, std::ranges::greater{},
                           [](const ComparedCause& cause) { return std::abs(cause.change); });
  std::string words;
  for (std::size_t i = 0; i < std::min(kMostReasons, causes.size()); ++i) {
    words += (i == 0 ? "" : ", ") + cause_name(causes[i].cause, causes[i].host) + " " +
             signed_duration(mean_change(comparison, causes[i].change));
  }
  return with_job(filled(!tested ? Text::runs_reasons_untested
                         : alone ? Text::runs_reasons_together
                                 : Text::runs_reasons,
                         {words}));
}

std::string verdict_statistics(const ComparisonState& state) {
  const RunComparison* const comparison = state.told();
  if (comparison == nullptr) return {};
  const StepChange& step = comparison->decisive();
  std::string words =
      filled(Text::runs_samples, {grouped(comparison->steps_a.size()), grouped(comparison->steps_b.size())});
  if (!comparison->tested()) {
    words += ", " + std::string(tr(Text::runs_one_sample));
  } else if (comparison->verdict == RunVerdict::cannot_tell) {
    words += ", " + std::string(tr(Text::runs_too_few));
  } else if (std::isfinite(step.p)) {
    words += ", p " + formatted("%.2g", step.p);
  }
  if (std::isfinite(step.low))
    words += ", " + filled(Text::runs_interval, {signed_percent(step.low), signed_percent(step.high)});
  if (std::isfinite(step.detectable))
    words += "; " + filled(Text::runs_detectable, {formatted("%.1f %%", step.detectable * 100)});
  return words + ". " + tr(state.sides[0].job != nullptr ? Text::runs_within_job : Text::runs_within_run);
}

std::string steps_text(const ComparisonState& state, std::size_t side) {
  const ComparedSide& compared = state.sides[side];
  if (!compared.selection.ranges.empty())
    return counted(Text::runs_one_range, Text::runs_ranges, compared.selection.ranges.size());
  if (state.picture == nullptr) return {};
  const RunRecord& record = state.picture->runs->records[side];
  if (!record.has_steps) return tr(Text::runs_no_steps);
  if (record.windows.empty()) return {};
  const std::string& first = record.windows.front().name;
  const std::string& last = record.windows.back().name;
  std::string words =
      first == last ? filled(Text::runs_step, {first}) : filled(Text::runs_steps, {first, last});
  const std::uint64_t left_out = record.stubs_left_out + record.first_left_out.value_or(0);
  if (left_out > 0) words += " " + filled(Text::runs_excluded, {grouped(left_out)});
  if (compared.job != nullptr)
    return filled(Text::runs_rank_steps, {std::to_string(record.facts.rank), words});
  return words;
}

std::string steps_hint(const ComparisonState& state, std::size_t side) {
  if (state.picture == nullptr) return {};
  std::string words;
  for (const Message& note : state.picture->runs->records[side].step_notes)
    words += (words.empty() ? "" : "\n") + in_language(note);
  return words;
}

}  // namespace kino
