#include "app/shell/split_panes.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <imgui.h>

#include "app/ui/commands/commands.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/box.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/job/unix_clock.hpp"

namespace kino {
namespace {

constexpr float kTitlePx = 24;
constexpr ImGuiWindowFlags kPaneFlags = ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;

std::optional<std::size_t> index_of(const Session& session, std::uint64_t serial) {
  for (std::size_t i = 0; i < session.size(); ++i) {
    if (session.document(i).serial() == serial) return i;
  }
  return std::nullopt;
}

bool clicked_anywhere() {
  for (ImGuiMouseButton button = 0; button < ImGuiMouseButton_COUNT; ++button) {
    if (ImGui::IsMouseClicked(button)) return true;
  }
  return false;
}

std::string rank_text(const Document& document) {
  if (document.kind() != PageKind::timeline) return {};
  const JobInfo& job = document.opened().trace->job;
  if (job.rank < 0) return {};
  if (job.world_size > 0) {
    return filled(Text::pane_rank_of, {std::to_string(job.rank), std::to_string(job.world_size)});
  }
  return filled(Text::pane_rank, {std::to_string(job.rank)});
}

}  // namespace

void SplitPanes::bind(Commands& commands, Session& session) {
  using Id = CommandId;
  const auto split = [this] { return view_.split(); };
  commands.bind(
      Id::split_view,
      {.run = [this] { cycle(); }, .available = [this] { return view_.available(); }, .checked = split});
  commands.bind(Id::second_pane, {[this, &session] { open_second(session); },
                                  [&session] {
                                    const Document* document = session.active_document();
                                    return document != nullptr && !document->shows_memory() &&
                                           document->state() == Document::State::ready;
                                  }});
  commands.bind(Id::next_pane, {[this, &session] { switch_pane(session); }, split});
  commands.bind(Id::close_pane, {[this, &session] { close_pane(session, view_.active_pane()); }, split});
  commands.bind(Id::link_time, {.run = [this, &session] { toggle_link(session); },
                                .available = [this, &session] { return can_link(session); },
                                .checked = [this] { return link_.fit.has_value(); }});
  commands.bind(Id::share_bytes, {.run = [this] { toggle_bytes(); },
                                  .available = [this, &session] { return snapshots(session); },
                                  .checked = [this] { return bytes_.wanted(); }});
}

void SplitPanes::sync(const Session& session) {
  std::vector<std::uint64_t> open;
  for (std::size_t i = 0; i < session.size(); ++i) open.push_back(session.document(i).serial());
  const Document* active = session.active_document();
  view_.sync(open, active != nullptr ? active->serial() : 0);
  keep_link(session);
}

std::optional<std::array<TimePane, 2>> SplitPanes::time_panes(const Session& session) const {
  std::array<TimePane, 2> found;
  for (std::size_t pane = 0; pane < 2; ++pane) {
    const Document* const document = session.find(view_.panes()[pane]);
    const auto times = document != nullptr ? document->time_pane() : std::nullopt;
    if (!times) return std::nullopt;
    found[pane] = *times;
  }
  return found;
}

std::vector<Document*> SplitPanes::shown(const Session& session) const {
  if (!view_.split() || !fits_) {
    Document* active = session.active_document();
    return active == nullptr ? std::vector<Document*>{} : std::vector{active};
  }
  std::vector<Document*> documents;
  for (const std::uint64_t serial : view_.panes()) {
    if (Document* const document = session.find(serial)) documents.push_back(document);
  }
  return documents;
}

void SplitPanes::open_second(Session& session) {
  const std::uint64_t first = session.active_document()->serial();
  session.open_again(session.active());
  sync(session);
  if (session.active_document()->serial() != first) view_.show_beside(first);
}

bool SplitPanes::one_file(const Session& session) const {
  const Document* const first = session.find(view_.panes()[0]);
  const Document* const second = session.find(view_.panes()[1]);
  return first != nullptr && second != nullptr && first->path() == second->path();
}

std::vector<SnapshotPanel*> SplitPanes::snapshot_panels(const Session& session) const {
  if (!view_.split() || !fits_) return {};
  std::vector<SnapshotPanel*> panels;
  for (const std::uint64_t serial : view_.panes()) {
    const Document* const document = session.find(serial);
    auto* const panel = document != nullptr ? document->as<SnapshotPanel>() : nullptr;
    if (panel == nullptr || !panel->shown().any()) return {};
    panels.push_back(panel);
  }
  return panels;
}

void SplitPanes::share_bytes(const Session& session) {
  const std::vector<SnapshotPanel*> panels = snapshot_panels(session);
  std::optional<std::array<BytePane, 2>> both;
  const auto first = panels.empty() ? std::nullopt : panels[0]->byte_pane();
  const auto second = panels.empty() ? std::nullopt : panels[1]->byte_pane();
  if (first && second) both = std::array{*first, *second};
  bytes_.follow(both, view_.active_pane());
}

void SplitPanes::switch_pane(Session& session) const {
  if (const auto index = index_of(session, view_.other_document())) session.activate(*index);
}

void SplitPanes::close_pane(Session& session, std::size_t pane) {
  if (pane == view_.active_pane()) switch_pane(session);
  view_.unsplit();
}

bool SplitPanes::can_link(const Session& session) const {
  return view_.split() && fits_ && time_panes(session).has_value();
}

void SplitPanes::toggle_link(const Session& session) {
  if (link_.fit || !time_panes(session)) {
    link_ = {};
    return;
  }
  for (const std::uint64_t serial : view_.panes()) session.find(serial)->page()->show_times();
  const std::array<TimePane, 2> both = *time_panes(session);
  link_.documents = view_.panes();
  if (is_same_clock(both[0].clock, both[1].clock) && !one_file(session)) {
    link_.fit = unix_fit(both[0].clock, both[1].clock);
  } else {
    link_.fit = fit_of_edges(both[0].navigation->view(), both[1].navigation->view());
  }
  link_.origins_unix_ns = {both[0].clock.origin_unix_ns, both[1].clock.origin_unix_ns};
  leader_ = view_.active_pane();
  linked_.reset();  // the axes may be those of the previous documents
}

// Ends the link if the split has ended or the panes show other documents. A link by clock is established
// again if the new pair has the same clock.
void SplitPanes::keep_link(const Session& session) {
  if (!link_.fit || (view_.split() && link_.documents == view_.panes())) return;
  const bool clock = link_.by_clock();
  link_ = {};
  const auto both = view_.split() ? time_panes(session) : std::nullopt;
  if (clock && both && is_same_clock((*both)[0].clock, (*both)[1].clock) && !one_file(session)) {
    // The document that remains leads, so that the new one shows the same time.
    toggle_link(session);
    leader_ = 1 - view_.active_pane();
  }
}

// Updates the state of the link. Called before and after each pane is drawn, because drawing can change axis,
// device and panel.
void SplitPanes::look_at_link(const Session& session) {
  auto now = link_.fit ? time_panes(session) : std::nullopt;
  const bool rests = now && !((*now)[0].shows_time && (*now)[1].shows_time);
  // When both show time again, the active pane leads.
  if (std::exchange(rests_, rests) && now && !rests) leader_ = view_.active_pane();
  linked_ = rests ? std::nullopt : now;
  if (!linked_) {
    marked_ = {};
    return;
  }
  link_.follow((*linked_)[0].clock, (*linked_)[1].clock);
  const std::array<const RangeSelection*, 2> marked{(*linked_)[0].marked, (*linked_)[1].marked};
  if (std::exchange(marked_, marked) == marked) return;
  for (std::size_t i = 0; i < 2; ++i) {
    range_generation_[i] = marked[i] == nullptr ? 0 : marked[i]->generation();
  }
}

void SplitPanes::follow(std::size_t pane) {
  const Navigation& leader = *(*linked_)[1 - pane].navigation;
  Navigation& other = *(*linked_)[pane].navigation;
  const double width = other.view().width_px;
  followed_ = link_.converted_view(1 - pane, leader.target(), width);
  other.follow(link_.converted_view(1 - pane, leader.view(), width), followed_);
}

void SplitPanes::share_range() {
  const std::array<TimePane, 2>& both = *linked_;
  if (both[0].marked == nullptr || both[1].marked == nullptr) return;
  for (std::size_t pane = 0; pane < 2; ++pane) {
    const RangeSelection& marked = *both[pane].marked;
    if (marked.generation() == range_generation_[pane] || marked.dragging()) continue;
    if (marked.range()) {
      both[1 - pane].marked->set(link_.converted_range(pane, *marked.range()));
    } else {
      both[1 - pane].marked->clear();
    }
    for (std::size_t i = 0; i < 2; ++i) range_generation_[i] = both[i].marked->generation();
  }
}

void SplitPanes::draw(Session& session, const Theme& theme, float ui_scale, const DrawDocument& draw) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::GetContentRegionAvail();
  const Box area{at.x, at.y, std::floor(at.x + size.x), std::floor(at.y + size.y)};
  const auto boxes =
      view_.split() ? split_boxes(area, view_.mode(), view_.share(), ui_scale) : std::optional<SplitBoxes>();
  fits_ = !view_.split() || boxes.has_value();
  if (!boxes) {
    pending_ = false;
    Document& document = *session.active_document();
    if (!fits_) {
      const float height = std::round(kTitlePx * ui_scale);
      const float y = std::floor(at.y + (height - ImGui::GetFontSize()) / 2);
      draw_elided(*ImGui::GetWindowDrawList(), {at.x + std::round(12 * ui_scale), y},
                  size.x - std::round(24 * ui_scale), theme.warning, tr(Text::pane_too_small));
      ImGui::SetCursorScreenPos({at.x, at.y + height});
    }
    ImGui::PushID(static_cast<int>(document.serial()));
    draw(document, {});
    ImGui::PopID();
    return;
  }
  draw_splitter(area, *boxes, theme);
  share_bytes(session);
  bytes_button_.reset();
  look_at_link(session);
  if (linked_) {
    for (std::size_t i = 0; i < 2; ++i) {
      (*linked_)[i].navigation->reach(link_.converted_range(1 - i, (*linked_)[1 - i].clock.content));
    }
  }
  // The leader is drawn first, so that the other pane follows in the same frame.
  const std::size_t first = leader_;
  draw_pane(session, first, *boxes, theme, ui_scale, draw);
  look_at_link(session);
  const bool follows = linked_.has_value();
  if (follows) follow(1 - first);
  draw_pane(session, 1 - first, *boxes, theme, ui_scale, draw);
  look_at_link(session);
  pending_ = false;
  if (follows && linked_) {
    const TimeView& target = (*linked_)[1 - first].navigation->target();
    pending_ = target != followed_;
    if (pending_ && target.width_px == followed_.width_px) leader_ = 1 - first;
    if (link_.by_clock()) share_range();
  }
  // Apply these requests after the panes are drawn, because they change which documents are visible.
  if (closes_) close_pane(session, *std::exchange(closes_, std::nullopt));
  if (std::exchange(toggles_link_, false)) toggle_link(session);
}

