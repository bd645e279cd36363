#include "app/pages/snapshot_drawer/live_page.hpp"

#include <nlohmann/json.hpp>

#include "app/ui/commands/commands.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"

namespace kino {

const char* LivePage::title() const { return tr(Text::snapshot_tab_live); }

std::string LivePage::note() const {
  const LiveRows* rows = live_.rows();
  return rows != nullptr ? text_from_bytes(static_cast<double>(rows->bytes)) : std::string();
}

void LivePage::handle_keys(bool) {
  if (!command_pressed(CommandId::live_by_size)) return;
  live_.toggle_by_size();
  state().drawer.show(id());
}

void LivePage::update(bool) { live_.update(state().device_index(), state().cursor, state().baseline); }

void LivePage::draw_content(const DrawerLook& look) {
  const auto group_color = [this](std::uint32_t group) { return colors().of_group(group); };
  const AllocationId clicked = live_.draw(state().selected, group_color, look.theme, look.scale);
  if (clicked != kNoAllocation) state().selected = clicked;
}

void LivePage::tell(nlohmann::ordered_json& panel) const {
  using Json = nlohmann::ordered_json;
  const LiveRows* live = live_.rows();
  panel["live"] = Json();
  if (live == nullptr) return;
  panel["live"] = {{"count", live->count},
                   {"bytes", live->bytes},
                   {"event", live->question.event},
                   {"rows", live->rows.size()},
                   {"by_size", live->question.by_size},
                   {"first_bytes", live->rows.empty() ? Json() : Json(live->rows.front().bytes)},
                   {"first_growth", live->rows.empty() ? Json() : Json(live->rows.front().growth())}};
}

}  // namespace kino
