#include "app/cli/diff/diff_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "app/cli/diff/diff_layers.hpp"
#include "app/cli/diff/markdown.hpp"
#include "app/ui/text/columns_of_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/compare/comparison_tables.hpp"
#include "core/trace/name_text.hpp"

namespace kino {
namespace {

constexpr std::size_t kTextRows = 5;
constexpr std::size_t kMarkdownRows = 10;
constexpr std::size_t kMostNameColumns = 100;
constexpr std::size_t kMostMarkdown = 60'000;

std::string ms(double ns) { return formatted("%.3f", ns / 1e6); }
std::string signed_ms(double ns) { return formatted("%+.3f", ns / 1e6); }
std::string percent(double share, const char* format) { return formatted(format, share * 100); }

std::string interval_text(const StepChange& step) {
  if (std::isnan(step.low)) return {};
  return "[" + percent(step.low, "%+.1f") + ", " + percent(step.high, "%+.1f") + "] %";
}

/// Returns a line that begins like "step 174.829 -> 152.955 ms (-12.51 %)". It also contains the interval, p
/// value and detectable change (if known), the numbers of steps, the similarity and the pairing.
std::string step_line(const RunComparison& comparison) {
  const StepChange& step = comparison.decisive();
  std::string line = (comparison.of_runs ? "median step " : "step ") + ms(step.mean_a) + " -> " +
                     ms(step.mean_b) + " ms (" + percent(step.change, "%+.2f") + " %)";
  if (const std::string interval = interval_text(step); !interval.empty()) {
    line += "  95 % " + interval + "  p " + formatted("%.3g", step.p) + "  detectable " +
            percent(step.detectable, "%.1f") + " %";
  }
  return line + "  n " + std::to_string(comparison.steps_a.size()) + ", " +
         std::to_string(comparison.steps_b.size()) + "  similarity " +
         formatted("%.2f", comparison.similarity) + "  " + (comparison.by_pairs ? "paired" : "unpaired");
}

std::vector<ComparedCause> largest_first(const RunComparison& comparison) {
  std::vector<ComparedCause> causes = comparison.fine_causes();
  std::ranges::stable_sort(causes, std::ranges::greater(),
                           [](const ComparedCause& c) { return std::abs(c.change); });
  return causes;
}

/// Returns the words that state what the shares of the causes refer to.
const char* base_of_shares(const RunComparison& comparison) {
  return comparison.share_of_change(0) ? "of the change" : "of A's step";
}

std::string share_text(const RunComparison& comparison, std::int64_t change) {
  if (const std::optional<double> share = comparison.share_of_change(change))
    return percent(*share, "%.1f") + " %";
  const double mean_a = comparison.decisive().mean_a;
  return mean_a > 0 ? percent(mean_change(comparison, change) / mean_a, "%+.1f") + " %" : "";
}

/// Returns the status as a word. An untested row is "untested": it may differ even if its status is `same`.
std::string word_of(RowStatus status, const RunComparison& comparison) {
  return status == RowStatus::same && !comparison.tested() ? "untested"
                                                           : std::string(english(text_of(status)));
}

/// Returns the mean times per step of a row or cause: "1.000", "2.000" for A and B.
template <class Sums>
std::array<std::string, 2> mean_texts(const Sums& sums, const RunComparison& comparison) {
  return {ms(static_cast<double>(sums.sum_a) / static_cast<double>(comparison.steps_a.size())),
          ms(static_cast<double>(sums.sum_b) / static_cast<double>(comparison.steps_b.size()))};
}

std::string ledger_text(const RunComparison& comparison) {
  std::string out;
  for (const ComparedLedgerRow& row : comparison.ledger) {
    const auto [a, b] = mean_texts(row, comparison);
    out += "      " + padded_right(std::string(text_of(row.row)), 14) + padded_left(a, 12) + " -> " +
           padded_left(b, 11) + " ms" + padded_left(signed_ms(mean_change(comparison, row.change)), 12) +
           " ms";
    if (!std::isnan(row.p)) out += "  p " + formatted("%.3g", row.p);
    out += "\n";
  }
  return out.empty() ? out : "    step ledger, mean per step\n" + out;
}

std::string ledger_markdown(const RunComparison& comparison) {
  if (comparison.ledger.empty()) return {};
  std::string out =
      "\n<details><summary>Step ledger</summary>\n\n"
      "| row | A ms | B ms | change ms | p |\n|---|--:|--:|--:|--:|\n";
  for (const ComparedLedgerRow& row : comparison.ledger) {
    const auto [a, b] = mean_texts(row, comparison);
    out += markdown_row({text_of(row.row), a, b, signed_ms(mean_change(comparison, row.change)),
                         std::isnan(row.p) ? "" : formatted("%.3g", row.p)});
  }
  return out + "\n</details>\n";
}

std::string statuses_text(const RunComparison& comparison) {
  std::string text;
  for (const RowStatus status :
       {RowStatus::added, RowStatus::faster, RowStatus::removed, RowStatus::same, RowStatus::slower}) {
    const std::uint64_t count = comparison.statuses[static_cast<std::size_t>(status)];
    if (count > 0)
      text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + word_of(status, comparison);
  }
  return text;
}

void add_lines(const DiffReport& report, const char* before, std::string& out) {
  for (const Message& line : report.comparison.lines(CheckResult::refuses))
    out += before + std::string("refused: ") + escaped(line.str()) + "\n";
  for (const Message& line : report.comparison.lines(CheckResult::warns))
    out += before + std::string("note: ") + escaped(line.str()) + "\n";
  for (const std::string& line : report.notes) out += before + std::string("note: ") + escaped(line) + "\n";
}

const char* word_of(GateResult result) {
  constexpr std::array<const char*, 3> kWords{"passed", "FAILED", "undecided"};
  return kWords[static_cast<std::size_t>(result)];
}

std::string verdict_words(const DiffReport& report) {
  return report.comparison.verdict_text().str() + (report.comparison.forced ? ", forced" : "");
}

/// Returns the text for a table cell in Markdown, between backquotes.
std::string code(std::string_view text) {
  std::string out = "`";
  for (const char c : shortened_text(text, kMostNameColumns)) {
    if (c == '|') {
      out += "\\|";
    } else {
      out += c == '`' || static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out + "`";
}

std::string xml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

std::string rows_markdown(const RunComparison& comparison) {
  std::string out =
      "| | cause | A ms | B ms | change ms | n A | n B | q | |\n|---|---|--:|--:|--:|--:|--:|--:|---|\n";
  for (std::size_t i = 0; i < std::min(kMarkdownRows, comparison.rows.size()); ++i) {
    const ComparedRow& row = comparison.rows[i];
    const bool same = row.status == RowStatus::same;
    const auto [a, b] = mean_texts(row, comparison);
    out += markdown_row({code(row.key), text_of(row.cause), a, b,
                         signed_ms(mean_change(comparison, row.change)), std::to_string(row.count_a),
                         std::to_string(row.count_b), std::isnan(row.q) ? "" : formatted("%.3g", row.q),
                         same ? std::string_view("~") : english(text_of(row.status))});
  }
  return out;
}

}  // namespace

std::string diff_text(const DiffReport& report) {
  const RunComparison& comparison = report.comparison;
  std::string out =
      escaped(report.name_a) + " -> " + escaped(report.name_b) + ": " + verdict_words(report) + "\n";
  add_lines(report, "  ", out);
  if (comparison.verdict == RunVerdict::not_comparable) return out + "  --force compares them anyway\n";
  for (const std::string& line : report.job_lines) out += "  " + escaped(line) + "\n";
  out += "  " + step_line(comparison) + "\n";
  for (const ComparedCause& cause : largest_first(comparison)) {
    out += "    " + padded_right(text_of(cause), 16) +
           padded_left(signed_ms(mean_change(comparison, cause.change)), 12) + " ms  " +
           padded_left(share_text(comparison, cause.change), 8) + " " + base_of_shares(comparison);
    if (!std::isnan(cause.p)) out += "  p " + formatted("%.3g", cause.p);
    out += "\n";
  }
  out += ledger_text(comparison);
  if (comparison.layers) out += layers_text(*comparison.layers);
  out += "    " + statuses_text(comparison) + "\n";
  std::size_t shown = 0;
  for (const ComparedRow& row : comparison.rows) {
    if (shown >= kTextRows && row.status == RowStatus::same) continue;
    if (++shown > kTextRows * 4) break;
    out += "      " + padded_right(word_of(row.status, comparison), 8) + " " +
           padded_right(std::string(text_of(row.cause)), 8) +
           padded_left(signed_ms(mean_change(comparison, row.change)), 11) + " ms  n " +
           std::to_string(row.count_a) + " -> " + std::to_string(row.count_b) + "  " +
           escaped(shortened_text(row.key, kMostNameColumns)) + "\n";
  }
  for (std::size_t i = 0; i < std::min(kTextRows, comparison.replacements.size()); ++i) {
    const Replacement& by = comparison.replacements[i];
    out += "      " + escaped(by.op + " " + by.input_dims) + ": " + escaped(shortened_text(by.from, 60)) +
           " -> " + escaped(shortened_text(by.to, 60)) + " " + percent(by.change, "%+.0f") + " %\n";
  }
  for (const RankComparison& rank : report.ranks) {
    out += "  rank " + std::to_string(rank.rank) + ": " + rank.comparison.verdict_text().str() + "  " +
           step_line(rank.comparison) + "  own work " +
           signed_ms(mean_change(rank.comparison, rank.comparison.own_change())) + " ms";
    const std::vector<ComparedCause> causes = largest_first(rank.comparison);
    for (std::size_t i = 0; i < std::min<std::size_t>(2, causes.size()); ++i) {
      out +=
          "  " + text_of(causes[i]) + " " + signed_ms(mean_change(rank.comparison, causes[i].change)) + " ms";
    }
    out += "\n";
  }
  for (const GateOutcome& outcome : report.outcomes)
    out += std::string("  ") + word_of(outcome.result) + ": " + escaped(outcome.sentence.str()) + "\n";
  return out;
}

std::string diff_markdown(const DiffReport& report) {
  const RunComparison& comparison = report.comparison;
  const StepChange& step = comparison.decisive();
  std::string out = "### " + markdown_text(report.name_a) + " → " + markdown_text(report.name_b) + ": " +
                    verdict_words(report) + "\n\n";
  if (comparison.verdict != RunVerdict::not_comparable) {
    out += "**" + ms(step.mean_a) + " → " + ms(step.mean_b) + " ms per step (" +
           percent(step.change, "%+.2f") + " %)**";
    if (const std::string interval = interval_text(step); !interval.empty()) {
      out += ", 95 % " + interval + ", p " + formatted("%.3g", step.p) + ", changes below " +
             percent(step.detectable, "%.1f") + " % are not detectable";
    }
    out += "; n " + std::to_string(comparison.steps_a.size()) + ", " +
           std::to_string(comparison.steps_b.size()) + "\n\n";
  }
  if (!report.job_lines.empty()) out += markdown_text(report.job_lines.front()) + "\n\n";
  std::string lines;
  add_lines(report, "- ", lines);
  out += markdown_text(lines).empty() ? "" : lines + "\n";
  for (const GateOutcome& outcome : report.outcomes) {
    out += std::string("- ") +
           (outcome.result == GateResult::passed   ? "✅"
            : outcome.result == GateResult::failed ? "❌"
                                                   : "⚠️") +
           " " + markdown_text(outcome.sentence.str()) + "\n";
  }
  if (!report.outcomes.empty()) out += "\n";
  if (comparison.verdict == RunVerdict::not_comparable) return out;
  out += std::string("| cause | A ms | B ms | change ms | ") + base_of_shares(comparison) +
         " | p |\n|---|--:|--:|--:|--:|--:|\n";
  for (const ComparedCause& cause : largest_first(comparison)) {
    const auto [a, b] = mean_texts(cause, comparison);
    out += markdown_row({text_of(cause), a, b, signed_ms(mean_change(comparison, cause.change)),
                         share_text(comparison, cause.change),
                         std::isnan(cause.p) ? "" : formatted("%.3g", cause.p)});
  }
  out += "\n" + statuses_text(comparison) + " by " +
         std::string(kRunKeyNames[static_cast<std::size_t>(comparison.key)]) +
         "\n\n<details><summary>The largest changes</summary>\n\n" + rows_markdown(comparison) +
         "\n</details>\n" + ledger_markdown(comparison);
  if (comparison.layers) out += layers_markdown(*comparison.layers, kMostMarkdown / 2);
  if (!report.ranks.empty()) {
    out += "\n<details><summary>By rank</summary>\n\n";
    for (std::size_t i = 1; i < report.job_lines.size(); ++i)
      out += markdown_text(report.job_lines[i]) + "\n\n";
    out +=
        "| rank | A ms | B ms | change | own work ms | communication ms | |\n|--:|--:|--:|--:|--:|--:|---|\n";
    for (const RankComparison& rank : report.ranks) {
      const StepChange& change = rank.comparison.decisive();
      const double own = mean_change(rank.comparison, rank.comparison.own_change());
      out += "| " + std::to_string(rank.rank) + " | " + ms(change.mean_a) + " | " + ms(change.mean_b) +
             " | " + percent(change.change, "%+.2f") + " % | " + signed_ms(own) + " | " +
             signed_ms(change.mean_b - change.mean_a - own) + " | " + rank.comparison.verdict_text().str() +
             " |\n";
      if (out.size() > kMostMarkdown) break;
    }
    out += "\n</details>\n";
  }
  if (out.size() <= kMostMarkdown) return out;
  const std::size_t end = out.rfind('\n', kMostMarkdown - 32);
  return out.substr(0, end + 1) + "\n</details>\n";
}

std::string diff_junit(const DiffReport& report) {
  struct Case {
    std::string name;
    std::string inside;
  };
  std::vector<Case> cases;
  const bool refused = report.comparison.verdict == RunVerdict::not_comparable;
  std::size_t failures = 0;
  std::size_t skipped = 0;
  for (std::size_t i = 0; i < report.conditions.size(); ++i) {
    Case test_case{report.conditions[i].text, {}};
    if (refused) {
      test_case.inside = "<error message=\"not comparable\"/>";
    } else if (report.outcomes[i].result == GateResult::failed) {
      test_case.inside = "<failure message=\"" + xml(report.outcomes[i].sentence.str()) + "\"/>";
      ++failures;
    } else if (report.outcomes[i].result == GateResult::inconclusive) {
      test_case.inside = "<skipped message=\"" + xml(report.outcomes[i].sentence.str()) + "\"/>";
      ++skipped;
    }
    cases.push_back(std::move(test_case));
  }
  if (cases.empty()) cases.push_back({"comparable", refused ? "<error message=\"not comparable\"/>" : ""});
  std::string out =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"kinetoscope diff\" tests=\"" +
      std::to_string(cases.size()) + "\" failures=\"" + std::to_string(failures) + "\" errors=\"" +
      std::to_string(refused ? cases.size() : 0) + "\" skipped=\"" + std::to_string(skipped) + "\">\n";
  for (const Case& test_case : cases) {
    out += R"(  <testcase classname="kinetoscope.diff" name=")" + xml(test_case.name) + "\"";
    out += test_case.inside.empty() ? "/>\n" : ">" + test_case.inside + "</testcase>\n";
  }
  return out + "  <system-out>" +
         xml(escaped(report.name_a) + " -> " + escaped(report.name_b) + ": " + verdict_words(report)) +
         (report.job_lines.empty() ? "" : "\n" + xml(escaped(report.job_lines.front()))) +
         "</system-out>\n</testsuite>\n";
}

}  // namespace kino
