// The drawer's tab that compares kept parts of the trace: the list of them, and the table by name.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/tables/table_tab.hpp"
#include "app/view/kept_parts.hpp"
#include "app/view/slice_look.hpp"
#include "app/view/timeline_state.hpp"
#include "app/widgets/ruler.hpp"
#include "app/widgets/theme.hpp"
#include "core/analysis/part_summary.hpp"
#include "core/base/worker_pool.hpp"

namespace kino {

/// What would be kept now: the marked range while its tab is open, else the selected slice, else the marked
/// range; with a name for it. Nothing without both.
std::optional<std::pair<TracePart, std::string>> part_to_keep(const TimelineState& state);

/// UI thread only; the parts are summed up on the pool, and only while the tab is shown.
class CompareTab {
 public:
  struct Actions {
    SliceId go_to = kNoSlice;
    char show = 0;  ///< the letter of the part that a person wants to see
  };

  /// `look` and `pool` must outlive it; `wake` is called from a worker when there is news. `trace_path` is
  /// what rows are saved beside.
  CompareTab(std::shared_ptr<const Trace> trace, std::filesystem::path trace_path, const SliceLook& look,
             WorkerPool& pool, const std::function<void()>& wake);

  /// Keeps what part_to_keep() tells and opens the tab; under a letter of one's choice or, with 0, the first
  /// free one.
  static void keep(TimelineState& state, char letter);
  /// Once a frame.
  void handle_keys(TimelineState& state);
  void update(bool shown, const KeptParts& parts);
  /// Draws into a child window of `size`; changes names and what is compared by itself. O(rows in sight).
  Actions draw(KeptParts& parts, ImVec2 size, const Theme& theme, float ui_scale, bool keyboard);
  bool wants_frames() const { return tab_.wants_frames(); }
  bool complete() const { return tab_.complete(); }

  const TableTab& tab() const { return tab_; }
  /// Where the parts of the list were drawn, for tests: by letter and what it is, "A_name".
  const std::vector<std::pair<std::string, ImVec2>>& places() const { return places_; }

 private:
  /// What the pool is to compare; the newest counts.
  struct Wanted {
    std::mutex mutex;
    std::vector<KeptPart> parts;  // guarded by mutex
    PartWords words;              // guarded by mutex
  };

  static TableResults::Compute compute(std::shared_ptr<const Trace> trace, std::shared_ptr<Wanted> wanted);
  void draw_tools(KeptParts& parts, const Theme& theme, float ui_scale);
  void draw_list(KeptParts& parts, ImVec2 size, const Theme& theme, float ui_scale, Actions& actions);
  void draw_part(KeptParts& parts, const KeptPart& part, const Theme& theme, float ui_scale,
                 Actions& actions);
  void note_place(const std::string& name);

  std::shared_ptr<const Trace> trace_;
  SliceRowLook look_;
  std::shared_ptr<Wanted> wanted_;
  TableTab tab_;
  std::uint64_t generation_ = 0;  // of what wanted_ holds, and of its words
  std::pair<std::uint64_t, int> of_{~std::uint64_t{0}, -1};
  std::size_t compared_ = 0;
  std::array<char, KeptParts::kMostNameBytes + 1> text_{};
  char keep_ = 0;  // asked for by a button: a letter, or '*' for the first free one
  std::vector<std::pair<std::string, ImVec2>> places_;
};

/// What the letters of kept parts cover of the ruler.
std::vector<RulerGap> kept_part_gaps(const TimelineState& state);
/// Bars with letters below the ruler, where the kept parts lie.
void draw_kept_parts(ImDrawList& list, const TimelineState& state, const Theme& theme);

}  // namespace kino
