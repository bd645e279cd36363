#include "app/pages/snapshot_drawer/segments_page.hpp"

#include <nlohmann/json.hpp>

#include "core/base/time_text.hpp"

namespace kino {

std::string SegmentsPage::note() const {
  const std::optional<std::size_t> rows = counts_.rows(kSegmentTable);
  return rows ? grouped(*rows) : std::string();
}

void SegmentsPage::draw_content(const DrawContext& look) {
  const auto color = [&](AllocationId id) { return colors().of(id, look.theme); };
  segments_.draw(state(), color, look.theme);
}

void SegmentsPage::write_test_state(nlohmann::ordered_json& panel) const {
  using Json = nlohmann::ordered_json;
  const SegmentResult* answer = segments_.answer();
  panel["segments"] = Json();
  if (answer == nullptr) return;
  const Fragmentation& memory = answer->memory;
  const auto selected_at = segments_.selected_place();
  const EventList& events = segments_.events();
  panel["segments"] = {{"event", answer->question.event},
                       {"segments", answer->layout.segments.size()},
                       {"reserved", memory.reserved},
                       {"allocated", memory.allocated},
                       {"pending", memory.pending},
                       {"free", memory.free},
                       {"rows", answer->map.rows()},
                       {"groups", answer->map.groups.size()},
                       {"hovered", segments_.hovered() ? Json(*segments_.hovered()) : Json()},
                       {"selected_at", selected_at ? Json({selected_at->x, selected_at->y}) : Json()},
                       {"event_card", events.hovered() ? Json(*events.hovered()) : Json()},
                       {"listed", events.listed(state())}};
}

}  // namespace kino
