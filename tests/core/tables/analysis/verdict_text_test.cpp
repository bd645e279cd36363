// Covers: verdict_text
// Headline and evidence of the verdict on a trace.
#include "core/tables/analysis/verdict_text.hpp"

#include <doctest/doctest.h>

#include "tests/fixtures/findings_fixture.hpp"

namespace verdict_texts {
namespace {

kino::Finding finding(const char* fix) {
  kino::Finding made;
  made.kind = kino::FindingKind::copies;
  made.fix = kino::Message(fix);
  return made;
}

}  // namespace

TEST_CASE(
    "the headline is the first sentence; the advice of the first finding and the base follow the others") {
  kino::Findings findings;
  findings.verdict = kino::joined_sentences({"One.", "Two.", "Three."});
  findings.list = {finding("Pin the memory."), finding("Not shown.")};
  findings.base.kind = kino::FindingBase::Kind::range;
  findings.base.mean_ns = 100 * kino::kMs;
  const kino::VerdictText text = kino::verdict_text(findings);
  CHECK(text.headline == "One.");
  const std::string evidence = text.evidence.str();
  CHECK(evidence.starts_with("Two. Three. Pin the memory. Base: "));
  CHECK(evidence.find("Not shown") == std::string::npos);
}

TEST_CASE("the evidence states the compute time if a finding on other time leads") {
  kino::Findings findings;
  findings.verdict = kino::Message("Copies are exposed.");
  findings.list = {finding("Pin the memory.")};
  findings.list.front().won_ns = 5 * kino::kMs;
  findings.base.kind = kino::FindingBase::Kind::range;
  findings.base.mean_ns = 100 * kino::kMs;
  findings.compute_ns = 90 * kino::kMs;
  CHECK(kino::verdict_text(findings).evidence.str().find("Compute takes 90 ms of 100 ms (90.0 %).") !=
        std::string::npos);
  findings.compute_ns = 49 * kino::kMs;
  CHECK(kino::compute_note(findings).empty());
  findings.compute_ns = 90 * kino::kMs;
  findings.list.front().kind = kino::FindingKind::recompute;  // a part of compute
  CHECK(kino::compute_note(findings).empty());
}

TEST_CASE("without findings, the headline says so and there is no evidence") {
  kino::Findings findings;
  findings.base.mean_ns = 5;
  const kino::VerdictText text = kino::verdict_text(findings);
  CHECK(text.headline == "No findings for this recording");
  CHECK(text.evidence.empty());
}

TEST_CASE("the headline of a trace without GPU work also says what the CPU does") {
  kino::EventFixture events;
  for (int i = 0; i < 4; ++i) {
    kino::add_profiler_step(events, i, i * 100 * kino::kMs, 100 * kino::kMs);
    events.op("aten::addmm", i * 100 * kino::kMs, 60 * kino::kMs);
  }
  const auto trace = events.build();
  const std::string headline = kino::verdict_text(kino::findings_of(*trace)).headline.str();
  CHECK(headline.starts_with("No GPU work was recorded"));
  CHECK(headline.find("aten::addmm") != std::string::npos);
}

TEST_CASE("the headline of a trace without GPU work names the first finding before what the CPU does") {
  kino::EventFixture events;
  for (int i = 0; i < 4; ++i) {
    kino::add_profiler_step(events, i, i * 100 * kino::kMs, 100 * kino::kMs);
    events.op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", i * 100 * kino::kMs,
              20 * kino::kMs);
    events.op("aten::addmm", (i * 100 + 20) * kino::kMs, 60 * kino::kMs);
  }
  const auto trace = events.build();
  const kino::VerdictText text = kino::verdict_text(kino::findings_of(*trace));
  CHECK(text.headline ==
        "No GPU work was recorded. The data loader takes at most 20 ms of 100 ms per step (20.0 %).");
  CHECK(text.evidence.str().find("by self time are aten::addmm (60.0 %)") != std::string::npos);
}

}  // namespace verdict_texts
