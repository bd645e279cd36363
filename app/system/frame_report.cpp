#include "app/system/frame_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/base/messages/message.hpp"

namespace kino {
namespace {

// Returns the smallest value that is at least as large as `share` of the values (nearest-rank percentile).
double percentile(const std::vector<double>& sorted, double share) {
  const auto index = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::min(sorted.size() - 1, index == 0 ? 0 : index - 1)];
}

void add_figures(std::string& out, msg::Id name, std::vector<double> frames) {
  if (frames.empty()) return;
  std::sort(frames.begin(), frames.end());
  std::array<char, 160> line{};
  std::snprintf(line.data(), line.size(), "%-16s %7zu  %8.2f  %8.2f  %8.2f  %8.2f\n", english(name).data(),
                frames.size(), percentile(frames, 0.5), percentile(frames, 0.99), percentile(frames, 0.999),
                frames.back());
  out += line.data();
}

constexpr std::size_t kMaxSlowest = 8;
constexpr std::array kBesideNames = {msg::frame_loading, msg::frame_searching, msg::frame_moving,
                                     msg::frame_other};

}  // namespace

void FrameReport::add(const FrameCost& cost, Beside beside, double at_seconds) {
  own_ms_.at(static_cast<std::size_t>(beside)).push_back(cost.own());
  driver_ms_.push_back(cost.driver);
  const auto position =
      std::ranges::find_if(slowest_, [&](const Frame& frame) { return frame.cost.own() < cost.own(); });
  if (position == slowest_.end() && slowest_.size() == kMaxSlowest) return;
  slowest_.insert(position, {cost, beside, at_seconds});
  if (slowest_.size() > kMaxSlowest) slowest_.pop_back();
}

std::string FrameReport::text() const {
  std::string out = std::string(english(msg::frame_figures)) + "\n";
  std::vector<double> all;
  for (const auto& frames : own_ms_) all.insert(all.end(), frames.begin(), frames.end());
  add_figures(out, msg::frame_all, all);
  for (std::size_t i = 0; i < own_ms_.size(); ++i) add_figures(out, kBesideNames.at(i), own_ms_.at(i));
  add_figures(out, msg::frame_driver, driver_ms_);
  if (slowest_.empty()) return out;
  out.append(english(msg::frame_slowest)).append("\n");
  for (const Frame& frame : slowest_) {
    const FrameCost& cost = frame.cost;
    std::array<char, 160> line{};
    std::snprintf(line.data(), line.size(), "%-15s %6.2f  %6.2f  %6.2f  %9.2f  %5.2f  %9.2f  %5.2f\n",
                  english(kBesideNames.at(static_cast<std::size_t>(frame.beside))).data(), frame.at_seconds,
                  cost.own(), cost.events, cost.documents, cost.fonts, cost.interface, cost.tiles);
    out += line.data();
  }
  return out;
}

}  // namespace kino
