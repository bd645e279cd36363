// State that the parts of the page of the critical path share: positions, content, settings and selection.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>

#include "app/pages/critical/critical_content.hpp"
#include "app/ui/drawer/page_request.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/box.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

struct CriticalBoxes {
  Box all;
  Box bar;        ///< facts about the path, and buttons
  Box forecasts;  ///< the usual forecasts
  Box lanes;      ///< the path, and the path after the settings
  Box ranks;      ///< rows of the ranks; empty for a trace
  Box settings;   ///< sliders
  Box table;      ///< rows of the path
  Box path;       ///< the lane of the recorded path
};

/// A setting that the user has made.
struct ChosenSetting {
  std::string name;             ///< "loader", "graphs", "kernel:gemm"
  std::optional<double> value;  ///< nullopt for settings without a value
  bool operator==(const ChosenSetting&) const = default;
};

struct CriticalState {
  Theme theme;
  float scale = 1;
  CriticalBoxes boxes;
  std::shared_ptr<const CriticalContent> content;      ///< null until it is computed
  std::shared_ptr<const std::vector<Forecast>> usual;  ///< null until they are computed
  std::shared_ptr<const RetimedContent> retimed;  ///< of earlier settings while they change; null if none
  bool failed = false;                            ///< a computation ran out of memory
  std::vector<ChosenSetting> chosen;              ///< in the order in which they were made
  std::optional<std::size_t> forecast;            ///< selected index of `usual`
  std::optional<std::size_t> piece;               ///< selected index of CriticalContent::longest
  PathTab tab = PathTab::cause;
  std::vector<PageRequest> requests;

  float px(float at_scale_1) const { return std::round(at_scale_1 * scale); }
  /// Whether there is a path to show.
  bool has_path() const { return content != nullptr && !content->empty(); }
  bool of_job() const { return content != nullptr && content->job != nullptr; }
  bool can_forecast() const { return content != nullptr && content->forecasts(); }

  /// Returns the settings as on the command line, without those that change nothing.
  std::vector<std::string> settings() const;
  /// Returns the factor of a setting; 1 if it was not made.
  double factor(std::string_view name) const;
  /// Sets the factor of a setting. A factor of 1 removes it.
  void set_factor(const std::string& name, double factor);
  /// Whether the setting of a usual forecast is made with the same value.
  bool is_chosen(const std::string& usual_setting) const;
  /// Makes the setting of a usual forecast, or removes it.
  void toggle(const std::string& usual_setting);
  void reset() { chosen.clear(); }

  /// Selects the next (+1) or previous (-1) usual forecast. Stays at the first and last.
  void step_forecast(int by);
  /// Selects the next (+1) or previous (-1) piece, the longest first. After the last, continues at the first.
  void step_piece(int by);
  /// Returns the tables that have rows.
  std::vector<PathTab> tabs() const;
  void next_tab();
  /// Requests the timeline to show a piece of the path; for a job, the trace of its rank. Requires has_path().
  void open_piece(const PathPiece& shown);
  /// Requests the timeline to show an event; for a job, the trace of its rank, which is an index of
  /// CriticalContent::traces. Does nothing for kNoSlice.
  void open_slice(SliceId slice, std::uint32_t rank);
  /// Requests the trace of a rank of a job by its index.
  void open_rank(std::uint32_t rank);
  /// Requests the timeline to show the selected piece, or the longest one.
  void open_selection();
};

/// Splits the setting of a usual forecast into name and value. The name of a kernel becomes a pattern.
/// Returns nullopt for settings that cannot be combined, such as kernels with long names.
/// The median of other ranks is part of the name.
std::optional<ChosenSetting> chosen_from(std::string_view usual_setting);

/// Sets the boxes of the page's parts, which share the area `all`. Uses ImGui's cursor as the top of the bar.
void place_critical(CriticalState& state, const Box& all);

/// Returns the height of a rank's row, in px.
float rank_row_height();

/// Returns the color of a cause on lanes and in tables.
std::uint32_t cause_color(PathCause cause, const Theme& theme);

/// Draws the title of a part of the page, and a note beside it if there is room.
void draw_critical_title(ImDrawList& list, const CriticalState& state, const Box& box, const char* title,
                         const std::string& note);

}  // namespace kino
