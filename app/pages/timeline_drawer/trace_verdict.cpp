#include "app/pages/timeline_drawer/trace_verdict.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/pages/timeline_drawer/timeline_views.hpp"
#include "app/ui/drawer/state_json.hpp"
#include "app/ui/tables/table_results.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/analysis/verdict_text.hpp"

namespace kino {
namespace {

std::string on_one_line(const Message& message) { return escaped(in_language(message)); }

VerdictRow row_of(const Finding& finding, const Theme& theme) {
  VerdictRow row;
  row.name = in_language(text_of(finding.kind));
  row.color = finding_color(finding.kind, theme);
  if (!finding.won_ns) return row;
  row.amount = text_from_duration(*finding.won_ns);
  row.share = text_from_share(finding.share);
  return row;
}

}  // namespace

std::uint32_t finding_color(FindingKind kind, const Theme& theme) {
  switch (kind) {
    case FindingKind::data_loading:
      return idle_color(IdleShade::light, theme);
    case FindingKind::launch_bound:
      return idle_color(IdleShade::medium, theme);
    case FindingKind::launch_gaps:
      return idle_color(IdleShade::dark, theme);
    case FindingKind::waiting:
    case FindingKind::driver_memory:
    case FindingKind::garbage_collection:
      return idle_color(IdleShade::pale, theme);
    case FindingKind::exposed_communication:
      return kind_color(SliceKind::communication, theme);
    case FindingKind::copies:
      return kind_color(SliceKind::copy, theme);
    case FindingKind::recompute:
    case FindingKind::slow_step:
    case FindingKind::outliers:
    case FindingKind::no_tensor_cores:
      return kind_color(SliceKind::compute, theme);
    case FindingKind::memory_limit:
      break;
  }
  return theme.text_dim;
}

std::string verdict_headline(const Findings& findings) {
  return on_one_line(verdict_text(findings).headline);
}

Verdict verdict_texts(const Findings& findings, const Theme& theme) {
  Verdict verdict;
  const std::vector<Finding>& list = findings.list;
  const VerdictText text = verdict_text(findings);
  verdict.edge = list.empty() ? theme.accent : finding_color(list.front().kind, theme);
  verdict.headline = on_one_line(text.headline);
  if (!text.evidence.empty()) verdict.evidence = on_one_line(text.evidence);
  for (const Finding& finding : std::span(list).first(std::min(list.size(), kVerdictRows)))
    verdict.rows.push_back(row_of(finding, theme));
  if (!list.empty() && !list.front().examples.empty()) verdict.worst = tr(Text::verdict_worst);
  return verdict;
}

void TraceVerdict::start(std::shared_ptr<const Trace> trace, WorkerPool& pool,
                         const std::function<void()>& wake) {
  made_.start(pool, wake,
              [analyses = analyses_of(std::move(trace)),
               units = byte_units()](const std::stop_token& stop) -> std::shared_ptr<const Findings> {
                return std::make_shared<Findings>(whole_findings(*analyses, units, stop));
              });
}

void TraceVerdict::update(TimelineState& state, const Splitters* sizes, float page_px) {
  state.verdict_px = verdict_height(sizes != nullptr && sizes->small_verdict, page_px, state.scale);
  if (made_.poll() == nullptr || findings()->list.empty() || !state.examples.places.empty()) return;
  for (const FindingExample& example : findings()->list.front().examples)
    state.examples.places.push_back({example.shown(), example.slice});
  state.examples.shown = false;
}

void TraceVerdict::offer_job(std::size_t ranks, bool more) {
  job_ranks_ = ranks;
  job_has_more_ = more;
}

Verdict TraceVerdict::texts(const Theme& theme) const {
  if (findings() != nullptr) return verdict_texts(*findings(), theme);
  Verdict waiting;
  waiting.edge = theme.accent;
  waiting.headline = tr(made_.failed()    ? Text::not_enough_memory
                        : made_.running() ? Text::verdict_pending
                                          : Text::verdict_after_loading);
  return waiting;
}

bool TraceVerdict::draw(TimelineState& state, TablesPage& tables, Splitters* sizes, const Theme& theme) {
  if (state.boxes.verdict.height() < 1) return false;
  const bool small = sizes != nullptr && sizes->small_verdict;
  Verdict shown = texts(theme);
  if (job_ranks_ > 0) {
    shown.job =
        filled(job_has_more_ ? Text::verdict_open_job_more : Text::verdict_open_job, {grouped(job_ranks_)});
  }
  const VerdictActions done = draw_verdict(shown, small, state.boxes.verdict, theme, state.scale, places_);
  if (done.resize && sizes != nullptr) sizes->small_verdict = !small;
  if (done.summary) show_summary(state);
  const std::optional<std::size_t> finding = done.worst ? std::optional<std::size_t>(0) : done.row;
  if (finding && findings() != nullptr) tables.show(findings()->list[*finding]);
  return done.job;
}

void TraceVerdict::write_test_state(nlohmann::ordered_json& panel) const {
  using Json = nlohmann::ordered_json;
  Json rows = Json::array();
  for (const ImVec2& row : places_.rows) rows.push_back(place_json(row));
  panel["verdict"] = {{"findings", findings() != nullptr ? Json(findings()->list.size()) : Json()},
                      {"text", findings() != nullptr ? Json(findings()->verdict.str()) : Json()},
                      {"rows", std::move(rows)},
                      {"job", places_.job ? place_json(*places_.job) : Json()},
                      {"job_ranks", job_ranks_},
                      {"worst", places_.worst ? place_json(*places_.worst) : Json()},
                      {"summary", place_json(places_.summary)},
                      {"resize", place_json(places_.resize)}};
}

}  // namespace kino
