// The part of a trace that all its tables cover: the whole trace, a step, the marked range, or what is in
// view.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/drawer/page_view.hpp"
#include "core/trace/steps.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// UI thread only. Independent of ImGui.
class TableScope {
 public:
  enum class Kind : std::uint8_t { whole, range, step, view };

  /// State of the timeline in a frame.
  struct Input {
    const Trace& trace;
    const Steps* steps = nullptr;        ///< null until they are known
    SliceId selected = kNoSlice;         ///< selecting a slice chooses its step
    std::optional<TimeRange> marked{};   ///< marked range; nullopt while it is dragged
    std::optional<TimeRange> visible{};  ///< part of the trace in view
    double delta_seconds = 0;
  };
  /// Seconds that a view must rest before tables cover it.
  static constexpr double kRestSeconds = 0.15;

  /// Called once per frame.
  void update(const Input& input);
  /// Excludes a range and a slice from the next updates. A table marked the range and selected the slice
  /// itself, which must not change the part that the table covers.
  void ignore(std::optional<TimeRange> range, SliceId slice);
  void choose(Kind kind) { kind_ = kind; }
  void choose_step(std::int64_t number) {
    step_ = number;
    kind_ = Kind::step;
  }
  /// Chooses the next kind, cyclically.
  void next() { kind_ = static_cast<Kind>((static_cast<int>(kind_) + 1) % 4); }

  Kind kind() const { return kind_; }
  std::string_view name() const;
  /// The part that tables cover: a range, a step, or the whole trace if both are empty.
  struct Part {
    std::optional<TimeRange> range;
    std::optional<std::int64_t> step;
    bool operator==(const Part&) const = default;
  };
  /// Returns nullopt if the chosen range or step does not exist.
  std::optional<Part> part() const;
  /// Whether the view has not rested yet.
  bool waiting() const { return kind_ == Kind::view && view_ != seen_view_; }

  /// Label of the part, in the language in use.
  std::string title() const { return title_of(kind_); }
  static constexpr std::size_t kMostSteps = 500;
  /// Returns the entries of a menu: the whole trace, the marked range, the view, then the first kMostSteps
  /// steps.
  std::vector<PageScope> choices(const Steps* steps) const;
  /// Chooses an entry of choices().
  void choose(std::size_t entry, const Steps* steps);

 private:
  std::string title_of(Kind kind) const;
  void note_step(const Input& input);

  Kind kind_ = Kind::whole;
  std::optional<TimeRange> range_;
  std::optional<std::int64_t> step_;  // number of the last selected step
  std::optional<TimeRange> view_;     // view that has rested
  std::optional<TimeRange> seen_view_;
  double rested_seconds_ = 0;
  std::optional<TimeRange> ignored_range_;
  SliceId ignored_slice_ = kNoSlice;
  SliceId noted_ = kNoSlice;  // last selection that chose a step
};

}  // namespace kino
