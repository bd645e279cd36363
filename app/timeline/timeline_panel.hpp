// The timeline of one trace: ruler, tracks, navigation, hover, selection and the drawer under them.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/bookmarks/bookmarks.hpp"
#include "app/bookmarks/note.hpp"
#include "app/settings/color_modes.hpp"
#include "app/timeline/counter_sources.hpp"
#include "app/view/split_view.hpp"
#include "app/widgets/theme.hpp"
#include "core/gpu/trust_report.hpp"
#include "core/trace/event_details.hpp"
#include "core/trace/trace.hpp"
#include "render/timeline_renderer.hpp"

namespace kino {

class SearchBar;
class SearchHits;
class SliceLook;
struct TimelineState;

/// What a frame gives to the panel.
struct TimelineFrame {
  const Theme* theme = nullptr;
  LookOptions look;
  float scale = 1;              ///< UI scale; 1 = 96 dpi
  float framebuffer_scale = 1;  ///< framebuffer pixels per ImGui unit
  double delta_seconds = 0;
  bool active = true;    ///< whether commands mean this panel, of several in the window
  bool keyboard = true;  ///< false while a text field or a popup has the keyboard, or another panel is active
  std::optional<double> other_time_ns;  ///< where the mouse is in a linked panel, in this one's ns
  bool debug_overlay = false;
};

/// Lives on the UI thread as long as its document shows the trace.
class TimelinePanel {
 public:
  /// `bookmarks` are placed in this trace and outlive the panel.
  TimelinePanel(std::shared_ptr<const Trace> trace, std::shared_ptr<const EventDetails> details,
                Bookmarks& bookmarks, WorkerPool& pool, const std::function<void()>& wake);
  TimelinePanel(const TimelinePanel&) = delete;
  TimelinePanel& operator=(const TimelinePanel&) = delete;
  ~TimelinePanel();

  /// Fills the remaining content region of the current ImGui window and handles its mouse and keys.
  void draw(const TimelineFrame& frame);
  /// Whether the next frame must follow without waiting for input (keys held, animation, tiles on their way).
  bool wants_frames() const;
  /// Whether every tile of the last frame was there at its right level.
  bool complete() const;

  /// Shows what another panel shows, of a trace of the same file: see app/view/view_carry.hpp. Before the
  /// first draw().
  void carry_from(const TimelinePanel& other);
  /// Places of the splitters, at scale 1; shown() tells where they were dragged to.
  void set_splitters(float header_width, float drawer_height);
  /// Arranges the tracks as `file` remembers it (TrackMemory), and with `keeps` keeps it up to date from now
  /// on.
  void remember_tracks(const std::filesystem::path& file, bool keeps);
  void fit_all();
  void fit_selection();
  /// Shows exactly this range at once.
  void show(TimeRange range);
  void select(SliceId slice);
  /// The open snapshots that have the trace's clock; their memory becomes counters.
  void set_snapshots(std::vector<SnapshotOfRun> snapshots);
  /// Opens the drawer at this page.
  void show_page(std::string_view id);
  /// Opens the drawer at this table, one of table_kinds().
  void show_table(std::string_view name);
  /// What is in view, selected and marked, for a link.
  Moment moment() const;
  /// Shows it as far as the trace has it, once the panel has been drawn.
  void go_to(const Moment& moment);
  /// Shows what a note shows; its bookmarks are the document's.
  void open_note(const Note& note);
  /// Whether it has been laid out, so that go_to() finds its width.
  bool laid_out() const;
  /// Whether a person asked for a file of bookmarks to import since the last call.
  bool take_import_request();

  /// What a person asked to see and there was no memory for. It is off, until asked for again.
  enum class Refused { nothing, counters, packed_streams };
  Refused refused() const;
  /// From now on refused() is nothing, until it happens again.
  void forget_refused();

  /// What can be trusted; computed by the first call, null until it is there.
  const TrustReport* trust_report();

  TimePane time_pane() const;
  SliceId selection() const;
  /// Whether the note of a bookmark is being typed.
  bool editing_bookmark() const;
  /// What is shown and where, for the state file of UI tests.
  const TimelineState& shown() const;
  /// The colours and names on screen, and the search.
  const SliceLook& look() const;
  const SearchHits& hits() const;
  /// Adds what the search and the pages of the drawer show, for the state file of UI tests.
  void tell(nlohmann::ordered_json& json) const;
  const DrawStats& draw_stats() const;
  /// Processor time of the panel's last draw() without the rasteriser, in ms.
  double frame_cpu_ms() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kino
