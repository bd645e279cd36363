#include "app/pages/job/rank_menu.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <imgui.h>

#include "app/pages/job/job_inspector.hpp"
#include "app/pages/job/job_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "loaders/cache/ranks/rank_file.hpp"

namespace kino {
namespace {

RankAction opens(const JobState& state, std::uint32_t rank, Text label) {
  return {filled(label, {rank_name(*state.job(), rank)}), [rank](JobState& shown) {
            shown.requests.emplace_back(OpenRecording{shown.picture->files[rank]});
          }};
}

/// Returns the members of a group, ascending.
std::vector<std::uint32_t> members_of(const JobState& state, std::size_t group) {
  const JobGroup& found = state.groups[group];
  const auto ranks = std::span(state.shown).subspan(found.first, found.count);
  std::vector<std::uint32_t> members(ranks.begin(), ranks.end());
  std::ranges::sort(members);
  return members;
}

std::string numbers_of(const JobState& state, std::span<const std::uint32_t> ranks) {
  std::string text;
  for (const std::uint32_t rank : ranks) {
    const std::int64_t number = state.job()->ranks[rank]->rank;
    text += (text.empty() ? "" : ", ") + (number < 0 ? std::string("?") : std::to_string(number));
  }
  return text;
}

}  // namespace

std::vector<RankAction> rank_actions(const JobState& state, std::uint32_t rank) {
  const JobAnalysis& job = *state.job();
  std::vector<RankAction> actions{opens(state, rank, Text::job_open_trace)};
  if (const std::optional<std::uint32_t> median = state.median_rank(); median && *median != rank) {
    actions.push_back({filled(Text::job_compare_with_median, {rank_name(job, *median)}),
                       [rank, median = *median](JobState& shown) {
                         const std::vector<std::filesystem::path>& files = shown.picture->files;
                         shown.requests.emplace_back(CompareTraces{trace_of_rank_file(files[median]),
                                                                   trace_of_rank_file(files[rank])});
                       }});
  }
  actions.push_back({tr(Text::job_expand), [rank](JobState& shown) { shown.toggle_expanded(rank); }});
  if (std::vector<std::uint32_t> machine = state.machine_of(rank); machine.size() > 1) {
    actions.push_back({filled(Text::job_only_machine, {rank_name(job, rank)}),
                       [rank, machine = std::move(machine)](JobState& shown) {
                         shown.show_only(machine, escaped(shown.layout.machines[rank]));
                       }});
  }
  actions.push_back({tr(Text::menu_copy_sentences), [rank](JobState& shown) {
                       const std::string name = rank_name(*shown.job(), rank);
                       const std::string text = rank_sentences(*shown.job(), rank);
                       ImGui::SetClipboardText((text.empty() ? name : name + ": " + text).c_str());
                     }});
  return actions;
}

std::vector<RankAction> group_actions(const JobState& state, std::size_t group) {
  std::vector<std::uint32_t> members = members_of(state, group);
  std::vector<RankAction> actions;
  const std::vector<StragglerStats>& blame = state.job()->blame;
  const auto worst =
      std::ranges::max_element(members, {}, [&](std::uint32_t rank) { return blame[rank].caused_ns; });
  if (worst != members.end() && blame[*worst].caused_ns > 0)
    actions.push_back(opens(state, *worst, Text::job_open_worst_of_group));
  const std::string title =
      state.groups[group].title.empty() ? tr(Text::job_group_unknown) : escaped(state.groups[group].title);
  actions.push_back({tr(Text::menu_copy_sentences), [group](JobState& shown) {
                       if (group < shown.groups.size())
                         ImGui::SetClipboardText(group_sentences(shown, group).c_str());
                     }});
  actions.push_back({tr(Text::menu_copy_ranks), [members](JobState& shown) {
                       ImGui::SetClipboardText(numbers_of(shown, members).c_str());
                     }});
  actions.push_back({tr(Text::job_show_only_group), [members = std::move(members), title](JobState& shown) {
                       shown.show_only(members, title);
                     }});
  return actions;
}

void draw_rank_menu(JobState& state) {
  JobState::Menu& menu = state.menu;
  if (std::exchange(menu.wanted, false)) ImGui::OpenPopup("rank_menu");
  if (!ImGui::BeginPopup("rank_menu")) return;
  if (popup_closed_by_escape()) return;
  const bool known = state.picture != nullptr && (menu.of_group ? menu.index < state.groups.size()
                                                                : menu.index < state.picture->ranks.size());
  if (!known) {
    ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
    return;
  }
  const std::vector<RankAction> actions = menu.of_group
                                              ? group_actions(state, menu.index)
                                              : rank_actions(state, static_cast<std::uint32_t>(menu.index));
  menu.items = actions.size();
  for (std::size_t i = 0; i < actions.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::MenuItem(actions[i].label.c_str())) {
      actions[i].run(state);
      ImGui::PopID();
      break;
    }
    ImGui::PopID();
  }
  ImGui::EndPopup();
}

}  // namespace kino