void SplitPanes::draw_splitter(const Box& area, const SplitBoxes& boxes, const Theme& theme) {
  const bool stacked = view_.mode() == SplitMode::stacked;
  const Box& box = boxes.splitter;
  ImGui::SetCursorScreenPos({box.left, box.top});
  ImGui::InvisibleButton("pane splitter", {box.width(), box.height()});
  const bool active = ImGui::IsItemActive();
  if (active || ImGui::IsItemHovered()) {
    ImGui::SetMouseCursor(stacked ? ImGuiMouseCursor_ResizeNS : ImGuiMouseCursor_ResizeEW);
  }
  if (active) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    view_.set_share(stacked ? (mouse.y - area.top) / area.height() : (mouse.x - area.left) / area.width());
  }
  ImGui::GetWindowDrawList()->AddRectFilled({box.left, box.top}, {box.right, box.bottom},
                                            active ? theme.accent : theme.border);
}

const char* SplitPanes::link_text() const {
  if (rests_) return tr(Text::pane_link_paused);
  if (!link_.fit) return "";
  return tr(link_.by_clock() ? Text::pane_linked_clock : Text::pane_linked_edges);
}

const char* SplitPanes::bytes_text(const Session& session) const {
  if (!snapshots(session)) return "";
  if (bytes_.holds()) return tr(Text::pane_bytes_shared);
  return tr(bytes_.wanted() ? Text::pane_bytes_paused : Text::pane_bytes_own);
}

