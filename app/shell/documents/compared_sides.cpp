#include "app/shell/documents/compared_sides.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "app/ui/text/texts.hpp"
#include "core/tables/gpu/step_choice.hpp"
#include "core/trace/steps.hpp"

namespace kino {
namespace {

using Sides = std::array<ComparedSide, kSides>;

std::optional<Sides> parts_of(const ComparedSide& only, const SavedRanges* kept) {
  if (only.trace == nullptr) return std::nullopt;  // jobs have no saved ranges or steps
  Sides parts{only, only};
  const std::array<char, kSides> letters{'A', 'B'};
  if (kept != nullptr && kept->find('A') != nullptr && kept->find('B') != nullptr) {
    for (std::size_t i = 0; i < kSides; ++i) {
      const SavedRange& part = *kept->find(letters[i]);
      parts[i].selection.ranges = {part.part.range};
      parts[i].title = part.name;
    }
    return parts;
  }
  const Steps steps = find_steps(*only.trace);
  const StepChoice choice = choose_steps(*only.trace, steps);
  std::vector<std::int64_t> used;
  for (std::size_t i = 0; i < choice.uses.size(); ++i) {
    if (is_used(choice.uses[i])) used.push_back(static_cast<std::int64_t>(i));
  }
  if (used.size() < kSides) return std::nullopt;
  const auto step = [&](std::int64_t at) -> const Step& { return steps.steps[static_cast<std::size_t>(at)]; };
  const auto [shortest, longest] =
      std::ranges::minmax_element(used, {}, [&](std::int64_t at) { return step(at).range.length_ns(); });
  const std::array chosen{*shortest, *longest};
  for (std::size_t i = 0; i < kSides; ++i) {
    parts[i].selection.first_step = chosen[i];
    parts[i].selection.end_step = chosen[i] + 1;
    parts[i].title += " " + filled(Text::runs_step, {std::to_string(step(chosen[i]).number)});
  }
  return parts;
}

}  // namespace

std::optional<Sides> sides_to_compare(const Session& session) {
  if (session.empty()) return std::nullopt;
  const OpenSides sides = session.open_sides();
  if (sides.empty()) return std::nullopt;
  if (sides.size() == 1) {
    const auto* const timeline = session.active_document()->as<TimelinePanel>();
    return parts_of(sides.front(), timeline != nullptr ? &timeline->shown().kept : nullptr);
  }
  const std::optional<ComparedSide> shown = session.side_of(session.active());
  const auto at =
      shown ? std::ranges::find_if(sides, [&](const ComparedSide& side) { return side.same_run(*shown); })
            : sides.end();
  const auto second = at == sides.begin() || at == sides.end() ? sides.begin() + 1 : at;
  return Sides{*(second - 1), *second};
}

}  // namespace kino
