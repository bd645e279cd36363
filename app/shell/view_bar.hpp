// The bar above a page: the views of the document on the left, commands of the shown view on the right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/shell/documents/document.hpp"
#include "app/shell/documents/session.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/drawer/page_view.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Returns the views of a document, in the order of the bar: those of its page, and its other pages, such as
/// the layers of a trace. Empty while nothing is loaded, and for documents with a single view.
std::vector<PageView> views_of(const Document& document);
/// Shows one of views_of() by its id, if it is available.
void show_view(Document& document, std::string_view id);

/// UI thread only.
class ViewBar {
 public:
  struct Actions {
    std::optional<std::string_view> view;  ///< id of the view to show
    std::optional<std::size_t> scope;      ///< index of the part that tables cover
    bool fit_all = false;
    bool show_damage = false;
  };
  using Places = std::vector<std::pair<std::string, ImVec2>>;

  /// Binds the commands that show a view. The object and `session` must outlive `commands`.
  void bind(Commands& commands, Session& session);
  /// Draws the bar across the content region of the current window, and moves ImGui's cursor below it. Runs
  /// the commands of its menus. Draws nothing if the document has no views.
  Actions draw(const Document& document, Commands& commands, const Theme& theme, float scale);
  /// Returns the id of the view that the document showed before the current one; nullopt if there is none.
  std::optional<std::string_view> previous(const Document& document) const;
  /// Centers of the views drawn last, by id; the page itself is "main".
  const Places& places() const { return places_; }
  /// Center of the chip of the scope drawn last; 0, 0 if there is none.
  ImVec2 scope_place() const { return scope_place_; }

 private:
  struct History {
    std::string_view now;
    std::optional<std::string_view> before;
  };

  std::map<std::uint64_t, History> histories_;  // by serial of the document
  Places places_;
  ImVec2 scope_place_{};  // center of the chip; 0: not drawn
};

}  // namespace kino