void SplitPanes::draw_title(Session& session, std::size_t pane, const Box& box, const Theme& theme,
                            float ui_scale) {
  const std::size_t index = *index_of(session, view_.panes()[pane]);
  const Document& document = session.document(index);
  const bool active = pane == view_.active_pane();
  const auto px = [ui_scale](float units) { return std::round(units * ui_scale); };
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled({box.left, box.top}, {box.right, box.bottom}, theme.group_header);
  const float button = ImGui::GetTextLineHeight() + px(6);
  const float button_y = std::floor(box.top + (box.height() - button) / 2);
  const char* link = tr(link_.fit ? Text::pane_unlink : Text::pane_link);
  float right = box.right - px(4);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {px(6), px(3)});
  const auto place = [&](const char* label, const std::string& hint) {
    right -= flat_button_width(label);
    ImGui::SetCursorScreenPos({right, button_y});
    return flat_button(label, hint.c_str());
  };
  if (place("×", hint_with_key(Text::pane_close_hint, CommandId::close_pane))) closes_ = pane;
  if (pane == 0 && can_link(session)) {
    const Text hint = link_.fit ? Text::pane_unlink_hint : Text::pane_link_hint;
    if (place(link, hint_with_key(hint, CommandId::link_time))) toggles_link_ = true;
  }
  if (pane == 0 && snapshots(session)) {
    const bool one = bytes_.wanted();
    const std::string hint =
        hint_with_key(one ? Text::pane_own_bytes_hint : Text::pane_one_scale_hint, CommandId::share_bytes);
    if (place(tr(one ? Text::pane_own_bytes : Text::pane_one_scale), hint)) bytes_.toggle();
    bytes_button_ = item_center();
  }
  ImGui::PopStyleVar();
  ImGui::SetCursorScreenPos({box.left, box.top});
  if (right - box.left >= 1 && ImGui::InvisibleButton("title", {right - box.left, box.height()})) {
    session.activate(index);
  }
  if (link_.by_clock() && ImGui::IsItemHovered()) ImGui::SetTooltip("%s", tr(Text::pane_clock_hint));
  const float y = std::floor(box.top + (box.height() - ImGui::GetFontSize()) / 2);
  float x = box.left + px(12);
  const auto put = [&](const std::string& text, std::uint32_t color) {
    if (text.empty()) return;
    const float used = draw_elided(list, {x, y}, right - px(8) - x, color, text);
    if (used > 0) x += used + px(12);
  };
  put(escaped(session.title(index)), active ? theme.text : theme.text_dim);
  put(rank_text(document), theme.text_dim);
  put(link_text(), theme.accent);
  put(bytes_text(session), theme.accent);
}

