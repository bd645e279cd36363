// Draws any FlameGraph as a flame graph (icicle): hover, zoom, find, keys, and export of folded stacks.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/ui/widgets/text_export.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/worker_pool.hpp"
#include "core/tables/flame_tree.hpp"

namespace kino {

/// Keyboard requests during one frame of the UI. The page that shows the graph sets them from its commands.
struct FlameKeys {
  bool zoom_in = false;  ///< to the current frame
  bool zoom_out = false;
  bool up = false;  ///< move to the frame above, nearer to the root
  bool down = false;
  bool left = false;
  bool right = false;
  bool clear = false;  ///< unset the current frame
};

/// Shows one graph at a time. UI thread only. If a new graph has the same direction, zoom and current frame
/// remain at the frames of the same names, for example while the graph follows a cursor.
class FlameView {
 public:
  using WeightText = std::function<std::string(std::int64_t)>;
  struct Look {
    const Theme* theme = nullptr;
    float scale = 1;
    WeightText weight;  ///< formats a sum of weights
  };
  /// A box as drawn, for tests.
  struct Place {
    std::string name;
    ImVec2 middle;
    float width = 0;
  };

  /// Exports are saved beside `file`.
  FlameView(std::filesystem::path file, WorkerPool& pool, std::function<void()> wake);

  void show(std::shared_ptr<const FlameGraph> graph);
  /// Requested direction; the owner builds the graph in this direction.
  FlameDirection direction() const { return direction_; }
  void flip_direction();
  void zoom_to(std::uint32_t node);
  void zoom_out();
  void handle(const FlameKeys& keys);
  void find() { take_focus_ = true; }
  void start_copy() { start_export(false); }

  /// Draws the buttons and the find field, after the owner's own buttons. The hints name the keys.
  void draw_tools(const Look& look, const std::string& flip_hint, const std::string& find_hint);
  /// Draws the boxes into the rest of the current window. O(visible boxes).
  void draw(const Look& look);
  void update() { export_.update(); }
  bool complete() const { return !export_.running(); }
  /// Whether the next frame must be drawn without input: the scrollbar of a new layout needs a few frames to
  /// settle.
  bool wants_frames() const { return sizing_frames_ > 0; }

  const FlameGraph* graph() const { return graph_.get(); }
  std::uint32_t focus() const { return focus_; }
  std::optional<std::uint32_t> current() const { return current_; }
  std::optional<std::uint32_t> hovered() const { return hovered_; }
  /// Weight of the matches below the zoomed frame; nullopt while the find field is empty or invalid.
  std::optional<std::int64_t> matched() const { return matched_; }
  const std::string& message() const { return export_.message(); }
  const std::vector<Place>& places() const { return places_; }
  /// Returns the name of a frame; "All" for the root.
  std::string node_name(std::uint32_t node) const;

 private:
  void lay_out_anew(float width);
  void count_matches();
  void click(bool again);
  void step_current(int row_step, int step);
  void draw_row(ImDrawList& list, const Look& look, std::size_t depth, ImVec2 corner, float height);
  void draw_card(const Look& look, const FlameBox& box) const;
  std::string status(const Look& look) const;
  std::uint32_t color_of(const FlameFrame& frame, const Theme& theme);
  void start_export(bool save);
  bool keeps(const FlameBox& box) const;

  std::shared_ptr<const FlameGraph> graph_;
  FlameDirection direction_ = FlameDirection::top_down;
  std::uint32_t focus_ = 0;
  std::vector<std::uint32_t> before_;  // earlier zooms, newest last
  bool click_zoomed_ = false;          // whether the last click changed the zoom
  std::optional<std::uint32_t> current_;
  std::optional<std::uint32_t> hovered_;
  FlameLayout layout_;
  float layout_width_ = -1;  // width of layout_; below 0: stale
  int sizing_frames_ = 0;
  bool scroll_to_current_ = false;
  std::array<char, 256> find_text_{};
  Message find_problem_;
  std::vector<bool> matches_;  // by frame; empty if there is no search
  std::optional<std::int64_t> matched_;
  bool take_focus_ = false;
  std::vector<std::uint32_t> palette_;
  bool palette_dark_ = false;
  std::vector<Place> places_;
  TextExport export_;
};

}  // namespace kino
