#include "app/pages/timeline_drawer/hits_page.hpp"

#include <nlohmann/json.hpp>

#include "app/ui/drawer/state_json.hpp"
#include "app/ui/text/texts.hpp"
#include "core/base/time_text.hpp"

namespace kino {

const char* HitsPage::title() const { return tr(Text::tab_hits); }

std::string HitsPage::note() const {
  const SearchAnswer* answer = hits_.answer();
  return answer != nullptr && answer->query ? grouped(answer->total) : std::string();
}

void HitsPage::update(bool) { table_.update(hits_.shared_answer()); }

void HitsPage::draw(ImVec2 size, const DrawerLook& look) {
  const SliceId clicked = table_.draw(state_.selection.slice, size, look.theme, look.scale, look.keyboard);
  if (clicked != kNoSlice) state_.choose({clicked, kNoInstant}, true);
}

void HitsPage::tell(nlohmann::ordered_json& panel) const {
  const std::span<const SliceId> rows = table_.rows();
  nlohmann::ordered_json& search = panel["search"];
  search["first_row"] =
      rows.empty() ? nlohmann::ordered_json() : head_json(state_.trace->name_of(rows.front()));
  search["list"] = state_.drawer.shows(id());
}

}  // namespace kino
