// The drawer's page with the memory of each rank: its peak, what it has at the cursor, and how far the ranks
// are apart.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/drawer/drawer_page.hpp"
#include "app/job/job_state.hpp"

namespace kino {

class RankMemoryPage final : public DrawerPage {
 public:
  static constexpr std::string_view kId = "rank-memory";

  /// `state` outlives it.
  explicit RankMemoryPage(JobState& state) : state_(state) {}

  std::string_view id() const override { return kId; }
  const char* title() const override;
  void update(bool shown) override;
  void draw(ImVec2 size, const DrawerLook& look) override;
  void tell(nlohmann::ordered_json& panel) const override;

 private:
  struct Row {
    std::uint32_t rank = 0;
    std::int64_t peak_bytes = 0;
    double peak_page_ns = 0;
  };
  void draw_rows(ImVec2 size, const DrawerLook& look);
  void draw_curves(ImVec2 size, const DrawerLook& look) const;
  std::int64_t bytes_now(std::uint32_t rank) const;
  double cursor_ns() const;

  JobState& state_;
  const JobPicture* picture_ = nullptr;
  std::vector<Row> rows_;  // highest peak first
};

}  // namespace kino
