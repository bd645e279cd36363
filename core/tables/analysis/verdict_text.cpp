#include "core/tables/analysis/verdict_text.hpp"

#include <vector>

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

VerdictText verdict_text(const Findings& findings) {
  if (findings.verdict.empty()) return {msg::verdict_without_findings, {}};
  const std::vector<Message> sentences = sentences_of(findings.verdict);
  const auto end = end_of_headline(sentences);
  VerdictText text{joined_sentences({sentences.begin(), end}), joined_sentences({end, sentences.end()})};
  if (!findings.list.empty()) text.evidence.then(findings.list.front().fix);
  if (findings.base.mean_ns > 0)
    text.evidence.then(Message(msg::base_named, findings.base.text(findings.device)));
  return text;
}

}  // namespace kino
