// A short tour of a trace in three steps (zoom, click, ask). The next step is shown when the user has done
// the current one.
#pragma once

#include <cstdint>

#include "app/ui/widgets/theme.hpp"

namespace kino {

/// The current step of the tour, and the card that explains it. UI thread only.
class Tour {
 public:
  enum class Step : std::uint8_t { none, zoom, click, ask, done };

  /// State of the active timeline.
  struct Seen {
    double span_ns = 0;     ///< length of the visible time
    bool selected = false;  ///< whether an event is selected
    bool asked = false;     ///< whether a range is marked or a search has hits
  };

  /// Starts the tour with the first step, as soon as a timeline is shown.
  void begin();
  void end() { step_ = Step::none; }
  Step step() const { return step_; }
  /// Advances to the next step if the user has done the current one: zoomed in by a factor of two, selected
  /// an event, or marked a range or found something.
  void see(const Seen& seen);
  /// Draws the card of the current step with its lower right corner at (right, bottom). A button on the card
  /// ends the tour.
  void draw(float right, float bottom, const Theme& theme);

 private:
  Step step_ = Step::none;
  double first_span_ns_ = 0;  // visible time at the start; 0 before the first timeline
};

}  // namespace kino