void SplitPanes::draw_pane(Session& session, std::size_t pane, const SplitBoxes& boxes, const Theme& theme,
                           float ui_scale, const DrawDocument& draw) {
  const auto index = index_of(session, view_.panes()[pane]);
  if (!index) return;
  Document& document = session.document(*index);
  const Box& box = boxes.panes[pane];
  const float line = std::max(1.0F, std::round(ui_scale));
  const bool active = pane == view_.active_pane();
  ImGui::PushID(static_cast<int>(document.serial()));
  const float title_bottom = box.top + std::round(kTitlePx * ui_scale);
  draw_title(session, pane, {box.left, box.top, box.right, title_bottom}, theme, ui_scale);
  PaneFrame frame;
  frame.active = active;
  if (linked_) {
    const std::optional<double> mouse = (*linked_)[1 - pane].mouse_time_ns;
    if (mouse) frame.other_time_ns = link_.converted_time(1 - pane, *mouse);
    const TimePane& other = (*linked_)[1 - pane];
    if (view_.mode() == SplitMode::stacked) frame.beside = TimeEdges{other.left, other.right};
  }
  if (const auto panels = snapshot_panels(session); !panels.empty()) {
    frame.snapshot_beside = view_.panes()[1 - pane];
    frame.linked_highest_bytes = bytes_.highest();
    if (panels[0]->shown().snapshot != panels[1]->shown().snapshot)
      frame.colors = panels[0]->paint_reference();
  }
  ImGui::SetCursorScreenPos({box.left + line, title_bottom});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::BeginChild("pane", {box.width() - 2 * line, box.bottom - line - title_bottom}, false, kPaneFlags);
  ImGui::PopStyleVar();
  if (ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows) && clicked_anywhere()) session.activate(*index);
  draw(document, frame);
  ImGui::EndChild();
  ImGui::PopID();
  const std::uint32_t border = active ? theme.accent : theme.border;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float half = line / 2;
  list.AddRect({box.left + half, box.top + half}, {box.right - half, box.bottom - half}, border, 0, 0, line);
}

}  // namespace kino
