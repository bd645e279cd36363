// The timeline of one trace: ruler, tracks, navigation, hover, selection and the drawer under them.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/pages/timeline/added_tracks.hpp"
#include "app/pages/timeline/timeline_sharing.hpp"
#include "app/ui/bookmarks/bookmarks.hpp"
#include "app/ui/bookmarks/note.hpp"
#include "app/ui/drawer/page.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/tables/gpu/data_quality_report.hpp"
#include "core/trace/event_details.hpp"
#include "core/trace/trace.hpp"
#include "render/timeline_renderer.hpp"

namespace kino {

class SearchBar;
class SearchHits;
class SliceStyle;
struct TimelineState;

class TimelinePanel final : public Page {
 public:
  /// `bookmarks` must belong to this trace and outlive the panel.
  TimelinePanel(std::shared_ptr<const Trace> trace, std::shared_ptr<const EventDetails> details,
                Bookmarks& bookmarks, WorkerPool& pool, const std::function<void()>& wake);
  ~TimelinePanel() override;

  static constexpr PageKind kKind = PageKind::timeline;
  PageKind kind() const override { return kKind; }
  std::vector<PageRequest> take_requests() override;
  bool wants_frames() const override;
  bool complete() const override;
  bool searching() const override;
  bool moving() const override;
  void fit_all() override;
  void show_page(std::string_view id) override;
  std::span<const TableInfo* const> tables() const override;
  void show_table(std::string_view name) override;
  bool marks(CommandId command) const override;
  std::optional<TimePane> time_pane() const override;
  void write_test_state(nlohmann::ordered_json& json) const override;

  /// Takes over the view of another panel of the same file (app/ui/view/view_carry.hpp). Call before draw().
  void carry_from(const TimelinePanel& other);
  /// Arranges the tracks as stored in `file` (see ArrangementFile). If `keeps`, saves later changes to this
  /// file.
  void remember_tracks(const std::filesystem::path& file, bool keeps);
  void fit_selection();
  /// Shows exactly this range, without animation.
  void show(TimeRange range);
  void select(SliceId slice);
  /// Sets the other open recordings of the trace's run. Their data is shown as counters.
  void set_others(std::vector<CountersOfRun> others);
  /// Returns view, selection and marked range, for a link.
  Moment moment() const;
  /// Shows the moment as far as the trace contains it. The panel must have been drawn.
  void go_to(const Moment& moment);
  /// Shows the view of a note. Its bookmarks are not added.
  void open_note(const Note& note);
  /// Calls open_note() and adds its bookmarks once the panel has a layout.
  void show_first(Note note);
  /// Sets the function that packs the trace. Call once the trace is complete.
  void pack_by(PackCapsule pack);
  /// Returns whether the panel has a layout, which go_to() requires.
  bool laid_out() const;

  AddedTracks::TracksOutOfMemory refused() const;
  void reset_refused();

  /// Returns the data quality. The first call starts the computation; null until it is done.
  const DataQualityReport* data_quality_report();

  SliceId selection() const;
  bool editing_bookmark() const;
  /// Returns content and positions, for the state file of UI tests.
  const TimelineState& shown() const;
  /// Returns the style of slices: their colors and names, and the search.
  const SliceStyle& look() const;
  const SearchHits& hits() const;
  const DrawStats& draw_stats() const;
  /// Returns the CPU time of the panel's last draw() in ms, excluding the rasterizer.
  double frame_cpu_ms() const;

 private:
  void draw_content(const PageFrame& frame, ImVec2 at, ImVec2 size) override;
  float* header_width() override;
  float* drawer_height() override;
  void handle_input(const PageFrame& frame, ImVec2 at, ImVec2 size);
  void show_first_note();

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kino
