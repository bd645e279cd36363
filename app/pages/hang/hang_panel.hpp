// The page of a job that hung: who holds up the others, ranks by groups, what is outstanding, the stacks of
// both sides.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/drawer/page.hpp"
#include "core/job/flight/hang.hpp"

namespace kino {

/// An open trace of a rank that has a dump, of the same time.
struct TraceOfRank {
  std::uint64_t document = 0;  ///< 0: none
  std::string title;
};

/// A stretch of Unix time that a trace shall show.
struct StretchOfTrace {
  std::uint64_t document = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

/// Everything was computed before: the page only draws.
class HangPanel final : public Page {
 public:
  explicit HangPanel(std::shared_ptr<const HangRecording> hang);

  void draw(const PageFrame& frame) override;
  bool wants_frames() const override { return false; }
  bool complete() const override { return drawn_; }
  void fit_all() override { selected_ = first_; }
  void show_page(std::string_view /*id*/) override {}
  void show_table(std::string_view /*name*/) override {}
  float drawer_height() const override { return drawer_height_; }
  void set_drawer_height(float height) override { drawer_height_ = height; }
  std::optional<TimePane> time_pane() const override { return std::nullopt; }
  void tell(nlohmann::ordered_json& json) const override;

  const std::shared_ptr<const HangRecording>& hang() const { return hang_; }
  /// By index of the dumps.
  void set_traces(std::vector<TraceOfRank> traces) { traces_ = std::move(traces); }
  /// What somebody asked to see of a trace since the last call.
  std::optional<StretchOfTrace> take_go_to() { return std::exchange(go_to_, std::nullopt); }

 private:
  void draw_head(const PageFrame& frame) const;
  void draw_matrix(const PageFrame& frame, float height);
  void draw_cell(const PageFrame& frame, std::size_t dump, std::size_t group);
  void draw_outstanding(const PageFrame& frame, float width, float height);
  void draw_stacks(const PageFrame& frame, float height);
  void draw_entry(const PageFrame& frame, std::size_t outstanding);
  void draw_link(const Outstanding& it);
  bool is_culprit(std::int64_t rank) const;

  std::shared_ptr<const HangRecording> hang_;
  std::vector<std::vector<GroupCell>> cells_;  // by dump, then group
  std::vector<std::string> group_titles_;
  std::vector<std::size_t> rows_;  // dumps, those to blame first
  std::vector<std::size_t> shown_groups_;
  std::string verdict_;
  std::string stood_;
  std::vector<std::string> statuses_;  // lines on ranks whose dumps have no entries
  std::string facts_;
  std::string beside_;  // what else is in the folder; may be empty
  std::vector<TraceOfRank> traces_;
  std::optional<StretchOfTrace> go_to_;
  std::array<float, 2> link_{};  // middle of the last button to a trace, in pixels of the window; 0: none
  std::size_t first_ = 0;        // into the outstanding: of a culprit, or the oldest
  std::size_t waiting_ = 0;      // the oldest of a rank that only waits
  std::size_t selected_ = 0;     // into the outstanding
  float drawer_height_ = 0;
  bool drawn_ = false;
};

}  // namespace kino
