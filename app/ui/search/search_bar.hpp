// The search bar above the tracks: query, number of hits, next and previous hit.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "app/ui/search/search_fields.hpp"
#include "app/ui/search/search_hits.hpp"
#include "app/ui/widgets/box.hpp"
#include "app/ui/widgets/theme.hpp"

struct ImGuiInputTextCallbackData;

namespace kino {

/// Input field of the query; SearchHits finds the hits. UI thread only.
///
/// Tab inserts the chosen or first completion. If there are no completions, Tab passes the keyboard to the
/// timeline. Enter inserts a completion chosen with the arrow keys; without one, it moves to the next hit.
/// The query is restored when the bar is opened again.
class SearchBar {
 public:
  struct Actions {
    int step = 0;            ///< 1: next hit, -1: previous
    bool show_list = false;  ///< show the table of hits
    bool closed = false;
  };

  bool is_open() const { return open_; }
  /// Whether the field is about to take the keyboard. In the meantime, typed characters must not run
  /// commands.
  bool opening() const { return open_ && opening_frames_ > 0; }
  /// Whether rows without hits are hidden, and slices that are not hits are fully faded.
  bool only_matches() const { return only_matches_; }
  void show_only_matches(bool only) { only_matches_ = only; }
  /// The query; empty while the bar is closed.
  std::string query() const { return open_ ? text_.data() : std::string(); }
  /// The query, or the one before the bar was closed.
  std::string last_query() const { return typed(); }
  /// Handles the keys that list the fields, step through hits, and close the bar. `keyboard`: whether the
  /// timeline has keyboard focus.
  Actions handle_keys(bool keyboard, SearchHits& hits);
  /// Draws the bar into `box`. `current` is the index of the selected hit; nullopt if none is selected.
  Actions draw(const Box& box, SearchHits& hits, std::optional<std::uint64_t> current, const Theme& theme,
               float ui_scale);

  void show();
  /// Opens the bar with this query and leaves the keyboard to the timeline. Ignores a query that does not fit
  /// into the field.
  void look_for(const std::string& query, SearchHits& hits);
  void close(SearchHits& hits);

  bool typing() const { return focused_; }
  /// Completions offered under the field in this frame; may be empty.
  const SearchCompletions& offered() const { return offered_; }

 private:
  static int on_edit(ImGuiInputTextCallbackData* data);
  void draw_field(const Box& box, float width, SearchHits& hits, const Theme& theme, float ui_scale);
  void find_completions(SearchHits& hits);
  void draw_completions(const Box& box, const Theme& theme, float ui_scale);
  void mark_error(const SearchResult& answer, const Theme& theme, float ui_scale) const;
  /// Inserts a completion while the field is inactive.
  void complete_with(std::size_t index);
  void set_text(const std::string& text);
  std::string typed() const { return text_.data(); }
  std::pair<std::string, std::uint32_t> status(const SearchHits& hits, std::optional<std::uint64_t> current,
                                               const Theme& theme) const;
  Actions draw_status(float right, const SearchHits& hits, std::optional<std::uint64_t> current,
                      const Theme& theme, float ui_scale);

  bool open_ = false;
  bool take_focus_ = false;
  bool took_focus_ = false;  // in the previous frame; the field is not active yet, but receives keys
  bool focused_ = false;
  bool leaves_ = false;     // whether to pass the keyboard to the timeline
  int opening_frames_ = 0;  // frames left for the field to take the keyboard
  bool only_matches_ = false;
  std::array<char, 8192> text_{};  // kernel names are long

  bool listed_ = false;  // whether all fields are listed
  SearchCompletions offered_;
  std::size_t chosen_ = 0;  // index into offered_
  bool choosing_ = false;   // whether Enter inserts the chosen completion
  bool over_completions_ = false;
  std::size_t cursor_ = 0;                   // byte of the text
  std::optional<std::size_t> place_cursor_;  // pending until the field is active
};

/// Returns "28 hits · 47.9 ms", "3 of 28 · 47.9 ms" or "no hits". `total_ns` is the sum of the durations, and
/// `current` counts from 0.
std::string hit_count_text(std::uint64_t hits, std::int64_t total_ns, std::optional<std::uint64_t> current);

}  // namespace kino
