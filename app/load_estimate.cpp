#include "app/load_estimate.hpp"

#include <cctype>
#include <cstdint>

#include "core/time_text.hpp"

namespace kino {
namespace {

std::string time_left_text(const LoadProgress& progress, double seconds) {
  const float share = share_done(progress);
  if (progress.stage.load() != LoadStage::reading || share < 0.02F || seconds < 0.5) return {};
  const auto left_ns =
      static_cast<std::int64_t>(seconds * (1 / static_cast<double>(share) - 1)) * 1'000'000'000;
  if (left_ns <= 0) return {};
  return "about " + text_from_duration(left_ns) + " left";
}

}  // namespace

// Reading is the part whose length is known; arranging and indexing take about as long as half of it.
float share_done(const LoadProgress& progress) {
  switch (progress.stage.load()) {
    case LoadStage::waiting:
      return 0;
    case LoadStage::reading:
      return static_cast<float>(0.7 * share_read(progress));
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
  std::string stage(text_of(progress.stage.load()));
  if (!stage.empty())
    stage.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(stage.front())));
  const std::string left = time_left_text(progress, seconds);
  return left.empty() ? stage : stage + ", " + left;
}

}  // namespace kino
