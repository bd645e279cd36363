// A short tour of a trace in three steps (zoom, click, ask); doing a step leads to the next.
#pragma once

#include <cstdint>

#include "app/ui/widgets/theme.hpp"

namespace kino {

/// UI thread only.
class Tour {
 public:
  enum class Step : std::uint8_t { none, zoom, click, ask, done };

  /// State of the active timeline.
  struct Seen {
    double span_ns = 0;     ///< width of its view
    bool selected = false;  ///< an event is selected
    bool asked = false;     ///< a range is marked, or a search has hits
  };

  /// Starts with the first step, at the next timeline.
  void begin();
  void end() { step_ = Step::none; }
  Step step() const { return step_; }
  /// Advances at most one step if it was done: zoomed in by two or more, selected an event, or marked a range
  /// or found something.
  void see(const Seen& seen);
  /// Draws the card of the step with its lower right corner at (right, bottom). Its button ends the tour.
  void draw(float right, float bottom, const Theme& theme);

 private:
  Step step_ = Step::none;
  double first_span_ns_ = 0;  // 0 before the first timeline
};

}  // namespace kino
