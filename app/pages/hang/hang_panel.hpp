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

#include "app/pages/hang/hang_content.hpp"
#include "app/ui/drawer/inspector_content.hpp"
#include "app/ui/drawer/inspector_frame.hpp"
#include "app/ui/drawer/page.hpp"
#include "core/base/messages/message.hpp"
#include "core/job/flight/hang.hpp"
#include "core/job/flight/hang_process.hpp"

namespace kino {

/// Page of a hung job. The analysis is complete before the page is made, so nothing runs in the background.
class HangPanel final : public Page {
 public:
  static constexpr PageKind kKind = PageKind::hang;
  explicit HangPanel(std::shared_ptr<const HangRecording> hang);

  PageKind kind() const override { return kKind; }
  std::vector<PageRequest> take_requests() override { return std::exchange(requests_, {}); }
  void fit_all() override { part_ = {}; }
  bool marks(CommandId command) const override;
  void set_open_traces(std::span<const OpenTrace> traces) override;
  std::optional<CountersOfRun> counters_for(const Trace& trace) const override;
  bool follows_file() const override { return false; }
  bool leaves_recordings() const override { return !hang_->beside.empty(); }
  std::filesystem::path tab_path(const std::filesystem::path& file) const override;
  std::string headline() const override;
  std::vector<PageFact> facts() const override;
  void write_test_state(nlohmann::ordered_json& json) const override;

 private:
  void draw_content(const PageFrame& frame, ImVec2 at, ImVec2 size) override;
  bool has_facts_above() const override { return true; }
  void draw_head(const PageFrame& frame);
  void draw_processes(const PageFrame& frame);
  void draw_matrix(const PageFrame& frame, float height);
  void draw_matrix_header(int columns);
  void draw_rank_cells(const PageFrame& frame, std::size_t dump);
  void draw_cell(const PageFrame& frame, std::size_t dump, std::size_t group);
  void draw_outstanding(const PageFrame& frame, float width, float height);
  void draw_stacks(const PageFrame& frame, float height);
  void draw_entry(const PageFrame& frame, std::size_t outstanding);
  void draw_link(const Outstanding& operation);
  /// Draws the sections of the inspected part, and carries out a click.
  void draw_part(ImVec2 size, const DrawContext& look);
  /// Selects a part if the last item was clicked, and opens its menu if it was clicked with the right button.
  void choose_by_click(const HangPart& part);
  void draw_menu();
  /// Returns the content for the inspected part; computes it if the part, the traces or the language changed.
  const HangContent& content();
  void show_in_trace(std::size_t outstanding);
  bool has_operation() const { return part_.kind == HangPart::Kind::operation; }
  bool is_straggler(std::int64_t rank) const;
  /// Returns the index of the dump whose rank and time match a trace.
  std::optional<std::size_t> dump_of(const Trace& trace) const;

  std::shared_ptr<const HangRecording> hang_;
  std::optional<TimeColumn> ages_;             // format of the ages of operations
  std::vector<std::vector<GroupCell>> cells_;  // cells by dump, then group
  std::vector<std::string> group_titles_;
  std::vector<std::size_t> rows_;  // indices of dumps; those of missing and stuck ranks are first
  std::vector<std::size_t> shown_groups_;
  Message verdict_;
  Message stood_;
  std::vector<Message> statuses_;  // lines on ranks whose dumps have no entries
  std::string beside_;             // names of other files in the folder; may be empty
  /// An open trace whose rank and time match a dump.
  struct TraceOfRank {
    std::uint64_t document = 0;  // 0: none
    std::string title;
  };
  std::vector<TraceOfRank> traces_;  // by dump
  std::vector<PageRequest> requests_;
  std::array<float, 2> link_{};  // middle of the last drawn link to a trace, in window px; 0: none
  std::size_t first_ = 0;  // index of the first outstanding operation of a missing or stuck rank, else of any
  std::size_t waiting_ = 0;                // index of the first outstanding operation of a waiting rank
  std::size_t selected_ = 0;               // index of the selected outstanding operation
  std::vector<RankProcess> processes_;     // processes to inspect
  std::vector<std::string> trace_titles_;  // titles of `traces_`
  HangPart part_;                          // the inspected part
  struct Shown {
    HangPart part;
    std::vector<std::string> traces;
    Language language{};
    HangContent content;
  };
  std::optional<Shown> shown_;  // content of the last frame
  bool menu_wanted_ = false;    // whether a part was clicked with the right button in this frame
  InspectorFrame inspector_;
  InspectorSections sections_;
  Box inspector_box_;                // empty if the inspector is not shown
  std::vector<ImVec2> copy_places_;  // centers of the buttons that copy commands, for tests
  std::vector<ImVec2> rank_places_;  // centers of the drawn ranks of the matrix, for tests
};

}  // namespace kino
