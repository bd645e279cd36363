// The sheet that asks which traces of an archive or folder to open.
#pragma once

#include <cstddef>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/shell/documents/session.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// UI thread only.
class TraceChooser {
 public:
  /// As many as are opened at once; each takes memory and a loader.
  static constexpr std::size_t kMostAtOnce = 64;

  /// Asks as soon as what was asked before is answered.
  void ask(Session::Choice choice);
  bool visible() const { return !choices_.empty(); }
  /// Up and Down move, Space marks, Ctrl+A marks all, Enter opens what is marked or else the line of the
  /// cursor, Esc opens nothing. What the person chose in this frame.
  std::vector<std::filesystem::path> draw(const Theme& theme);

  /// What the person wants to see as one job since the last call: the marked ones, else all.
  std::optional<Session::Choice> take_job() { return std::exchange(job_, std::nullopt); }

  // Only while it is visible.
  const std::filesystem::path& container() const { return choices_.front().container; }
  const std::vector<ContainedTrace>& traces() const { return choices_.front().contained.traces; }
  bool marked(std::size_t index) const { return marked_[index] != 0; }
  std::size_t cursor() const { return cursor_; }
  /// Where the lines and the button for all of them were drawn last, in pixels of the window: for tests.
  struct Places {
    float left = 0;
    float top = 0;
    float width = 0;
    float height = 0;
    float open_all_x = 0;
    float open_all_y = 0;
    float open_job_x = 0;
    float open_job_y = 0;
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
  std::vector<char> marked_;  // one a trace of the first choice
  std::size_t marked_count_ = 0;
  std::size_t cursor_ = 0;
  bool scroll_to_cursor_ = false;
  Places places_;
};

}  // namespace kino
