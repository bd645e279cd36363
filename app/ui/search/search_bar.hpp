// The slim bar above the tracks in which a person searches: text, count of hits, next and previous.
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

/// Opens, closes and edits; what is found is the caller's. UI thread only.
///
/// The field completes what is typed: Tab takes the first or chosen completion, and without one hands the
/// keyboard to the timeline; Enter goes to the next hit and hands it over, too. What is typed stays for the
/// next time when the bar is closed.
class SearchBar {
 public:
  /// What a frame asked for.
  struct Actions {
    int step = 0;            ///< 1: next hit, -1: previous
    bool show_list = false;  ///< the table of hits
    bool closed = false;
  };

  bool is_open() const { return open_; }
  /// Whether the field is about to take the keyboard: until then, what is typed would be commands.
  bool opening() const { return open_ && opening_frames_ > 0; }
  /// Show only rows with hits, and fade what else is in them fully.
  bool only_matches() const { return only_matches_; }
  void show_only_matches(bool only) { only_matches_ = only; }
  /// What is searched for; empty while the bar is closed.
  std::string query() const { return open_ ? text_.data() : std::string(); }
  /// "/", Ctrl+F and, while the bar is open, Enter and Esc. `keyboard`: whether keys are the timeline's.
  Actions handle_keys(bool keyboard, SearchHits& hits);
  /// Draws the bar into `box`. `current` is the place of the selected hit, or nothing.
  Actions draw(const Box& box, SearchHits& hits, std::optional<std::uint64_t> current, const Theme& theme,
               float ui_scale);

  void show();
  /// Opens with this query and leaves the keyboard to the timeline.
  void look_for(const std::string& query, SearchHits& hits);
  void close(SearchHits& hits);

  /// Whether the field has the keyboard.
  bool typing() const { return focused_; }
  /// What is offered under the field in this frame; empty while nothing is.
  const SearchCompletions& offered() const { return offered_; }

 private:
  static int on_edit(ImGuiInputTextCallbackData* data);
  void draw_field(const Box& box, float width, SearchHits& hits, const Theme& theme, float ui_scale);
  void find_completions(SearchHits& hits);
  void draw_completions(const Box& box, const Theme& theme, float ui_scale);
  void mark_error(const SearchAnswer& answer, const Theme& theme, float ui_scale) const;
  /// Takes over a completion while the field does not hold the text.
  void complete_with(std::size_t index);
  std::string typed() const { return text_.data(); }
  Actions draw_status(float right, const SearchHits& hits, std::optional<std::uint64_t> current,
                      const Theme& theme, float ui_scale);

  bool open_ = false;
  bool take_focus_ = false;
  bool took_focus_ = false;  // in the frame before: the field is not active yet, but has the keys
  bool focused_ = false;
  bool leaves_ = false;     // the keyboard goes to the timeline
  int opening_frames_ = 0;  // left for the field to take the keyboard
  bool only_matches_ = false;
  std::array<char, 8192> text_{};  // names of kernels are long

  bool listed_ = false;  // all fields were asked for
  SearchCompletions offered_;
  std::size_t chosen_ = 0;  // of them
  bool choosing_ = false;   // by the arrow keys: Enter takes it
  bool over_completions_ = false;
  std::size_t cursor_ = 0;                   // byte of the text
  std::optional<std::size_t> place_cursor_;  // as soon as the field is active
};

/// "1,234 hits", "3 of 1,234", "no hits".
std::string hit_count_text(std::uint64_t hits, std::optional<std::uint64_t> current);

}  // namespace kino
