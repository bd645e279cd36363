#include "app/pages/job/job_head.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "app/pages/job/job_texts.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/drawer/bar_line.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/fonts.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

std::size_t count_of(const JobState& state, RankFile::State wanted) {
  return static_cast<std::size_t>(std::ranges::count(state.files, wanted, &RankFile::state));
}

std::string title_of(const JobState& state) {
  const JobAnalysis* const job = state.job();
  if (!state.read) {
    const std::size_t done =
        count_of(state, RankFile::State::ready) + count_of(state, RankFile::State::failed);
    return filled(Text::job_reading, {grouped(done), grouped(state.files.size())});
  }
  if (job == nullptr) return tr(state.jobs.empty() ? Text::job_no_rank : Text::job_matching);
  if (job->ranks.size() == 1) return tr(Text::job_one_rank);
  return verdict_title(*job);
}

/// Selects the rank, and shows the step in which it caused the most waiting.
void go_to_finding(JobState& state, std::uint32_t rank) {
  state.drawer.leave_full();  // the drawer must not cover the rows
  state.select_rank(rank);
  const std::vector<JobStep>& steps = state.picture->steps;
  const auto of_rank = [rank](const JobStep& step) { return step.ranks[rank].root_ns; };
  const auto most = std::ranges::max_element(steps, {}, of_rank);
  if (most == steps.end() || of_rank(*most) == 0) return;
  state.go_to(static_cast<std::size_t>(most - steps.begin()));
}

/// Shows a tooltip below the verdict with the full text of one of the ranks to check first.
void show_finding_hint(const JobState& state, std::uint32_t rank, const std::string& cost) {
  const std::string causes = cause_shares_text(*state.job(), rank);
  std::string hint = rank_name(*state.job(), rank);
  hint.append(": ").append(cost);
  if (!causes.empty()) hint.append("\n").append(filled(Text::job_reason_why, {causes}));
  hint.append("\n").append(tr(Text::job_lateness_hint));
  if (const std::string note = cpu_untraced_note(causes); !note.empty()) hint.append("\n").append(note);
  wrapped_tooltip_below(state.boxes.head.bottom + state.px(4), hint);
}

/// Draws the ranks to check first, with the lateness of each or the waiting that it caused. Returns the left
/// edge of the drawn area.
float draw_findings(ImDrawList& list, JobState& state, float right) {
  const JobAnalysis* const job = state.job();
  const Box& box = state.boxes.head;
  if (job == nullptr || state.named.empty() || box.width() < state.px(1100)) return right;
  const float left = right - state.px(400);
  const float row = std::floor((box.height() - state.px(8)) / 3);
  const float size = ImGui::GetFontSize();
  const auto rows = static_cast<float>(state.named.size());
  float top = std::floor(box.top + (box.height() - rows * row) / 2);
  for (const std::uint32_t rank : state.named) {
    ImGui::PushID(static_cast<int>(rank));
    place_button("finding", {left, top, right, top + row});
    const bool over = ImGui::IsItemHovered();
    if (ImGui::IsItemClicked()) go_to_finding(state, rank);
    ImGui::PopID();
    if (over) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      list.AddRectFilled({left, top}, {right, top + row}, with_alpha(state.theme.selection, 24), state.px(3));
    }
    const float y = std::floor(top + (row - size) / 2);
    std::string cost = lateness_text(*job, rank);
    if (cost.empty()) cost = text_from_duration(job->blame[rank].caused_ns);
    if (over) show_finding_hint(state, rank, cost);
    const float cost_left = right - state.px(6) - text_width(cost);
    list.AddText({cost_left, y}, state.theme.text, cost.c_str());
    float x = left + state.px(6);
    x += draw_elided(list, {x, y}, state.px(90), state.theme.accent, rank_name(*job, rank)) + state.px(10);
    draw_elided(list, {x, y}, cost_left - state.px(10) - x, state.theme.text_dim,
                cause_shares_text(*job, rank));
    top += row;
  }
  return left - state.px(12);
}

