#include "app/ui/text/load_estimate.hpp"

#include <cstdint>

#include "app/ui/text/model_texts.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

// Returns the remaining time as text; empty while it cannot be estimated.
std::string time_left_text(const LoadProgress& progress, double seconds) {
  const float share = share_done(progress);
  if (progress.stage.load() != LoadStage::reading || share < 0.02F || seconds < 0.5) return {};
  const auto left_ns =
      static_cast<std::int64_t>(seconds * (1 / static_cast<double>(share) - 1)) * 1'000'000'000;
  return left_ns > 0 ? text_from_duration(left_ns) : std::string();
}

}  // namespace

// Only reading reports its progress. Arranging and indexing together take about half as long as reading.
float share_done(const LoadProgress& progress) {
  switch (progress.stage.load()) {
    case LoadStage::waiting:
      return 0;
    case LoadStage::reading:
      return static_cast<float>(0.7 * fraction_read(progress));
    case LoadStage::arranging:
      return 0.75F;
    case LoadStage::indexing:
      return 0.92F;
    case LoadStage::finished:
      return 1;
  }
  return 0;
}

std::string stage_text(const LoadProgress& progress, double seconds) {
  const char* stage = tr(text_for(progress.stage.load()));
  const std::string left = time_left_text(progress, seconds);
  return left.empty() ? stage : filled(Text::loading_time_left, {stage, left});
}

}  // namespace kino
