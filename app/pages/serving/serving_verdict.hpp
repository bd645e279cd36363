// Sentences of the serving page: the headline, its evidence, and the tooltip of an iteration.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "app/pages/serving/serving_content.hpp"

namespace kino {

/// Returns the requests that a group covers: "1", "3–4", "9–16"; empty if they are unknown. `batch` is
/// IterationGroup::batch.
std::string requests_text(std::int64_t batch);

/// Returns "decode, 9–16 requests", without the requests if they are unknown.
std::string group_text(const IterationGroup& group);

/// Returns a share such as "12.3 %"; empty for a share of nothing.
std::string share_text_of(std::int64_t ns, std::int64_t of_ns);

/// Returns the sentence for ServingContent::verdict(). Without iterations, it is the reason.
std::string serving_headline(const ServingContent& content);
/// Returns further sentences on the main group; empty without iterations.
std::string serving_evidence(const ServingContent& content);
/// Returns how to record iterations, one paragraph per line. Empty for recordings that mark other steps or
/// contain training.
std::string serving_advice(const ServingContent& content);

/// Returns everything about an iteration in several lines: phase, sizes, window, stall and parts.
std::string iteration_text(const ServingContent& content, std::size_t iteration);
/// Returns the number of iterations that were left out for each reason, one line per reason.
std::string left_out_lines(const ServingContent& content);

}  // namespace kino
