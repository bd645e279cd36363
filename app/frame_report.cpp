#include "app/frame_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace kino {
namespace {

// The smallest number that `share` of the sorted ones are not above.
double percentile(const std::vector<double>& sorted, double share) {
  const auto place = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::min(sorted.size() - 1, place == 0 ? 0 : place - 1)];
}

void add_figures(std::string& out, const char* name, std::vector<double> frames) {
  if (frames.empty()) return;
  std::sort(frames.begin(), frames.end());
  std::array<char, 160> line{};
  std::snprintf(line.data(), line.size(), "%-16s %7zu  %8.2f  %8.2f  %8.2f  %8.2f\n", name, frames.size(),
                percentile(frames, 0.5), percentile(frames, 0.99), percentile(frames, 0.999), frames.back());
  out += line.data();
}

}  // namespace

std::string FrameReport::text() const {
  std::string out = "CPU ms of         frames    median      99 %    99.9 %      most\n";
  std::vector<double> all;
  for (const auto& frames : frames_) all.insert(all.end(), frames.begin(), frames.end());
  add_figures(out, "all", all);
  add_figures(out, "while loading", frames_[static_cast<std::size_t>(Beside::loading)]);
  add_figures(out, "while searching", frames_[static_cast<std::size_t>(Beside::searching)]);
  add_figures(out, "other", frames_[static_cast<std::size_t>(Beside::nothing)]);
  return out;
}

}  // namespace kino