void draw_verdict(ImDrawList& list, JobState& state) {
  const Box& box = state.boxes.head;
  const JobAnalysis* const job = state.job();
  list.AddRectFilled({box.left, box.top}, {box.right, box.bottom}, state.theme.panel);
  const bool straggler = job != nullptr && job->straggler().has_value();
  std::uint32_t edge = state.theme.accent;
  if (job != nullptr)
    edge = straggler ? kind_color(SliceKind::communication, state.theme) : state.theme.border;
  list.AddRectFilled({box.left, box.top}, {box.left + state.px(4), box.bottom}, edge);
  float right = draw_findings(list, state, box.right - state.px(12));
  if (state.picture != nullptr && !state.picture->late.empty()) {
    const float width = flat_button_width(tr(Text::job_show_worst));
    right -= width;
    ImGui::SetCursorScreenPos({right, std::floor(box.top + (box.height() - ImGui::GetFrameHeight()) / 2)});
    if (flat_button(tr(Text::job_show_worst),
                    hint_with_key(Text::command_next_delayed, CommandId::next_late).c_str())) {
      state.drawer.leave_full();
      state.collective = KernelWait::kUnmatched;
      state.step_late(1);
    }
    right -= state.px(12);
  }
  const float left = box.left + state.px(18);
  const std::string title = title_of(state);
  ImGui::PushFont(heading_font());
  draw_elided(list, {left, std::floor(box.top + state.px(9))}, right - left, state.theme.text, title);
  bool cut = text_width(title) > right - left;
  ImGui::PopFont();
  std::string reason;
  // The reason is omitted while files are being read, because missing ranks may still be found.
  if (job != nullptr && job->ranks.size() > 1 && state.read) reason = verdict_reason(*job);
  draw_elided(list, {left, std::floor(box.bottom - state.px(9) - ImGui::GetFontSize())}, right - left,
              state.theme.text_dim, reason);
  cut = cut || text_width(reason) > right - left;
  if (cut && ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect({left, box.top}, {right, box.bottom})) {
    std::string hint = title;
    if (!reason.empty()) hint.append("\n").append(reason);
    if (const std::string note = cpu_untraced_note(reason); !note.empty()) hint.append("\n").append(note);
    wrapped_tooltip_below(box.bottom + state.px(4), hint);
  }
}

std::string ranks_words(const JobState& state) {
  const JobAnalysis* const job = state.job();
  if (job == nullptr) return counted(Text::job_one_file, Text::job_files, state.files.size());
  const std::string world =
      job->world_size > 0 ? grouped(static_cast<std::uint64_t>(job->world_size)) : std::string("?");
  return filled(Text::job_ranks_of, {grouped(job->ranks.size()), world});
}

std::string list_of(const std::vector<std::int64_t>& ranks) {
  constexpr std::size_t kNamed = 8;
  std::string words;
  for (std::size_t i = 0; i < std::min(kNamed, ranks.size()); ++i)
    words += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  if (ranks.size() > kNamed) words += ", " + filled(Text::and_more, {grouped(ranks.size() - kNamed)});
  return words;
}

void add_failures(std::vector<BarText>& parts, const JobState& state) {
  const std::size_t failed = count_of(state, RankFile::State::failed);
  if (failed == 0) return;
  std::string hint;
  std::size_t named = 0;
  for (const RankFile& file : state.files) {
    if (file.state != RankFile::State::failed || ++named > 12) continue;
    hint += (hint.empty() ? "" : "\n") + escaped(file.path.filename().string()) + ": " +
            escaped(in_language(file.error.what));
  }
  parts.push_back({.color = state.theme.error,
                   .words = counted(Text::job_one_failed, Text::job_failed, failed),
                   .hint = hint});
}

void add_left_out(std::vector<BarText>& parts, const JobState& state) {
  if (!state.read) return;
  const std::vector<std::filesystem::path> left_out = unassigned_snapshots(state.files, state.jobs);
  if (left_out.empty()) return;
  std::string hint;
  constexpr std::size_t kNamed = 12;
  for (std::size_t i = 0; i < std::min(kNamed, left_out.size()); ++i)
    hint += (i == 0 ? "" : "\n") + escaped(left_out[i].filename().string());
  parts.push_back({.color = state.theme.warning,
                   .words = filled(Text::job_snapshots_excluded, {grouped(left_out.size())}),
                   .hint = hint});
}

