// Exports of a timeline: pictures, notes, a part of the trace, and capsules. Also converts between views and
// links.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <utility>

#include <imgui.h>

#include "app/system/background_result.hpp"
#include "app/ui/bookmarks/note.hpp"
#include "app/ui/commands/capsule_export.hpp"
#include "app/ui/search/search_bar.hpp"
#include "app/ui/search/search_hits.hpp"
#include "app/ui/view/area_picture.hpp"
#include "app/ui/view/slice_style.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/text_export.hpp"
#include "core/base/worker_pool.hpp"
#include "core/trace/event_details.hpp"
#include "core/trace/steps.hpp"

namespace kino {

/// Exports of one timeline. Files are written on the pool, and toasts report the results.
class TimelineSharing {
 public:
  /// `file` is the file of the trace. `pool` must outlive the object.
  TimelineSharing(std::shared_ptr<const EventDetails> details, std::filesystem::path file, WorkerPool& pool,
                  std::function<void()> wake);

  /// Saves the current frame as a picture. draw() at the end of the frame takes the pixels.
  void request_png() { picture_.request_png(); }
  void save_svg(const TimelineState& state, const SliceStyle& look, const Steps* steps, const Theme& theme);
  void save_note(const Note& note);
  /// Saves the marked range as a trace to a file that the user selects. If no range is marked, reports this.
  void save_trimmed(const TimelineState& state);
  /// Enables packing. Call once the trace is complete.
  void pack_by(PackCapsule pack) { packed_.pack_by(std::move(pack)); }
  /// Saves the marked range, or else the whole trace, as a capsule that first shows `note`. Does nothing
  /// while a range is being marked.
  void save_capsule(const TimelineState& state, const Note& note, bool redacted);
  void draw(ImDrawList& list, const TimelineState& state);
  void update();
  bool complete() const {
    return picture_.complete() && !note_.running() && !trimmed_.running() && !packed_.running();
  }

 private:
  struct Trimmed {
    std::filesystem::path file;
    Result<TrimReport> report;
  };

  void report_trimmed();

  std::shared_ptr<const EventDetails> details_;
  std::filesystem::path file_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  AreaPicture picture_;
  TextExport note_;
  BackgroundResult<std::shared_ptr<Trimmed>> trimmed_;
  CapsuleExport packed_;
  std::shared_ptr<const bool> asker_ = std::make_shared<const bool>(true);  // expires with this object
};

Moment moment_of(const TimelineState& state);
/// Shows the moment as far as the trace contains it. The timeline must have a layout.
void go_to_moment(TimelineState& state, const Moment& moment);
/// Returns a note of the current view, search and saved ranges, without bookmarks.
Note note_of(const TimelineState& state, const SearchBar& search);
/// Shows the view of the note. Tracks that the trace does not contain are ignored.
void open_note(TimelineState& state, SearchBar& search, SearchHits& hits, const Note& note);

}  // namespace kino
