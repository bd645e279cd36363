#include "app/pages/timeline/track_rename.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <imgui.h>

#include "app/ui/tables/track_titles.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/field_focus.hpp"
#include "app/ui/widgets/keys.hpp"
#include "core/trace/name_text.hpp"

namespace kino {
namespace {

constexpr const char* kRename = "rename";
constexpr float kRenamePx = 280;

void set_title(TimelineState& state, std::uint32_t track, std::string title) {
  if (title == track_title(state.rows(), track)) title.clear();
  std::string& shown = state.arrangement.tracks[track].title;
  if (shown == title) return;
  shown = std::move(title);
  state.layout_stale = true;
}

}  // namespace

void TrackRename::draw(TimelineState& state) {
  if (const auto wanted = std::exchange(state.renamed_track, std::nullopt);
      wanted && *wanted < state.arrangement.tracks.size()) {
    track_ = wanted;
    takes_focus_ = true;
    const std::string title(cut_text(shown_title(state, *wanted), kMostBytes));
    text_.fill('\0');
    std::ranges::copy(title, text_.begin());
    ImGui::OpenPopup(kRename);
    const LayoutItem* item = state.layout.item_of(*wanted);
    if (item != nullptr) {
      const double y = state.layout.y_of(*item, state.shown_scroll());
      const float top =
          state.boxes.headers.top +
          std::clamp(static_cast<float>(y), 0.0F, std::max(0.0F, state.boxes.headers.height() - 40));
      ImGui::SetNextWindowPos({state.boxes.headers.left + state.px(8), top});
    }
  }
  if (!track_) return;
  const bool known = *track_ < state.arrangement.tracks.size();
  if (!ImGui::BeginPopup(kRename)) {
    if (known) set_title(state, *track_, text_.data());  // the user clicked outside of the field
    track_.reset();
    return;
  }
  const bool escape = key_pressed(NamedKey::escape);
  ImGui::SetNextItemWidth(state.px(kRenamePx));
  if (std::exchange(takes_focus_, false)) focus_next_field();
  const std::string own = known ? track_title(state.rows(), *track_) : std::string();
  const bool entered =
      ImGui::InputTextWithHint("##name", own.c_str(), text_.data(), text_.size(),
                               ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
  ImGui::TextUnformatted(tr(Text::track_rename_keys));
  ImGui::PopStyleColor();
  if (entered || escape || !known) {
    if (entered && known) set_title(state, *track_, text_.data());
    track_.reset();
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

}  // namespace kino