/// Adds the damage of all files that were read so far.
void add_damage(std::vector<BarText>& parts, const JobState& state) {
  std::uint64_t total = 0;
  bool drops = false;
  std::string hint;
  std::size_t named = 0;
  for (const RankFile& file : state.files) {
    total += file.damage.total();
    drops = drops || file.damage.drops_events();
    for (const Damage& entry : file.damage.entries()) {
      if (is_reading_note(entry.reason) || ++named > 12) continue;
      hint += (hint.empty() ? "" : "\n") + escaped(file.path.filename().string()) + ": " +
              filled(Text::damage_count_of,
                     {grouped(entry.count), in_language(text_of(entry.reason, entry.count))});
    }
  }
  if (total > 0) {
    parts.push_back({.color = drops ? state.theme.warning : state.theme.text_dim,
                     .words = "▲ " + grouped(total),
                     .hint = hint});
  }
}

std::string level_hint(const LevelCounts& counts) {
  std::string words;
  const auto line = [&](Text text, const char* level, const std::map<std::string, std::size_t>& of_level) {
    std::size_t count = 0;
    for (const auto& [key, number] : of_level) count += key.starts_with(level) ? number : 0;
    if (count > 0) words += (words.empty() ? "" : "\n") + filled(text, {grouped(count)});
  };
  line(Text::job_level_exact, "A", counts.instances);
  line(Text::job_level_proved, "B", counts.instances);
  line(Text::job_level_order, "C", counts.instances);
  line(Text::job_level_rejected, "X", counts.instances);
  line(Text::job_level_unmatched, "single", counts.kernels);
  return words;
}

void add_matched(std::vector<BarText>& parts, const JobState& state) {
  std::size_t all = 0;
  std::size_t matched = 0;
  const LevelCounts& counts = state.picture->levels;
  for (const auto& [level, count] : counts.kernels) {
    all += count;
    if (level[0] != 's' && level[0] != 'X') matched += count;
  }
  if (all == 0) return;
  parts.push_back({.color = matched == all ? state.theme.text_dim : state.theme.warning,
                   .words = filled(Text::job_matched, {grouped(matched), grouped(all)}),
                   .brief = filled(Text::job_matched_share, {text_from_share(static_cast<double>(matched) /
                                                                             static_cast<double>(all))}),
                   .hint = level_hint(counts)});
}

void draw_clock_button(BarLine& line, JobState& state) {
  if (line.button_at_end("clocks",
                         tr(state.by_hand  ? Text::job_clocks_hand
                            : state.fitted ? Text::job_clocks_fitted
                                           : Text::job_clocks_raw),
                         hint_with_key(Text::command_toggle_clocks, CommandId::toggle_clocks)))
    state.toggle_clocks();
}

void add_clocks(std::vector<BarText>& parts, const JobState& state, const JobAnalysis& job) {
  if (state.picture->clocks == PageClocks::by_hand) {
    parts.push_back({.color = state.theme.warning,
                     .words = tr(Text::job_clocks_hand),
                     .hint = hint_with_key(Text::job_clocks_hand_hint, CommandId::undo_alignment)});
  } else if (job.clocks.components > 1) {
    parts.push_back({.color = state.theme.warning,
                     .words = tr(Text::job_clocks_parts),
                     .brief = tr(Text::job_clocks_unknown),
                     .hint = clock_check_text(job)});
  } else {
    parts.push_back({.color = state.theme.text_dim,
                     .words = clocks_text(job),
                     .brief = clocks_in_brief(job),
                     .hint = clock_check_text(job)});
  }
}

