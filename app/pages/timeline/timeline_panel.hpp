// The timeline of one trace: ruler, tracks, navigation, hover, selection, and the drawer below the tracks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
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
#include "core/trace/steps.hpp"
#include "core/trace/trace.hpp"
#include "render/timeline_renderer.hpp"

namespace kino {

class SearchBar;
class SearchHits;
struct FoundNames;
struct SearchCompletions;
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
  bool has_search() const override { return true; }
  void search_for(const std::string& query) override;
  Searched searched() const override;
  bool moving() const override;
  std::vector<PageView> views() const override;
  void show_view(std::string_view id) override;
  std::vector<PageFact> facts() const override;
  std::vector<PageScope> scopes() const override;
  void choose_scope(std::size_t scope) override;
  std::string scope_title() const override;
  void fit_all() override;
  void show_page(std::string_view id) override;
  std::span<const TableInfo* const> tables() const override;
  void show_table(std::string_view name) override;
  std::string device_word() const override;
  bool marks(CommandId command) const override;
  std::optional<TimePane> time_pane() const override;
  std::string headline() const override;
  std::string verdict_text() const override;
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
  /// Opens the search with this query and selects its first hit.
  void find_first(const std::string& query);
  /// Returns the names that match a query; see SearchHits::names().
  const FoundNames* names_like(const std::string& query);
  /// Returns the completions at the end of a query.
  SearchCompletions completions(const std::string& query);
  /// Shows the page for SQL and runs a query.
  void run_sql(const std::string& sql);
  /// Moves the view to a time. A view longer than a twentieth of the trace is zoomed in to this length.
  void go_to_time(std::int64_t time_ns);
  /// Returns the training steps; null until they are found.
  const Steps* steps() const;
  /// Shows a step by its index in steps().
  void go_to_step(std::size_t step);
  /// Returns view, selection and marked range, for a link.
  Moment moment() const;
  /// Shows the moment as far as the trace contains it. The panel must have been drawn.
  void go_to(const Moment& moment);
  /// Shows the view of a note. Its bookmarks are not added.
  void open_note(const Note& note);
  /// Calls open_note() and adds the note's bookmarks once the panel has a layout.
  void show_first(Note note);
  /// Sets the function that packs the trace. Call once the trace is complete.
  void pack_by(PackCapsule pack);
  /// Computes the verdict above the tracks, and enables the inspector and the summary. Call once the trace is
  /// complete.
  void analyze();
  /// Offers to open the trace's job. `ranks` is the number of its ranks in the folder of the trace, and
  /// `more` is whether there may be more of them.
  void offer_job(std::size_t ranks, bool more);
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
  /// Returns the style of slices: their colors and names.
  const SliceStyle& look() const;
  const SearchHits& hits() const;
  const DrawStats& draw_stats() const;
  /// Returns the CPU time of the panel's last draw() in ms, excluding the rasterizer.
  double frame_cpu_ms() const;

 private:
  void draw_content(const PageFrame& frame, ImVec2 at, ImVec2 size) override;
  float* header_width() override;
  DrawerChoice* drawer_choice() override;
  void handle_input(const PageFrame& frame, ImVec2 at, ImVec2 size);
  void show_first_note();

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kino
