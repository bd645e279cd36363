// The drawer page with the memory of each rank: its peak, its usage at the cursor, and the differences
// between ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "app/pages/job/job_state.hpp"
#include "app/ui/drawer/drawer_page.hpp"
#include "render/pixel_texture.hpp"

namespace kino {

class RankMemoryPage final : public DrawerPage {
 public:
  static constexpr std::string_view kId = "rank-memory";

  /// `state` must outlive the page.
  explicit RankMemoryPage(JobState& state) : state_(state) {}

  std::string_view id() const override { return kId; }
  const char* title() const override;
  void update(bool shown) override;
  void draw(ImVec2 size, const DrawContext& look) override;
  void write_test_state(nlohmann::ordered_json& panel) const override;

 private:
  struct Row {
    std::uint32_t rank = 0;
    bool comparable = false;  ///< whether it has the measure of most ranks: JobAnalysis::memory_measure
    std::int64_t peak_bytes = 0;
    double peak_page_ns = 0;
  };
  void draw_rows(ImVec2 size, const DrawContext& look);
  void draw_curves(ImVec2 size, const DrawContext& look);
  void paint(int width, int height, const DrawContext& look);
  std::int64_t bytes_now(std::uint32_t rank) const;
  std::int64_t highest_bytes() const;
  double cursor_ns() const;

  /// Parameters of the picture in curves_.
  struct Painted {
    std::shared_ptr<const JobPicture> picture;
    double begin_ns = 0;
    double end_ns = 0;
    int width = 0;
    int height = 0;
    std::uint32_t in_front = 0;
    bool dark = false;
    bool operator==(const Painted&) const = default;
  };

  JobState& state_;
  std::shared_ptr<const JobPicture> picture_;
  std::vector<Row> rows_;  // sorted: comparable rows first, then by descending peak
  PixelTexture curves_;
  Painted painted_;
};

}  // namespace kino