/// Returns the numbers of the ranks that another job of the same time also contains. They were recorded
/// twice.
std::vector<std::int64_t> doubled_ranks(const JobState& state) {
  std::vector<std::int64_t> doubled;
  const JobAnalysis& job = *state.job();
  const std::int64_t begin = state.picture->begin_ns;
  const std::int64_t end = begin + state.picture->content.end_ns;
  for (std::size_t i = 0; i < state.jobs.size(); ++i) {
    if (i == state.shown_job) continue;
    for (const Recording& recording : state.jobs[i].job.recordings) {
      const auto digest = recording.digest();
      if (digest == nullptr || digest->rank < 0 || digest->last_ns < begin || digest->first_ns > end)
        continue;
      const bool here =
          std::ranges::any_of(job.ranks, [&](const auto& own) { return own->rank == digest->rank; });
      if (here && digest->world_size == job.world_size) doubled.push_back(digest->rank);
    }
  }
  std::ranges::sort(doubled);
  doubled.erase(std::unique(doubled.begin(), doubled.end()), doubled.end());
  return doubled;
}

/// Draws one square per rank: straggler, present or missing. Until the analysis is known, draws one per file.
/// Draws none for a single rank, or for more than 64.
void draw_squares(ImDrawList& list, BarLine& line, const JobState& state) {
  constexpr std::size_t kMost = 64;
  constexpr std::size_t kRow = 16;
  const JobAnalysis* const job = state.job();
  const std::size_t count = job != nullptr ? job->ranks.size() + job->missing.size() : state.files.size();
  if (count < 2 || count > kMost) return;
  const std::size_t rows = (count + kRow - 1) / kRow;
  const float side = std::floor(rows > 1 ? state.px(4) : state.px(8));
  const float step = side + (rows > 1 ? 1 : state.px(2));
  const ImVec2 at =
      line.take(static_cast<float>(std::min(count, kRow)) * step, static_cast<float>(rows) * step);
  if (at.x < 0) return;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = i / kRow;
    const ImVec2 from{at.x + static_cast<float>(i % kRow) * step, at.y + static_cast<float>(row) * step};
    const ImVec2 to{from.x + side, from.y + side};
    std::uint32_t color = state.theme.accent;
    bool hollow = false;
    if (job == nullptr) {
      const RankFile::State of_file = state.files[i].state;
      hollow = of_file == RankFile::State::waiting || of_file == RankFile::State::loading;
      color = of_file == RankFile::State::failed ? state.theme.error : hollow ? state.theme.text_dim : color;
    } else if (i >= job->ranks.size()) {
      hollow = true;
      color = state.read ? state.theme.warning : state.theme.text_dim;
    } else if (job->straggler() == static_cast<std::uint32_t>(i)) {
      color = kind_color(SliceKind::communication, state.theme);
    }
    if (hollow) {
      list.AddRect(from, to, color);
    } else {
      list.AddRectFilled(from, to, color);
    }
  }
}

constexpr std::array kFigureTexts{Text::job_figure_totals, Text::job_figure_delay_caused,
                                  Text::job_figure_waiting, Text::job_figure_transfer,
                                  Text::job_figure_duration};
static_assert(kFigureTexts.size() == kRankFigureCount);
constexpr std::array kOrderTexts{Text::job_order_number, Text::job_order_delay_caused,
                                 Text::job_order_waiting, Text::job_order_machine};
static_assert(kOrderTexts.size() == kRankOrderCount);

/// Draws one menu item per text. Returns the index of the clicked item.
template <std::size_t N>
std::optional<std::size_t> choice_of(const std::array<Text, N>& texts, std::size_t now) {
  std::optional<std::size_t> chosen;
  for (std::size_t i = 0; i < N; ++i) {
    if (ImGui::MenuItem(tr(texts[i]), nullptr, i == now)) chosen = i;
  }
  return chosen;
}

/// Draws the menu above the cells whose content it selects.
void draw_figure_menu(ImDrawList& list, JobState& state) {
  if (state.picture->steps.empty()) return;
  const Box& box = state.boxes.figures;
  list.AddRectFilled({box.left, box.top}, {box.right, box.bottom}, state.theme.panel);
  BarLine line(list, box, state.theme, state.scale);
  const auto now = static_cast<std::size_t>(state.figure);
  if (line.button("figure", tr(kFigureTexts[now]),
                  hint_with_key(Text::command_rank_figure, CommandId::rank_figure)))
    ImGui::OpenPopup("figures");
  if (!ImGui::BeginPopup("figures")) return;
  if (popup_closed_by_escape()) return;
  if (const auto chosen = choice_of(kFigureTexts, now)) state.figure = static_cast<RankFigure>(*chosen);
  ImGui::EndPopup();
}

