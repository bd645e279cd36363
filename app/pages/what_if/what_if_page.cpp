#include "app/pages/what_if/what_if_page.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include <imgui.h>
#include <nlohmann/json.hpp>

#include "app/ui/drawer/state_json.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/details_widgets.hpp"
#include "app/ui/widgets/fonts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/memory/allocator_settings.hpp"
#include "core/memory/tables/what_if_table.hpp"

namespace kino {
namespace {

constexpr int kColumns = 8;

std::string bytes_text(std::uint64_t bytes) { return text_from_bytes(static_cast<double>(bytes)); }

std::string change_text(std::uint64_t now, std::uint64_t before) {
  if (now == before) return "0";
  const char* const sign = now < before ? "−" : "+";
  return sign + bytes_text(now < before ? before - now : now - before);
}

std::string setting_words(const WhatIfSetting& setting) {
  return setting.conf.empty() ? tr(Text::what_if_baseline) : escaped(setting.conf);
}

/// Returns a text on where memory runs out. If memory does not run out, returns the remaining memory if there
/// is a capacity, else whether the recorded out-of-memory errors would recur. May be empty.
std::string outcome_text(const WhatIfReport& answer) {
  if (answer.result.oom) {
    if (answer.result.oom->event == kBeforeRecording) return tr(Text::what_if_out_before);
    return filled(Text::what_if_out_at, {std::to_string(answer.result.oom->event)});
  }
  if (answer.setting.rules.capacity != kUnlimitedBytes) {
    return filled(Text::what_if_left,
                  {bytes_text(answer.setting.rules.capacity - answer.result.peak_reserved)});
  }
  if (answer.ooms.empty()) return {};
  return tr(answer.fits_ooms() ? Text::what_if_oom_fits : Text::what_if_oom_again);
}

}  // namespace

std::string WhatIfChoice::conf() const {
  std::string conf;
  const auto options = what_if_options();
  for (std::size_t i = 0; i < options.size() && i < values.size(); ++i) {
    if (values[i] == 0 || values[i] > options[i].values.size()) continue;
    if (!conf.empty()) conf += ',';
    conf.append(options[i].key).append(":").append(options[i].values[values[i] - 1]);
  }
  return conf;
}

WhatIfPage::WhatIfPage(const SnapshotHost& host) : SnapshotPage(host), wake_(host.wake) {}

const char* WhatIfPage::title() const { return tr(Text::what_if_tab); }

bool WhatIfPage::offered() const {
  return state().any() && has_settings(state().snapshot->source) && !state().only_segments();
}

void WhatIfPage::update(bool shown) {
  if (!state().any() || !offered()) return;
  if (shown) {
    if (work_ == nullptr) work_ = std::make_unique<WhatIfWork>(state().snapshot, wake_);
    if (work_->show(state().device_index())) choice_ = {};
  }
  if (work_ == nullptr) return;
  work_->poll();
  state().what_if = work_->curve();
}

void WhatIfPage::draw_content(const DrawContext& look) {
  places_.clear();
  if (work_ == nullptr) return;
  draw_proof(look);
  if (work_->rows().empty()) return;
  draw_choices(look);
  draw_best(look);
  draw_rows(look);
  draw_notes(look);
}

void WhatIfPage::record_position(const std::string& name) { places_.emplace_back(name, item_center()); }

void WhatIfPage::draw_proof(const DrawContext& look) {
  if (work_->failed()) {
    wrapped_text(look.theme.error, tr(Text::not_enough_memory));
    return;
  }
  const ProvedAllocator* const proved = work_->proved();
  if (proved == nullptr) {
    colored_text(look.theme.text_dim, tr(Text::what_if_proving));
    return;
  }
  const Message refused = proved->refused();
  if (refused.empty()) {
    const AllocatorProof& proof = proved->proof;
    wrapped_text(look.theme.text,
                 filled(Text::what_if_proof, {grouped(proof.same_address), grouped(proof.driver_calls_equal),
                                              grouped(proof.released_equal)}));
    for (const Message& problem : proved->trace.problems)
      wrapped_text(look.theme.warning, filled(Text::what_if_doubtful, {in_language(problem)}));
    return;
  }
  wrapped_text(look.theme.warning, in_language(refused));
  if (proved->proof.first_difference) {
    ImGui::PushID("difference");
    if (link_text(tr(Text::what_if_show_difference), ImGui::GetContentRegionAvail().x, "", look.theme))
      state().go_to(proved->proof.first_difference->event);
    ImGui::PopID();
  }
  wrapped_text(look.theme.text_dim, tr(Text::what_if_refused));
}

void WhatIfPage::draw_choices(const DrawContext& look) {
  const float em = ImGui::GetFontSize();
  WhatIfChoice chosen = choice_;
  constexpr std::array kNames{Text::what_if_expandable, Text::what_if_max_split, Text::what_if_rounding,
                              Text::what_if_gc_threshold};
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  const auto next = [&](float width) {
    const float gap = 14 * look.scale;
    if (ImGui::GetItemRectMax().x + gap + width < right) ImGui::SameLine(0, gap);
  };
  const auto options = what_if_options();
  for (std::size_t i = 0; i < std::min(options.size(), kNames.size()); ++i) {
    const std::string key(options[i].key);
    const char* const name = tr(kNames[i]);
    const float width = em * 7.6F;
    if (i > 0) next(text_width(name) + 6 * look.scale + width);
    ImGui::AlignTextToFramePadding();
    colored_text(look.theme.text_dim, name);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", key.c_str());
    ImGui::SameLine(0, 6 * look.scale);
    ImGui::SetNextItemWidth(width);
    ImGui::PushID(static_cast<int>(i));
    const auto label = [&](std::size_t value) {
      return value == 0 ? std::string(tr(Text::what_if_as_recorded))
                        : std::string(options[i].values[value - 1]);
    };
    if (ImGui::BeginCombo("##value", label(chosen.values[i]).c_str())) {
      for (std::size_t value = 0; value <= options[i].values.size(); ++value) {
        ImGui::PushID(static_cast<int>(value));
        if (ImGui::Selectable(label(value).c_str(), value == chosen.values[i])) chosen.values[i] = value;
        ImGui::PopID();
      }
      ImGui::EndCombo();
    }
    record_position(key);
    ImGui::PopID();
  }
  next(text_width(tr(Text::what_if_capacity)) + 6 * look.scale + em * 6);
  draw_capacity(look);
  if (chosen != choice_) {
    choice_ = chosen;
    work_->set_own(choice_.conf());
  }
  if (choice_.values.back() != 0 && !work_->capacity())
    wrapped_text(look.theme.warning, tr(Text::what_if_gc_needs_capacity));
}

void WhatIfPage::draw_capacity(const DrawContext& look) {
  const float em = ImGui::GetFontSize();
  ImGui::AlignTextToFramePadding();
  colored_text(look.theme.text_dim, tr(Text::what_if_capacity));
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", tr(Text::what_if_capacity_hint));
  ImGui::SameLine(0, 6 * look.scale);
  ImGui::SetNextItemWidth(em * 6);
  ImGui::InputTextWithHint("##capacity", name_of(byte_units()).data(), capacity_.data(), capacity_.size(),
                           ImGuiInputTextFlags_AutoSelectAll);
  record_position("capacity");
  if (!ImGui::IsItemDeactivatedAfterEdit()) {
    if (capacity_wrong_) wrapped_text(look.theme.warning, tr(Text::what_if_capacity_wrong));
    return;
  }
  const std::string_view typed(capacity_.data());
  const bool none = typed.find_first_not_of(' ') == typed.npos;
  const std::optional<std::uint64_t> bytes = none ? std::nullopt : capacity_from_text(typed, byte_units());
  capacity_wrong_ = !none && !bytes;
  if (!capacity_wrong_) work_->set_capacity(bytes);
}

void WhatIfPage::draw_best(const DrawContext& look) {
  const auto button = [&](Text label, const char* button_id, const char* hint) {
    const bool pressed = flat_button(with_id(label, button_id).c_str(), hint);
    record_position(button_id);
    return pressed;
  };
  if (work_->known() < work_->rows().size()) {
    ImGui::AlignTextToFramePadding();
    colored_text(look.theme.text_dim,
                 filled(Text::what_if_running, {grouped(work_->known()), grouped(work_->rows().size())}));
    ImGui::SameLine(0, 12 * look.scale);
    if (work_->cancelled()) {
      if (button(Text::what_if_resume, "resume", nullptr)) work_->resume();
    } else if (button(Text::cancel, "cancel", nullptr)) {
      work_->cancel();
    }
    return;
  }
  const auto& rows = work_->rows();
  if (const auto best = work_->best()) {
    const std::string line = line_of(allocator_settings(*state().snapshot), rows[*best].setting);
    const std::uint64_t now = rows[*best].answer.value()->result.peak_reserved;
    const std::uint64_t before = rows.front().answer.value()->result.peak_reserved;
    ImGui::AlignTextToFramePadding();
    colored_text(look.theme.text, filled(Text::what_if_best, {bytes_text(now), change_text(now, before)}));
    ImGui::SameLine();
    ImGui::PushID("best");
    copy_button(Text::snapshot_copy_address, line);
    record_position("copy");
    ImGui::PopID();
    ImGui::SameLine();
    ImGui::PushFont(mono_font());
    wrapped_text(look.theme.text, escaped(line));
    ImGui::PopFont();
  } else {
    ImGui::AlignTextToFramePadding();
    colored_text(look.theme.text, tr(Text::what_if_none_better));
    ImGui::SameLine(0, 12 * look.scale);
  }
  if (!work_->searched()) {
    if (button(Text::what_if_search, "search", tr(Text::what_if_search_hint))) work_->search();
    ImGui::SameLine(0, 12 * look.scale);
  }
  if (button(Text::what_if_advice, "advice", tr(Text::what_if_advice_hint))) page_requests().table = "advice";
  ImGui::SameLine(0, 12 * look.scale);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  draw_elided(*ImGui::GetWindowDrawList(), {at.x, at.y + ImGui::GetStyle().FramePadding.y},
              ImGui::GetContentRegionAvail().x, look.theme.text_dim, tr(Text::what_if_row_hint), Elide::end);
  ImGui::NewLine();
}

void WhatIfPage::draw_rows(const DrawContext& look) {
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingFixedFit;
  if (!ImGui::BeginTable("settings", kColumns, kFlags)) return;
  constexpr ImGuiTableColumnFlags kFixed = ImGuiTableColumnFlags_WidthFixed;
  const auto px = [&](float width) { return width * look.scale; };
  ImGui::TableSetupColumn(with_id(Text::what_if_setting, "setting").c_str(),
                          ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn(with_id(Text::what_if_peak, "peak").c_str(), kFixed, px(160));
  ImGui::TableSetupColumn(with_id(Text::what_if_change, "change").c_str(), kFixed, px(90));
  ImGui::TableSetupColumn(with_id(Text::what_if_fragmentation, "fragmentation").c_str(), kFixed, px(110));
  ImGui::TableSetupColumn(with_id(Text::what_if_calls, "calls").c_str(), kFixed, px(90));
  ImGui::TableSetupColumn(with_id(Text::what_if_retries, "retries").c_str(), kFixed, px(70));
  ImGui::TableSetupColumn(with_id(Text::what_if_outcome, "outcome").c_str(), kFixed, px(200));
  ImGui::TableSetupColumn(with_id(Text::what_if_evidence, "known").c_str(), kFixed, px(90));
  ImGui::TableHeadersRow();
  for (const std::size_t index : work_->order()) {
    ImGui::PushID(static_cast<int>(index));
    draw_row(index, look);
    ImGui::PopID();
  }
  ImGui::EndTable();
}

void WhatIfPage::draw_row(std::size_t index, const DrawContext& look) {
  const WhatIfWork::Row& row = work_->rows()[index];
  const Theme& theme = look.theme;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const bool chosen = work_->chosen() == index;
  if (ImGui::Selectable("##row", chosen, ImGuiSelectableFlags_SpanAllColumns))
    work_->choose(chosen ? std::nullopt : std::optional(index));
  const std::string words = setting_words(row.setting);
  const bool best = work_->best() == index;
  draw_cell_text(*ImGui::GetWindowDrawList(), at, width, best ? theme.accent : theme.text, words);
  places_.emplace_back(row.setting.conf.empty() ? "baseline" : row.setting.conf,
                       ImVec2{at.x + 4, at.y + ImGui::GetTextLineHeight() / 2});
  const WhatIfReport* const answer = row.answer.value();
  if (answer == nullptr) {
    ImGui::TableNextColumn();
    right_aligned_text(theme.text_dim, row.answer.failed() ? tr(Text::not_enough_memory) : "…");
    return;
  }
  const WhatIfReport* const baseline = work_->rows().front().answer.value();
  const std::uint64_t peak = answer->result.peak_reserved;
  ImGui::TableNextColumn();
  const std::string low = bytes_text(answer->least_peak());
  const std::string high = bytes_text(answer->most_peak());
  const bool ranges = low != high && !answer->other_way_oom && !answer->result.oom;
  right_aligned_text(answer->result.oom ? theme.text_dim : theme.text,
                     ranges ? filled(Text::from_to, {low, high}) : bytes_text(peak));
  ImGui::TableNextColumn();
  if (index != 0 && baseline != nullptr && !answer->result.oom) {
    const std::uint64_t before = baseline->result.peak_reserved;
    right_aligned_text(peak > before   ? theme.warning
                       : peak < before ? theme.accent
                                       : theme.text_dim,
                       change_text(peak, before));
  }
  ImGui::TableNextColumn();
  right_aligned_text(theme.text, text_from_share(answer->result.fragmentation()));
  ImGui::TableNextColumn();
  right_aligned_text(theme.text, grouped(answer->result.counts.device_calls));
  ImGui::TableNextColumn();
  right_aligned_text(theme.text, grouped(answer->result.counts.retries));
  ImGui::TableNextColumn();
  const bool bad = answer->result.oom.has_value() || !answer->fits_ooms();
  fitted_text(bad ? theme.error : theme.text, outcome_text(*answer));
  ImGui::TableNextColumn();
  if (is_by_source(row.setting.rules)) fitted_text(theme.text_dim, tr(Text::what_if_by_source));
}

void WhatIfPage::draw_notes(const DrawContext& look) const {
  const auto say = [&](const std::string& words) { wrapped_text(look.theme.text_dim, words); };
  const ProvedAllocator& proved = *work_->proved();
  const WhatIfReport* const baseline = work_->rows().front().answer.value();
  if (baseline != nullptr && !baseline->result.oom && !work_->capacity() &&
      baseline->result.peak_reserved != proved.trace.recorded_peak) {
    say(filled(Text::what_if_baseline_differs,
               {bytes_text(baseline->result.peak_reserved), bytes_text(proved.trace.recorded_peak)}));
  }
  if (work_->bounds().from_oom) say(filled(Text::what_if_from_oom, {bytes_text(*work_->bounds().from_oom)}));
  if (const auto least = work_->least_capacity())
    say(filled(Text::what_if_least_capacity, {bytes_text(*least)}));
  say(tr(Text::what_if_assumes));
}

void WhatIfPage::write_test_state(nlohmann::ordered_json& panel) const {
  using Json = nlohmann::ordered_json;
  if (work_ == nullptr) {
    panel["what_if"] = nullptr;
    return;
  }
  Json told;
  const ProvedAllocator* const proved = work_->proved();
  told["refused"] = proved != nullptr ? Json(proved->refused().str()) : Json();
  told["known"] = work_->known();
  Json rows = Json::array();
  for (const std::size_t index : work_->order()) {
    const WhatIfWork::Row& row = work_->rows()[index];
    const WhatIfReport* const answer = row.answer.value();
    rows.push_back(
        {{"setting", row.setting.conf},
         {"peak", answer != nullptr ? Json(answer->result.peak_reserved) : Json()},
         {"oom", answer != nullptr && answer->result.oom ? Json(answer->result.oom->event) : Json()}});
  }
  told["rows"] = rows;
  told["best"] = work_->best() ? Json(work_->rows()[*work_->best()].setting.conf) : Json();
  told["chosen"] = work_->chosen() ? Json(work_->rows()[*work_->chosen()].setting.conf) : Json();
  const auto curve = work_->curve();
  told["curve_peak"] = curve != nullptr ? Json(curve->peak.bytes) : Json();
  told["places"] = places_json(places_);
  panel["what_if"] = told;
}

}  // namespace kino
