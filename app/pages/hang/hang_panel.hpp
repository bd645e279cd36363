// The page of a hung job: its stragglers, ranks by group, outstanding operations, and call stacks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/drawer/page.hpp"
#include "core/base/messages/message.hpp"
#include "core/job/flight/hang.hpp"

namespace kino {

/// Page of a hung job. All data is computed before, so the page only draws.
class HangPanel final : public Page {
 public:
  static constexpr PageKind kKind = PageKind::hang;
  explicit HangPanel(std::shared_ptr<const HangRecording> hang);

  PageKind kind() const override { return kKind; }
  std::vector<PageRequest> take_requests() override { return std::exchange(requests_, {}); }
  void fit_all() override { selected_ = first_; }
  void set_open_traces(std::span<const OpenTrace> traces) override;
  std::optional<CountersOfRun> counters_for(const Trace& trace) const override;
  bool follows_file() const override { return false; }
  bool leaves_recordings() const override { return !hang_->beside.empty(); }
  std::filesystem::path tab_path(const std::filesystem::path& file) const override;
  void write_test_state(nlohmann::ordered_json& json) const override;

 private:
  void draw_content(const PageFrame& frame, ImVec2 at, ImVec2 size) override;
  void draw_head(const PageFrame& frame) const;
  void draw_matrix(const PageFrame& frame, float height);
  void draw_cell(const PageFrame& frame, std::size_t dump, std::size_t group);
  void draw_outstanding(const PageFrame& frame, float width, float height);
  void draw_stacks(const PageFrame& frame, float height);
  void draw_entry(const PageFrame& frame, std::size_t outstanding);
  void draw_link(const Outstanding& operation);
  bool is_straggler(std::int64_t rank) const;
  /// Returns the index of the dump whose rank and time match a trace.
  std::optional<std::size_t> dump_of(const Trace& trace) const;

  std::shared_ptr<const HangRecording> hang_;
  std::vector<std::vector<GroupCell>> cells_;  // by dump, then group
  std::vector<std::string> group_titles_;
  std::vector<std::size_t> rows_;  // indices of dumps; missing and stuck ranks are first
  std::vector<std::size_t> shown_groups_;
  Message verdict_;
  Message stood_;
  std::vector<Message> statuses_;  // lines on ranks whose dumps have no entries
  std::string beside_;             // other files in the folder; may be empty
  /// An open trace whose rank and time match a dump.
  struct TraceOfRank {
    std::uint64_t document = 0;  // 0: none
    std::string title;
  };
  std::vector<TraceOfRank> traces_;  // by dump
  std::vector<PageRequest> requests_;
  std::array<float, 2> link_{};  // middle of the last drawn link to a trace, in window px; 0: none
  std::size_t first_ = 0;  // index of the first outstanding operation of a missing or stuck rank, else of any
  std::size_t waiting_ = 0;   // index of the first outstanding operation of a waiting rank
  std::size_t selected_ = 0;  // index of the selected outstanding operation
};

}  // namespace kino
