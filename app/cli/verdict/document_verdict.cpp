#include "app/cli/verdict/document_verdict.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/pages/comparison/comparison_texts.hpp"
#include "app/pages/job/job_texts.hpp"
#include "app/shell/settings/category_rules.hpp"
#include "app/shell/settings/kernel_categories.hpp"
#include "app/ui/text/columns_of_text.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/job/flight/hang_process.hpp"
#include "core/job/flight/hang_sentences.hpp"
#include "core/memory/tables/snapshot_verdict.hpp"
#include "core/tables/analysis/verdict_text.hpp"
#include "core/tables/compare/comparison_tables.hpp"
#include "loaders/cache/ranks/rank_file.hpp"

namespace kino {
namespace {

using Json = nlohmann::ordered_json;

DocumentVerdict verdict_on(const OpenedTrace& opened) {
  const Findings findings = whole_findings(RangeAnalyses(*opened.trace, kernel_categories()), byte_units());
  const VerdictText text = verdict_text(findings);
  DocumentVerdict verdict{"trace", text.headline.str(), text.evidence.str(), {}, {}};
  for (const Finding& finding : findings.list) {
    VerdictFinding row;
    row.name = english(text_of(finding.kind));
    row.ns = finding.won_ns;
    if (finding.won_ns) {
      row.amount = text_from_duration(*finding.won_ns);
      row.share = text_from_share(finding.share);
    }
    row.detail = joined_sentences({finding.sentence, finding.fix}).str();
    verdict.findings.push_back(std::move(row));
  }
  return verdict;
}

Result<DocumentVerdict> verdict_on(const OpenedSnapshot& opened, std::optional<std::size_t> device) {
  const Snapshot& snapshot = *opened.snapshot;
  const std::size_t index = device.value_or(device_of_largest_peak(snapshot));
  if (index >= snapshot.devices.size()) {
    return Error{Error::Kind::not_found, snapshot.devices.empty() ? "The snapshot contains no device"
                                                                  : "The snapshot has no such device"};
  }
  const CategoryRules rules = read_category_rules(category_rules_path());
  const SnapshotVerdict made = snapshot_verdict(snapshot, index, rules.rules, byte_units());
  return DocumentVerdict{"snapshot", made.headline.str(), made.evidence.str(), {}, {}};
}

DocumentVerdict verdict_on(const OpenedJob& opened) {
  const JobAnalysis& job = *opened.job.analysis;
  DocumentVerdict verdict{"job", verdict_title(job), verdict_reason(job), {}, {}};
  for (const std::uint32_t rank : job.notable_stragglers()) {
    VerdictFinding row;
    row.name = rank_name(job, rank);
    row.ns = job.blame[rank].caused_ns;
    row.amount = text_from_duration(job.blame[rank].caused_ns);
    row.detail = lateness_text(job, rank);
    if (const std::string causes = cause_shares_text(job, rank); !causes.empty())
      row.detail += (row.detail.empty() ? "" : ": ") + causes;
    verdict.findings.push_back(std::move(row));
  }
  return verdict;
}

DocumentVerdict verdict_on(const HangRecording& hang) {
  DocumentVerdict verdict{"hang", hang_verdict(hang.analysis).str(), hang_evidence(hang).str(), {}, {}};
  for (const RankProcess& process : processes_to_inspect(hang)) {
    const auto dump = std::ranges::find(hang.dumps, process.rank, &FlightDump::rank);
    Message detail = process_text(process);
    if (dump != hang.dumps.end())
      detail.then(rank_sentences(hang, static_cast<std::size_t>(dump - hang.dumps.begin())));
    verdict.findings.push_back(
        {Message(msg::word_rank, std::to_string(process.rank)).str(), std::nullopt, {}, {}, detail.str()});
    verdict.commands.push_back(stack_command(process));
  }
  return verdict;
}

/// Returns a run as a side of the comparison page; nullopt if it is neither a trace nor a job.
std::optional<ComparedSide> side_of(const OpenedRun& run, const OpenOptions& options) {
  ComparedSide side;
  side.path = run.path;
  side.title = run.path.filename().string();
  if (const auto* const trace = run.as<OpenedTrace>()) {
    side.trace = trace->trace;
    side.text = trace->text;
    return side;
  }
  const auto* const opened = run.as<OpenedJob>();
  if (opened == nullptr) return std::nullopt;
  ComparedJob job;
  for (const std::filesystem::path& file : opened->job.files) job.files.push_back(trace_of_rank_file(file));
  job.verdict = verdict_title(*opened->job.analysis);
  job.reasons = verdict_reason(*opened->job.analysis);
  job.options = options;
  side.job = std::make_shared<const ComparedJob>(std::move(job));
  return side;
}

/// Returns the causes of the difference, largest change first.
std::vector<VerdictFinding> causes_of(const RunComparison& comparison) {
  constexpr std::size_t kMost = 10;
  std::vector<ComparedCause> causes = comparison.fine_causes();
  std::erase_if(causes, [](const ComparedCause& cause) { return cause.change == 0; });
  std::ranges::stable_sort(causes, std::ranges::greater(),
                           [](const ComparedCause& cause) { return std::abs(cause.change); });
  std::vector<VerdictFinding> rows;
  for (const ComparedCause& cause : causes) {
    if (rows.size() == kMost) break;
    const double ns = mean_change(comparison, cause.change);
    VerdictFinding row{cause_name(cause.cause, cause.host), std::llround(ns), signed_duration(ns), {}, {}};
    const double mean_a = comparison.decisive().mean_a;
    if (mean_a > 0) row.share = signed_percent(ns / mean_a);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

Result<DocumentVerdict> verdict_of(const OpenedRun& run, std::optional<std::size_t> device) {
  if (const auto* const trace = run.as<OpenedTrace>()) return verdict_on(*trace);
  if (const auto* const snapshot = run.as<OpenedSnapshot>()) return verdict_on(*snapshot, device);
  if (const auto* const hang = run.as<OpenedHang>()) return verdict_on(*hang->hang);
  return verdict_on(*run.as<OpenedJob>());
}

Result<DocumentVerdict> verdict_of(const OpenedRun& a, const OpenedRun& b, const OpenOptions& options) {
  ComparisonState state;
  for (std::size_t i = 0; i < kSides; ++i) {
    std::optional<ComparedSide> side = side_of(i == 0 ? a : b, options);
    if (!side) {
      return Error{Error::Kind::unknown_format,
                   "Only traces and jobs can be compared; for snapshots, use `kinetoscope diff`"};
    }
    state.sides[i] = std::move(*side);
  }
  const std::array<std::string, kSides> labels =
      different_labels({state.sides[0].title, state.sides[1].title});
  for (std::size_t i = 0; i < kSides; ++i) state.sides[i].label = labels[i];
  CompareOptions compared;
  compared.join_loaders = true;
  compared.same_file = state.sides[0].same_run(state.sides[1]);
  auto runs = std::make_shared<const ReadRuns>(read_runs(state.sides, {}));
  state.picture =
      std::make_shared<const ComparisonPicture>(compare(std::move(runs), state.sides, compared, {}));
  DocumentVerdict verdict{"comparison", verdict_sentence(state), verdict_reasons(state), {}, {}};
  if (const std::string statistics = verdict_statistics(state); !statistics.empty())
    verdict.evidence += (verdict.evidence.empty() ? "" : " ") + statistics;
  if (const RunComparison* const comparison = state.told();
      comparison != nullptr && !comparison->steps_a.empty() && !comparison->steps_b.empty())
    verdict.findings = causes_of(*comparison);
  return verdict;
}

Json verdict_json(const DocumentVerdict& verdict) {
  Json findings = Json::array();
  for (const VerdictFinding& row : verdict.findings) {
    findings.push_back({{"name", row.name},
                        {"ns", row.ns ? Json(*row.ns) : Json()},
                        {"amount", row.amount},
                        {"share", row.share},
                        {"detail", row.detail}});
  }
  return {{"kind", verdict.kind},
          {"sentence", verdict.sentence},
          {"evidence", verdict.evidence},
          {"findings", std::move(findings)},
          {"commands", verdict.commands}};
}

std::string verdict_lines(const DocumentVerdict& verdict) {
  std::string out = escaped(verdict.sentence) + "\n";
  if (!verdict.evidence.empty()) out += escaped(verdict.evidence) + "\n";
  std::size_t names = 0;
  std::size_t amounts = 0;
  for (const VerdictFinding& row : verdict.findings) {
    names = std::max(names, columns_of(escaped(row.name)));
    amounts = std::max(amounts, columns_of(row.amount));
  }
  for (const VerdictFinding& row : verdict.findings) {
    std::string line = "  " + padded_right(escaped(row.name), names);
    if (amounts > 0) line += "  " + padded_left(row.amount, amounts) + "  " + padded_left(row.share, 8);
    while (line.ends_with(' ')) line.pop_back();
    out += line + "\n";
    if (!row.detail.empty()) out += "      " + escaped(row.detail) + "\n";
  }
  for (const std::string& command : verdict.commands) out += "  $ " + escaped(command) + "\n";
  return out;
}

}  // namespace kino
