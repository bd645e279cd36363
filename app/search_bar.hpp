// The slim bar above the tracks in which a person searches: text, count of hits, next and previous.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "app/search_hits.hpp"
#include "app/theme.hpp"
#include "app/timeline_state.hpp"

namespace kino {

/// Opens, closes and edits; what is found is the caller's. UI thread only.
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
  /// Fade the others fully.
  bool only_matches() const { return only_matches_; }
  /// "/", Ctrl+F and, while the bar is open, Enter and Esc. `keyboard`: whether keys are the timeline's.
  Actions handle_keys(bool keyboard, SearchHits& hits);
  /// Draws the bar into `box`. `current` is the place of the selected hit, or nothing.
  Actions draw(const Box& box, SearchHits& hits, std::optional<std::uint64_t> current, const Theme& theme,
               float ui_scale);

  void show();
  /// Opens with this query and leaves the keyboard to the timeline.
  void look_for(const std::string& query, SearchHits& hits);
  void close(SearchHits& hits);

 private:
  Actions draw_status(float right, const SearchHits& hits, std::optional<std::uint64_t> current,
                      const Theme& theme, float ui_scale);

  bool open_ = false;
  bool take_focus_ = false;
  bool took_focus_ = false;  // in the frame before: the field is not active yet, but has the keys
  int opening_frames_ = 0;   // left for the field to take the keyboard
  bool only_matches_ = false;
  std::array<char, 8192> text_{};  // names of kernels are long
};

/// "1,234 hits", "3 of 1,234", "no hits".
std::string hit_count_text(std::uint64_t hits, std::optional<std::uint64_t> current);

}  // namespace kino
