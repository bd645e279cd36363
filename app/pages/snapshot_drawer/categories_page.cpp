#include "app/pages/snapshot_drawer/categories_page.hpp"

#include <nlohmann/json.hpp>

#include "app/shell/settings/category_rules.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/widgets.hpp"

namespace kino {

const char* CategoriesPage::title() const { return tr(Text::snapshot_tab_categories); }

// The file is made with the rules as they are, so that there is something to change.
void CategoriesPage::edit_rules() {
  const std::filesystem::path path = category_rules_path();
  const std::optional<Error> problem = make_category_file(path, colors().categories()->rules().rules);
  told_ = problem ? problem->what : filled(Text::category_file, {path.string()});
  if (!problem) ImGui::SetClipboardText(path.c_str());
}

void CategoriesPage::draw_content(const DrawerLook& look) {
  if (!told_.empty()) wrapped_text(look.theme.text_dim, told_);
  const auto color = [&](std::uint8_t byte) { return colors().of_category(byte, look.theme); };
  const CategorySheet::Actions done = sheet_.draw(state(), *colors().categories(), color, look.theme);
  if (done.edit) edit_rules();
  if (done.read_again) {
    told_.clear();
    asks().read_rules = true;
  }
  if (!done.find.empty()) asks().find = done.find;
}

void CategoriesPage::tell(nlohmann::ordered_json& panel) const {
  nlohmann::ordered_json list = nlohmann::ordered_json::object();
  if (sheet_.sums() != nullptr) {
    for (const CategorySheet::Sum& sum : *sheet_.sums()) list[sum.name] = sum.bytes;
  }
  panel["categories"] = list;
}

}  // namespace kino
