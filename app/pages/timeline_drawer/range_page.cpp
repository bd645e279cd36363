#include "app/pages/timeline_drawer/range_page.hpp"

#include <nlohmann/json.hpp>

#include "app/pages/timeline_drawer/compare_page.hpp"
#include "app/ui/drawer/state_json.hpp"
#include "app/ui/text/texts.hpp"
#include "core/base/time_text.hpp"
#include "core/trace/name_text.hpp"

namespace kino {

const char* RangePage::title() const { return tr(Text::tab_range); }

std::string RangePage::note() const {
  const std::optional<TimeRange>& marked = state_.marked.range();
  return marked ? text_from_duration(marked->length_ns()) : std::string();
}

void RangePage::handle_keys(bool) { RangeTrackBar::handle_keys(state_); }

void RangePage::update(bool) {
  table_.update(state_.marked.dragging() ? std::nullopt : state_.marked.range(), track_set(state_),
                state_.marked.generation());
}

void RangePage::draw(ImVec2 size, const DrawerLook& look) {
  bool keep = false;
  const SliceId clicked =
      table_.draw(size, look.theme, look.scale, look.keyboard, [&] { keep = bar_.draw(state_, look.theme); });
  if (clicked != kNoSlice) state_.choose({clicked, kNoInstant}, true);
  if (keep) ComparePage::keep(state_, 0);
}

void RangePage::tell(nlohmann::ordered_json& panel) const {
  constexpr std::size_t kMostNames = 200;
  using Json = nlohmann::ordered_json;
  const RangeSummary* summary = table_.summary();
  Json names = Json::object();  // sums by name, where there are few
  if (summary != nullptr && summary->names.size() <= kMostNames) {
    for (const NameStats& row : summary->names)
      names[head_of(state_.trace->name_text(row.name), 200)] = row.stats.total_ns;
  }
  const auto& tracks = state_.marked.tracks();
  panel["range"] = {{"names", names},
                    {"tracks", tracks ? Json(tracks->size()) : Json()},
                    {"places", places_json(bar_.places())}};
}

}  // namespace kino
