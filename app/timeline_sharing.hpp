// What a person takes from a timeline to show others: pictures, links, notes, and a part of the trace.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include <imgui.h>

#include "app/area_picture.hpp"
#include "app/background_result.hpp"
#include "app/note.hpp"
#include "app/search_bar.hpp"
#include "app/search_hits.hpp"
#include "app/slice_look.hpp"
#include "app/text_export.hpp"
#include "app/timeline_state.hpp"
#include "core/steps.hpp"
#include "core/worker_pool.hpp"
#include "loaders/text_source.hpp"
#include "loaders/trace_trim.hpp"

namespace kino {

/// UI thread only; files are written on the pool, and the window says what became of them.
class TimelineSharing {
 public:
  /// `file` is the trace's; `pool` outlives this.
  TimelineSharing(std::shared_ptr<const Trace> trace, std::shared_ptr<const TextSource> text,
                  std::filesystem::path file, WorkerPool& pool, std::function<void()> wake);

  /// Of what this frame draws: picture, and at the end of a frame's drawing draw().
  void ask_for_png() { picture_.ask_for_png(); }
  void save_svg(const TimelineState& state, const SliceLook& look, const Steps* steps, const Theme& theme);
  void save_note(const Note& note);
  /// The marked range as a trace of its own; without one it says that there is none.
  void save_trimmed(const TimelineState& state);
  void draw(ImDrawList& list, const TimelineState& state);
  /// Once a frame.
  void update();
  bool complete() const { return picture_.complete() && !note_.running() && !trimmed_.running(); }

 private:
  struct Trimmed {
    std::filesystem::path file;
    Result<TrimReport> report;
  };

  std::shared_ptr<const Trace> trace_;
  std::shared_ptr<const TextSource> text_;
  std::filesystem::path file_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  AreaPicture picture_;
  TextExport note_;
  BackgroundResult<std::shared_ptr<Trimmed>> trimmed_;
  std::shared_ptr<const bool> asker_ = std::make_shared<const bool>(true);  // gone with this
};

/// Where a person looks, and what is selected and marked.
Moment moment_of(const TimelineState& state);
/// Shows it, as far as the trace has it. The timeline has been laid out once.
void go_to_moment(TimelineState& state, const Moment& moment);
/// The whole note but for the bookmarks.
Note note_of(const TimelineState& state, const SearchBar& search);
/// Shows what the note shows. Tracks that the trace does not have are left out.
void open_note(TimelineState& state, SearchBar& search, SearchHits& hits, const Note& note);

}  // namespace kino
