#include "app/pages/snapshot_drawer/oom_page.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/base/time_text.hpp"

namespace kino {

std::string OomPage::note() const { return grouped(count()); }

void OomPage::update(bool) {
  if (facts().markers != nullptr && count() == 0 && state().drawer.page == id())
    state().drawer.page = drawer_page::kLive;
}

void OomPage::draw_content(const DrawContext& look) {
  if (facts().markers == nullptr) return;
  const OomPanel::Actions asked = ooms_.draw(state(), count(), look.theme);
  if (asked.go_to) {
    state().go_to(*asked.go_to);
    state().drawer.page = drawer_page::kLive;
  }
  if (asked.select != kNoAllocation) state().select(asked.select);
}

void OomPage::write_test_state(nlohmann::ordered_json& panel) const {
  using Json = nlohmann::ordered_json;
  const std::vector<OomAnalysis>* autopsies = ooms_.autopsies();
  Json advice = Json::array();
  const std::size_t known =
      autopsies != nullptr ? std::min(autopsies->size(), ooms_.copy_places().size()) : 0;
  for (std::size_t i = 0; i < known; ++i) {
    const OomAnalysis& autopsy = (*autopsies)[i];
    const std::optional<ImVec2>& at = ooms_.copy_places()[i];
    advice.push_back({{"line", autopsy.setting && at ? Json(autopsy.setting->line) : Json()},
                      {"copy_at", at ? Json({at->x, at->y}) : Json()}});
  }
  panel["ooms"] = count();
  panel["autopsies"] = autopsies != nullptr ? Json(autopsies->size()) : Json();
  panel["advice"] = advice;
}

}  // namespace kino
