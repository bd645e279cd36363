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
#include "core/tables/gpu/trust_report.hpp"
#include "core/trace/event_details.hpp"
#include "core/trace/trace.hpp"
#include "render/timeline_renderer.hpp"

namespace kino {

class SearchBar;
class SearchHits;
class SliceLook;
struct TimelineState;

/// The page of a trace.
class TimelinePanel final : public Page {
 public:
  /// `bookmarks` are placed in this trace and outlive the panel.
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
  void tell(nlohmann::ordered_json& json) const override;

  /// Shows what another panel shows, of a trace of the same file: see app/ui/view/view_carry.hpp. Before the
  /// first draw().
  void carry_from(const TimelinePanel& other);
  /// Arranges the tracks as `file` remembers it (TrackMemory), and with `keeps` keeps it up to date from now
  /// on.
  void remember_tracks(const std::filesystem::path& file, bool keeps);
  void fit_selection();
  /// Shows exactly this range at once.
  void show(TimeRange range);
  void select(SliceId slice);
  /// The other open recordings of the trace's run; what they tell becomes counters.
  void set_others(std::vector<CountersOfRun> others);
  /// What is in view, selected and marked, for a link.
  Moment moment() const;
  /// Shows it as far as the trace has it, once the panel has been drawn.
  void go_to(const Moment& moment);
  /// Shows what a note shows; its bookmarks are the document's.
  void open_note(const Note& note);
  /// open_note() as soon as it has been laid out, and its bookmarks are added.
  void show_first(Note note);
  /// How the trace is packed, once it is there whole.
  void pack_by(PackIntoCapsule pack);
  /// Whether it has been laid out, so that go_to() finds its width.
  bool laid_out() const;

  AddedTracks::Refused refused() const;
  /// From now on refused() is nothing, until it happens again.
  void forget_refused();

  /// What can be trusted; computed by the first call, null until it is there.
  const TrustReport* trust_report();

  SliceId selection() const;
  /// Whether the note of a bookmark is being typed.
  bool editing_bookmark() const;
  /// What is shown and where, for the state file of UI tests.
  const TimelineState& shown() const;
  /// The colours and names on screen, and the search.
  const SliceLook& look() const;
  const SearchHits& hits() const;
  const DrawStats& draw_stats() const;
  /// Processor time of the panel's last draw() without the rasteriser, in ms.
  double frame_cpu_ms() const;

 private:
  void draw_content(const PageFrame& frame, ImVec2 at, ImVec2 size) override;
  float* header_width() override;
  float* drawer_height() override;
  void show_first_note();

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kino