/// Draws menu items that filter the ranks: items for all ranks, and items for the selected rank.
void draw_only_items(JobState& state, const JobAnalysis& job) {
  if (ImGui::MenuItem(tr(Text::job_only_all), nullptr, state.only.empty())) state.show_only({});
  std::vector<std::uint32_t> late;
  for (std::uint32_t i = 0; i < job.blame.size(); ++i) {
    if (job.blame[i].caused_ns > 0) late.push_back(i);
  }
  if (!late.empty() && ImGui::MenuItem(tr(Text::job_only_late), nullptr, state.only == late))
    state.show_only(late, tr(Text::job_only_late_short));
  if (!state.rank) return;
  const std::string name = rank_name(job, *state.rank);
  const std::vector<std::uint32_t> machine = state.machine_of(*state.rank);
  if (machine.size() > 1 &&
      ImGui::MenuItem(filled(Text::job_only_machine, {name}).c_str(), nullptr, state.only == machine))
    state.show_only(machine, escaped(state.layout.machines[*state.rank]));
  for (std::size_t grouping = 2; grouping < state.grouping_count(); ++grouping) {
    const std::string place = state.group_of(grouping, *state.rank);
    if (place.empty()) continue;
    std::vector<std::uint32_t> ranks;
    for (std::uint32_t i = 0; i < job.ranks.size(); ++i) {
      if (state.group_of(grouping, i) == place) ranks.push_back(i);
    }
    if (ImGui::MenuItem(
            filled(Text::job_only_machine_or_group, {escaped(place), grouped(ranks.size())}).c_str(), nullptr,
            state.only == ranks))
      state.show_only(ranks, escaped(place));
  }
  for (std::size_t g = 0; g < job.matched.groups.size(); ++g) {
    const MatchedGroup& group = job.matched.groups[g];
    if (group.kind != MatchedGroupKind::known || group.present.size() < 2 ||
        std::ranges::find(group.present, *state.rank) == group.present.end())
      continue;
    ImGui::PushID(static_cast<int>(g));
    const std::string& title = group.description.empty() ? group.name : group.description;
    if (ImGui::MenuItem(
            filled(Text::job_only_group, {escaped(title), name, grouped(group.present.size())}).c_str(),
            nullptr, state.only == group.present))
      state.show_only(group.present, escaped(title));
    ImGui::PopID();
  }
}

void draw_order_menu(BarLine& line, JobState& state) {
  const auto now = static_cast<std::size_t>(state.order);
  std::string label = tr(kOrderTexts[now]);
  if (!state.only.empty()) {
    label += " · " + (state.only_words.empty() ? "" : state.only_words + ": ") +
             filled(Text::job_only, {grouped(state.shown.size()), grouped(state.picture->ranks.size())});
  }
  if (line.button_at_end("order", label, hint_with_key(Text::command_rank_order, CommandId::rank_order)))
    ImGui::OpenPopup("orders");
  if (!ImGui::BeginPopup("orders")) return;
  if (popup_closed_by_escape()) return;
  if (const auto chosen = choice_of(kOrderTexts, now)) {
    state.order = static_cast<RankOrder>(*chosen);
    state.arrange();
  }
  ImGui::Separator();
  draw_only_items(state, *state.job());
  ImGui::EndPopup();
}

std::string grouping_name(const JobState& state, std::size_t grouping) {
  if (grouping == 0) return tr(Text::job_grouped_none);
  const std::string by =
      grouping == 1 ? tr(Text::job_grouped_machine) : escaped(state.layout.dimensions[grouping - 2].name);
  return filled(Text::job_grouped_by, {by});
}

