// The sheet for choosing which traces of an archive or folder to open.
#pragma once

#include <cstddef>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/shell/documents/session.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Sheet that shows the traces of one archive or folder at a time. UI thread only.
class TraceChooser {
 public:
  /// Maximum number of traces that are opened as tabs at once, because each one needs memory and a loader.
  static constexpr std::size_t kMostAtOnce = 64;

  /// Queues this choice; it is shown once the user has answered earlier ones.
  void ask(Session::Choice choice);
  bool visible() const { return !choices_.empty(); }
  /// Draws the sheet. Returns the traces chosen in this frame, at most kMostAtOnce. Up and Down move the
  /// cursor, Space marks a trace, and Ctrl+A marks all traces, or none if all are marked. Enter opens the
  /// marked traces or, if there are none, the trace at the cursor. Esc closes the sheet.
  std::vector<std::filesystem::path> draw(const Theme& theme);

  /// Returns the traces to open as one job, if requested since the last call: the marked traces or, if there
  /// are none, all traces.
  std::optional<Session::Choice> take_job() { return std::exchange(job_, std::nullopt); }

  // Valid only if visible().
  const std::filesystem::path& container() const { return choices_.front().container; }
  const std::vector<ContainedTrace>& traces() const { return choices_.front().contained.traces; }
  bool marked(std::size_t index) const { return marked_[index] != 0; }
  std::size_t cursor() const { return cursor_; }
  /// Positions of the lines and buttons in the last frame, in pixels of the window, for tests.
  struct Places {
    float left = 0;
    float top = 0;
    float width = 0;
    float height = 0;
    ImVec2 open_all = {};
    ImVec2 open_job = {};
  };
  const Places& places() const { return places_; }

 private:
  enum class Answer { none, open_marked, open_all, open_job, cancel };

  void start();
  Answer handle_keys();
  float height_below() const;
  void draw_traces(const Theme& theme);
  void draw_trace(std::size_t index, const Theme& theme);
  Answer draw_buttons(const Theme& theme);
  std::vector<std::filesystem::path> chosen(Answer answer) const;
  Session::Choice chosen_job() const;

  std::deque<Session::Choice> choices_;
  std::optional<Session::Choice> job_;
  std::vector<char> marked_;  // one per trace of the first choice
  std::size_t marked_count_ = 0;
  std::size_t cursor_ = 0;
  bool scroll_to_cursor_ = false;
  Places places_;
};

}  // namespace kino
