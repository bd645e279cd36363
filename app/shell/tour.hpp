// A first walk through a trace, in three steps: zoom, click, ask. Each goes on when it was done.
#pragma once

#include <cstdint>

#include "app/ui/widgets/theme.hpp"

namespace kino {

/// UI thread only.
class Tour {
 public:
  enum class Step : std::uint8_t { none, zoom, click, ask, done };

  /// What the timeline in front shows.
  struct Seen {
    double span_ns = 0;     ///< the width of its view
    bool selected = false;  ///< an event is selected
    bool asked = false;     ///< a range is marked, or a search has hits
  };

  /// From the first step on, with the next timeline that is seen.
  void begin();
  void end() { step_ = Step::none; }
  Step step() const { return step_; }
  /// Goes on where the step was done: the view shows at most half of what it showed at first, an event is
  /// selected, a range is marked or something found. One step a call.
  void see(const Seen& seen);
  /// The card of the step, its lower right corner at (right, bottom). Its button ends the tour.
  void draw(float right, float bottom, const Theme& theme);

 private:
  Step step_ = Step::none;
  double first_span_ns_ = 0;  // 0 until a timeline was seen
};

}  // namespace kino
