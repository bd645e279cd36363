#include "app/pages/snapshot_set/snapshot_set_state.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr float kBytesPx = 92;
constexpr float kSidePx = 430;
constexpr float kSideShare = 0.4F;
constexpr float kLeastPlotPx = 90;

/// Returns ns from the origin, clamped to 100 years.
double distance_ns(std::int64_t time_us, std::int64_t origin_us) {
  constexpr double kMost = 3.2e18;
  const double ns = (static_cast<double>(time_us) - static_cast<double>(origin_us)) * 1000;
  return std::clamp(ns, -kMost, kMost);
}

}  // namespace

std::string shown_bytes_text(std::uint64_t bytes) { return text_from_bytes(bytes); }

std::string set_facts_text(const SnapshotSet& set, std::size_t files_read, std::size_t files) {
  const bool any = set.median != SnapshotSet::kNone;
  return filled(set.typical ? Text::set_facts : Text::set_facts_reference,
                {grouped(files_read), grouped(files), grouped(set.members.size()),
                 any ? escaped(in_language(set.names[set.median])) : "?",
                 any ? shown_bytes_text(set.median_peak()) : "?"});
}

std::optional<std::size_t> SetPositions::point_at(std::uint32_t member, double units) const {
  const std::vector<double>& at = of_point[member];
  if (at.empty() || units < at.front() || units > end[member]) return std::nullopt;
  return static_cast<std::size_t>(std::ranges::upper_bound(at, units) - at.begin()) - 1;
}

bool has_axis(const SnapshotSet& set, SetAxis axis) { return axis == SetAxis::events || set.timed; }

SetAxis first_axis(const SnapshotSet& set) {
  if (!set.timed) return SetAxis::events;
  return set.together ? SetAxis::clock : SetAxis::begins;
}

SetPositions places_along(const SnapshotSet& set, SetAxis axis) {
  SetPositions places;
  places.axis = axis;
  std::int64_t origin_us = 0;
  if (axis == SetAxis::clock && !set.members.empty()) {
    origin_us = INT64_MAX;
    for (const SnapshotMember& member : set.members) {
      if (member.sums.first_us != SnapshotEntries::kNoTime)
        origin_us = std::min(origin_us, member.sums.first_us);
    }
    constexpr std::int64_t kMostUs = INT64_MAX / 1000;
    places.origin_unix_ns = std::clamp(origin_us, -kMostUs, kMostUs) * 1000;
  }
  double last = 1;
  for (const SnapshotMember& member : set.members) {
    const SnapshotSums& sums = member.sums;
    const std::int64_t origin = axis == SetAxis::begins ? sums.first_us : origin_us;
    std::vector<double>& of_point = places.of_point.emplace_back();
    if (sums.events == 0) {  // one value, drawn from start to end
      of_point.assign(sums.curve.size(), 0);
      places.end.push_back(0);
      continue;
    }
    double before = axis == SetAxis::clock ? distance_ns(sums.first_us, origin) : 0;
    for (const SumPoint& point : sums.curve) {
      double at = before;
      if (axis == SetAxis::events) {
        at = static_cast<double>(std::max<EventIndex>(0, point.event)) * SetPositions::kUnitsPerEvent;
      } else if (point.time_us != SnapshotEntries::kNoTime) {
        at = distance_ns(point.time_us, origin);
      }
      before = std::max(before, at);  // keeps the positions ascending, since recorded times can decrease
      of_point.push_back(before);
    }
    const double end = axis == SetAxis::events
                           ? static_cast<double>(sums.events) * SetPositions::kUnitsPerEvent
                           : distance_ns(sums.last_us, origin);
    places.end.push_back(std::max(before, end));
    last = std::max(last, places.end.back());
  }
  for (std::size_t i = 0; i < set.members.size(); ++i) {
    if (set.members[i].sums.events == 0) places.end[i] = last;
  }
  places.content = {0, static_cast<std::int64_t>(std::ceil(last))};
  return places;
}

