#include "core/tables/analysis/verdict_text.hpp"

#include <cstdint>
#include <vector>

#include "core/base/time_text.hpp"

namespace kino {
namespace {

/// Returns the sentences of a verdict that is not empty.
std::vector<Message> sentences_of(const Message& verdict) {
  const bool sequence = !verdict.id() && !verdict.is_verbatim();
  return sequence ? verdict.parts() : std::vector<Message>{verdict};
}

/// Returns the end of the sentences that form the headline: the first one; without GPU work, also the
/// first finding or, if there is none, what the CPU does.
std::vector<Message>::const_iterator end_of_headline(const std::vector<Message>& sentences) {
  const bool cpu_only = sentences.front().id() == msg::no_gpu_work_was_recorded;
  return sentences.begin() + (cpu_only && sentences.size() > 1 ? 2 : 1);
}

}  // namespace

Findings whole_findings(const RangeAnalyses& analyses, ByteUnits units, const std::stop_token& stop) {
  return find_findings(*analyses.of(whole_range(analyses.trace())), units, stop);
}

Message compute_note(const Findings& findings) {
  constexpr std::int64_t kMinPart = 2;  // half of the time
  if (findings.list.empty() || findings.base.mean_ns <= 0) return {};
  const Finding& first = findings.list.front();
  const bool beside = first.won_ns && !first.overlaps && first.kind != FindingKind::recompute;
  if (!beside || findings.compute_ns < findings.base.mean_ns / kMinPart) return {};
  const double share = static_cast<double>(findings.compute_ns) / static_cast<double>(findings.base.mean_ns);
  return {msg::compute_beside_findings, text_from_duration(findings.compute_ns),
          text_from_duration(findings.base.mean_ns), text_from_share(share)};
}

VerdictText verdict_text(const Findings& findings) {
  if (findings.verdict.empty()) return {msg::verdict_without_findings, {}};
  const std::vector<Message> sentences = sentences_of(findings.verdict);
  const auto end = end_of_headline(sentences);
  VerdictText text{joined_sentences({sentences.begin(), end}), joined_sentences({end, sentences.end()})};
  if (!findings.list.empty()) text.evidence.then(findings.list.front().fix);
  text.evidence.then(compute_note(findings));
  if (findings.base.mean_ns > 0)
    text.evidence.then(Message(msg::base_named, findings.base.text(findings.device)));
  return text;
}

}  // namespace kino
