#include "app/ui/tables/table_scope.hpp"

#include <algorithm>
#include <array>

#include "app/ui/text/texts.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

// Entries of the menu before the steps.
constexpr std::array kFirstKinds{TableScope::Kind::whole, TableScope::Kind::range, TableScope::Kind::view};

std::string with_length(Text with, Text without, const std::optional<TimeRange>& range) {
  return range ? filled(with, {text_from_duration(range->length_ns())}) : tr(without);
}

}  // namespace

std::string_view TableScope::name() const {
  constexpr std::array<std::string_view, 4> kNames{"whole", "range", "step", "view"};
  return kNames[static_cast<std::size_t>(kind_)];
}

void TableScope::update(const Input& input) {
  if (kind_ != Kind::range || !input.marked || input.marked != ignored_range_) range_ = input.marked;
  rested_seconds_ = input.visible == seen_view_ ? rested_seconds_ + input.delta_seconds : 0;
  const bool first = !view_ && input.visible;
  seen_view_ = input.visible;
  if (first || rested_seconds_ >= kRestSeconds) view_ = seen_view_;
  note_step(input);
}

void TableScope::ignore(std::optional<TimeRange> range, SliceId slice) {
  if (range) ignored_range_ = range;
  if (slice != kNoSlice) ignored_slice_ = slice;
}

void TableScope::note_step(const Input& input) {
  const SliceId selected = input.selected;
  if (input.steps == nullptr || selected == kNoSlice || selected == ignored_slice_ || selected == noted_)
    return;
  // GPU work belongs to the step that launched it.
  const SliceColumns& slices = input.trace.slices;
  const SliceId launch =
      is_gpu_work(slices.kind[index_of(selected)]) ? slices.link[index_of(selected)] : kNoSlice;
  const std::size_t step = input.steps->at(slices.start_ns[index_of(launch == kNoSlice ? selected : launch)]);
  if (step != Steps::kNone) step_ = input.steps->steps[step].number;
  noted_ = selected;
}

std::optional<TableScope::Part> TableScope::part() const {
  if (kind_ == Kind::whole) return Part{};
  if (kind_ == Kind::step) return step_ ? std::optional(Part{std::nullopt, step_}) : std::nullopt;
  const std::optional<TimeRange>& range = kind_ == Kind::range ? range_ : view_;
  return range && range->length_ns() > 0 ? std::optional(Part{range, std::nullopt}) : std::nullopt;
}

std::string TableScope::title_of(Kind kind) const {
  if (kind == Kind::range) return with_length(Text::table_range_of, Text::table_range, range_);
  if (kind == Kind::view) return with_length(Text::scope_view_of, Text::inspector_in_view, view_);
  if (kind == Kind::step)
    return step_ ? filled(Text::table_step_of, {std::to_string(*step_)}) : tr(Text::table_step);
  return tr(Text::table_whole);
}

std::vector<PageScope> TableScope::choices(const Steps* steps) const {
  std::vector<PageScope> entries;
  const std::size_t count = steps != nullptr ? std::min(steps->steps.size(), kMostSteps) : 0;
  entries.reserve(kFirstKinds.size() + count);
  for (const Kind kind : kFirstKinds) {
    const bool missing = kind == Kind::range && !range_;
    entries.push_back({title_of(kind), kind == kind_, missing ? tr(Text::table_no_range) : std::string()});
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Step& step = steps->steps[i];
    entries.push_back({filled(Text::table_step_of, {std::to_string(step.number)}),
                       kind_ == Kind::step && step_ == step.number,
                       {}});
  }
  return entries;
}

void TableScope::choose(std::size_t entry, const Steps* steps) {
  if (entry < kFirstKinds.size()) return choose(kFirstKinds[entry]);
  entry -= kFirstKinds.size();
  if (steps != nullptr && entry < steps->steps.size()) choose_step(steps->steps[entry].number);
}

}  // namespace kino