void SetState::take(std::shared_ptr<const SetResult> made) {
  const bool first = set() == nullptr;
  const auto key = [](const SnapshotMember& member) { return std::pair(member.source, member.sums.device); };
  std::optional<std::pair<std::size_t, std::int32_t>> selected_key;
  if (selected) selected_key = key(picture->set.members[*selected]);
  picture = std::move(made);
  hovered.reset();
  selected.reset();
  differences.clear();
  const SnapshotSet* const now = set();
  if (now == nullptr) return;
  const SetAxis axis = first || !has_axis(*now, places.axis) ? first_axis(*now) : places.axis;
  const TimeRange before = places.content;
  const std::int64_t origin_before = places.origin_unix_ns;
  places = places_along(*now, axis);
  if (places.content != before) {
    const double width = navigation.view().width_px;
    Navigation now_of(places.content);
    if (width > 0) now_of.set_width(width);
    // Positions are relative to the earliest event. With a common clock, another member may have become the
    // earliest.
    const double shift = static_cast<double>(origin_before) - static_cast<double>(places.origin_unix_ns);
    if (!first) now_of.continue_from(navigation, axis == SetAxis::clock ? shift : 0);
    navigation = now_of;
  }
  for (std::uint32_t i = 0; selected_key && i < now->members.size(); ++i) {
    if (key(now->members[i]) == *selected_key) select(i);
  }
  if (requested_rank >= 0) select_rank(requested_rank);
  if (!selected && !was_read && now->members.size() > 1 && now->outlier[now->order.front()])
    select(now->order.front());
  was_read = was_read || picture->of_all;
}

void SetState::select_rank(std::int64_t rank) {
  requested_rank = rank;
  const SnapshotSet* const shown = set();
  for (std::uint32_t i = 0; shown != nullptr && i < shown->members.size(); ++i) {
    if (shown->members[i].rank != rank) continue;
    requested_rank = -1;
    select(i);
    return;
  }
}

void SetState::place(float left, float top, float width, float height) {
  boxes.all = {left, top, left + width, top + height};
  const float most = std::max(0.0F, height - px(kLeastPlotPx));
  const float below =
      drawer.height(std::min(std::max(drawer.wanted_height(height, scale), px(kMinDrawerPx)), most),
                    px(kDrawerBarPx), most);
  boxes.drawer = {left, top + height - below, left + width, top + height};
  const float bottom = boxes.drawer.top - (drawer.open ? px(kSplitterPx) : 0);
  const float side = std::floor(std::min(px(kSidePx), width * kSideShare));
  const float ruler = px(kRulerPx);
  const float right = left + width - side;
  const float from = std::floor(left + std::max(px(kBytesPx), corner_px));
  boxes.corner = {left, top, from, top + ruler};
  boxes.ruler = {from, top, right, top + ruler};
  boxes.bytes = {left, top + ruler, from, bottom};
  boxes.plot = {from, top + ruler, right, bottom};
  boxes.side = {right, top, left + width, bottom};
  if (drawer.fills()) {
    move_out_of_sight({&boxes.corner, &boxes.ruler, &boxes.bytes, &boxes.plot, &boxes.side});
    boxes.drawer = boxes.all;
  }
  navigation.set_width(std::max(1.0F, boxes.plot.width()));
}

void SetState::select(std::optional<std::uint32_t> member) {
  selected = member;
  ++selections;
  differences.clear();
  const SnapshotSet* const shown = set();
  if (shown == nullptr || !selected) return;
  differences = kino::differences(shown->members[*selected].sums, shown->members[shown->median].sums, by);
}

void SetState::step(int direction) {
  const SnapshotSet* const shown = set();
  if (shown == nullptr) return;
  const auto count = static_cast<std::ptrdiff_t>(shown->order.size());
  std::ptrdiff_t at = direction > 0 ? -1 : count;
  if (selected) at = std::ranges::find(shown->order, *selected) - shown->order.begin();
  at = std::clamp<std::ptrdiff_t>(at + direction, 0, count - 1);
  select(shown->order[static_cast<std::size_t>(at)]);
}

void SetState::next_axis() {
  const SnapshotSet* const shown = set();
  if (shown == nullptr) return;
  SetAxis axis = places.axis;
  do {
    axis = static_cast<SetAxis>((static_cast<std::size_t>(axis) + 1) % kSetAxisCount);
  } while (!has_axis(*shown, axis));
  if (axis == places.axis) return;
  places = places_along(*shown, axis);
  navigation = Navigation(places.content);
}

void SetState::group_by(SumsBy wanted) {
  by = wanted;
  const std::uint64_t before = selections;
  select(selected);
  selections = before;
}

void SetState::request_open(std::uint32_t member) {
  const SnapshotSet* const shown = set();
  if (shown != nullptr && member < shown->members.size())
    requests.emplace_back(OpenRecording{files[shown->members[member].source].path});
}

}  // namespace kino