void draw_group_menu(BarLine& line, JobState& state) {
  if (state.layout.dimensions.empty() && state.layout.machine_count < 2) return;
  if (line.button_at_end("grouping", grouping_name(state, state.grouping),
                         hint_with_key(Text::command_group_ranks, CommandId::group_ranks)))
    ImGui::OpenPopup("groupings");
  if (!ImGui::BeginPopup("groupings")) return;
  if (popup_closed_by_escape()) return;
  for (std::size_t i = 0; i < state.grouping_count(); ++i) {
    if (i == 1 && state.layout.machine_count == 0) continue;
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::MenuItem(grouping_name(state, i).c_str(), nullptr, i == state.grouping)) {
      state.group_by(i);
    }
    ImGui::PopID();
  }
  ImGui::EndPopup();
}

void draw_stream_button(BarLine& line, JobState& state) {
  const std::string label = std::string(state.by_stream ? "✓ " : "") + tr(Text::job_streams);
  if (!line.button_at_end("streams", label,
                          hint_with_key(Text::command_streams_of_ranks, CommandId::streams_of_ranks)))
    return;
  state.by_stream = !state.by_stream;
  state.lines_stale = true;
}

void draw_job_choice(BarLine& line, JobState& state) {
  if (state.jobs.size() < 2) return;
  const float width = state.px(190);
  const ImVec2 at = line.take_at_end(width);
  if (at.x < 0) return;
  ImGui::SetCursorScreenPos(at);
  ImGui::SetNextItemWidth(width);
  const auto name = [&](std::size_t i) {
    return filled(Text::job_of_several,
                  {grouped(i + 1), grouped(state.jobs.size()), grouped(state.jobs[i].files.size())});
  };
  if (!ImGui::BeginCombo("##job", name(state.shown_job).c_str())) return;
  for (std::size_t i = 0; i < state.jobs.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::Selectable(name(i).c_str(), i == state.shown_job)) state.shown_job = i;
    ImGui::PopID();
  }
  ImGui::EndCombo();
}

void draw_bar(ImDrawList& list, JobState& state) {
  const Box& box = state.boxes.bar;
  list.AddRectFilled({box.left, box.top}, {box.right, box.bottom}, state.theme.group_header);
  list.AddLine({box.left, box.bottom - 0.5F}, {box.right, box.bottom - 0.5F}, state.theme.border);
  BarLine line(list, state.boxes.bar, state.theme, state.scale);
  const JobAnalysis* const job = state.job();
  // Buttons are placed before texts, because only texts can be shortened.
  draw_job_choice(line, state);
  if (job != nullptr) {
    draw_stream_button(line, state);
    draw_group_menu(line, state);
    draw_order_menu(line, state);
    draw_clock_button(line, state);
  }
  line.text(state.theme.text, ranks_words(state));
  draw_squares(list, line, state);
  std::vector<BarText> parts;
  if (!state.read) {
    const std::size_t loading =
        count_of(state, RankFile::State::waiting) + count_of(state, RankFile::State::loading);
    parts.push_back({.color = state.theme.text_dim, .words = filled(Text::job_loading, {grouped(loading)})});
  } else if (job != nullptr && !job->missing.empty()) {
    parts.push_back({.color = state.theme.warning,
                     .words = filled(Text::job_missing, {list_of(job->missing)}),
                     .brief = filled(Text::job_missing, {grouped(job->missing.size())})});
  }
  add_failures(parts, state);
  add_left_out(parts, state);
  add_damage(parts, state);
  if (job != nullptr) {
    if (const std::vector<std::int64_t> doubled = doubled_ranks(state); !doubled.empty()) {
      parts.push_back({.color = state.theme.warning,
                       .words = filled(Text::job_recorded_twice, {list_of(doubled)}),
                       .hint = tr(Text::job_recorded_twice_hint)});
    }
    add_clocks(parts, state, *job);
    add_matched(parts, state);
    if (const std::string places = state.layout.words(); !places.empty())
      parts.push_back({.color = state.theme.text_dim, .words = escaped(places)});
  }
  line.texts(parts);
  if (job != nullptr) draw_figure_menu(list, state);
}

}  // namespace

void draw_job_head(ImDrawList& list, JobState& state) {
  draw_verdict(list, state);
  draw_bar(list, state);
}

}  // namespace kino
