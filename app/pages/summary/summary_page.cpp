#include "app/pages/summary/summary_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/pages/summary/similar_runs.hpp"
#include "app/pages/summary/step_charts.hpp"
#include "app/ui/drawer/figure_list.hpp"
#include "app/ui/drawer/state_json.hpp"
#include "app/ui/tables/table_results.hpp"
#include "app/ui/text/model_texts.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/analysis/verdict_text.hpp"

namespace kino {
namespace {

constexpr float kFindingsPx = 620;  // width of the left column
constexpr float kSectionsPx = 420;  // minimum width of the right column beside it
constexpr float kGapPx = 28;

std::string shown_text(const Message& message) { return escaped(in_language(message)); }

/// The count, time and share of one row.
using TopCells = std::array<std::string, 3>;

std::vector<TopCells> top_cells(const OverviewTop& top, const TimeScale& unit) {
  std::vector<TopCells> cells;
  cells.reserve(top.rows.size());
  for (const OverviewWork& row : top.rows) {
    const bool whole = row.per_window == std::floor(row.per_window);
    cells.push_back(
        {whole ? grouped(static_cast<std::uint64_t>(row.per_window)) : formatted("%.1f", row.per_window),
         unit.number(row.mean_ns), text_from_share(row.share)});
  }
  return cells;
}

}  // namespace

void SummaryPage::update(bool shown) {
  made_.poll();
  if (!shown || !complete_trace_ || units_ == byte_units()) return;
  units_ = byte_units();
  made_.start(host_.pool, host_.wake,
              [analyses = tables_.analyses(), units = *units_,
               file = host_.file](const std::stop_token& stop) -> std::shared_ptr<const Content> {
                const auto whole = analyses->of(whole_range(analyses->trace()));
                auto content = std::make_shared<Content>();
                content->overview = trace_overview(*whole, units, stop);
                content->similar = similar_runs(file, stop);
                return content;
              });
}

void SummaryPage::draw(ImVec2 size, const DrawContext& look) {
  places_.clear();
  begin_page("summary-page", size, look);
  if (content() == nullptr) {
    draw_pending(look);
  } else {
    draw_columns(look);
  }
  ImGui::EndChild();
}

void SummaryPage::draw_pending(const DrawContext& look) const {
  wrapped_text(look.theme.text_dim, tr(made_.failed()    ? Text::not_enough_memory
                                       : made_.running() ? Text::verdict_pending
                                                         : Text::verdict_after_loading));
}

void SummaryPage::draw_columns(const DrawContext& look) {
  const ColumnFrame frame{*ImGui::GetWindowDrawList(), look.theme, look.scale, places_};
  const auto px = [&](float units) { return std::round(units * look.scale); };
  const TraceOverview& overview = content()->overview;
  gpu_ = std::min(gpu_, overview.gpus.empty() ? 0 : overview.gpus.size() - 1);
  const TimeScale unit(base().mean_ns);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = std::max(px(120), ImGui::GetContentRegionAvail().x - px(8));
  const bool beside = room >= px(kFindingsPx + kGapPx + kSectionsPx);
  PageColumn head(frame, at.x, at.y + px(4), room);
  draw_head(head);
  PageColumn findings(frame, at.x, head.y(), beside ? px(kFindingsPx) : std::min(room, px(2 * kFindingsPx)));
  if (const auto click = draw_findings(findings, overview, host_.look)) act_on(*click);
  const float left = beside ? at.x + px(kFindingsPx + kGapPx) : at.x;
  PageColumn sections(frame, left, beside ? head.y() : findings.y() + px(12), at.x + room - left);
  draw_sections(sections, unit);
  bottom_ = std::max(findings.y(), sections.y()) + px(16) - at.y;
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy({1, bottom_});
}

void SummaryPage::draw_head(PageColumn& column) {
  const TraceSummary& summary = content()->overview.summary;
  const std::string label = with_id(Text::summary_save_report, "save-report");
  const float button = flat_button_width(label.c_str());
  PageColumn facts(column.frame(), column.left(), column.y() + column.px(3),
                   std::max(column.px(60), column.width() - button - column.px(16)));
  for (const Message& note : summary.base.notes) facts.text(column.theme().text_dim, shown_text(note));
  ImGui::SetCursorScreenPos({std::floor(column.right() - button), column.y()});
  if (ImGui::Button(label.c_str())) host_.page_requests.save_report = true;
  if (ImGui::IsItemHovered() && !popup_open()) wrapped_tooltip(tr(Text::summary_save_report_hint));
  places_.emplace_back("save_report", item_center());
  column.move_to(std::max(facts.y(), ImGui::GetItemRectMax().y));
  column.space(12);
}

void SummaryPage::side_by_side(PageColumn& column, float least_px,
                               const std::vector<std::function<void(PageColumn&)>>& sections) const {
  const float gap = column.px(kGapPx);
  const auto count = static_cast<float>(sections.size());
  const float width = std::floor((column.width() - gap * (count - 1)) / count);
  const bool beside = width >= column.px(least_px);
  float bottom = column.y();
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const float left = beside ? column.left() + (width + gap) * static_cast<float>(i) : column.left();
    if (!beside && i > 0) column.move_to(bottom + column.px(18));
    PageColumn own(column.frame(), left, column.y(), beside ? width : column.width());
    sections[i](own);
    bottom = std::max(bottom, own.y());
  }
  column.move_to(bottom);
}

void SummaryPage::draw_sections(PageColumn& column, const TimeScale& unit) {
  const TraceOverview& overview = content()->overview;
  if (overview.gpus.size() > 1) {
    if (const auto chosen = draw_gpu_rows(column, overview, gpu_, unit)) gpu_ = *chosen;
    column.rule();
  }
  draw_steps(column, unit);
  column.rule();
  side_by_side(column, 300,
               {[&](PageColumn& own) { draw_top(own, overview.kernels, true, unit); },
                [&](PageColumn& own) { draw_top(own, overview.operators, false, unit); }});
  column.rule();
  side_by_side(column, 220,
               {[&](PageColumn& own) { draw_utilization(own); }, [&](PageColumn& own) { draw_memory(own); },
                [&](PageColumn& own) { draw_quality(own); }});
  column.rule();
  draw_compare(column);
}

void SummaryPage::draw_steps(PageColumn& column, const TimeScale& unit) {
  const TraceOverview& overview = content()->overview;
  if (overview.gpus.empty()) {
    column.heading(tr(Text::summary_steps));
    column.text(column.theme().text_dim, device_text(Text::summary_no_steps, *host_.state.trace));
    column.space(6);
    column.code("record", kRecordGpuWork);
    return;
  }
  const OverviewGpu& gpu = overview.gpus[gpu_];
  std::optional<std::size_t> step;
  side_by_side(column, 290,
               {[&](PageColumn& own) {
                  std::string note = filled(Text::summary_steps_note, {unit.unit()});
                  if (base().steps > base().all.size() && base().kind == FindingBase::Kind::steps) {
                    note += ", " + filled(Text::summary_steps_more,
                                          {grouped(base().all.size()), grouped(base().steps)});
                  }
                  own.heading(tr(Text::summary_steps), note);
                  step = draw_step_chart(own, overview, gpu, unit);
                  if (base().kind == FindingBase::Kind::steps) return;
                  own.space(8);
                  own.text(own.theme().text_dim, tr(Text::summary_unmarked));
                  own.space(4);
                  own.code("mark", "prof.step()");
                },
                [&](PageColumn& own) {
                  const bool of_steps = base().kind == FindingBase::Kind::steps;
                  own.heading(tr(of_steps ? Text::summary_mean : Text::summary_whole_time),
                              filled(Text::summary_sums_to, {text_from_duration(gpu.mean.total())}));
                  draw_mean_step(own, overview, gpu, unit);
                  if (!overview.of_gpu) return;
                  own.space(4);
                  if (const Message note = compute_note(overview.summary.findings); !note.empty())
                    own.text(own.theme().text_dim, shown_text(note));
                  if (own.links({{"open_ledger", tr(Text::summary_open_ledger), {}}}) == 0)
                    host_.page_requests.ledger_row = "";
                }});
  if (step) show_step(*step);
}

void SummaryPage::draw_top(PageColumn& column, const OverviewTop& top, bool kernels, const TimeScale& unit) {
  const TraceOverview& overview = content()->overview;
  const Trace& trace = *host_.state.trace;
  const Theme& theme = column.theme();
  const char* const id = kernels ? "all_kernels" : "all_operators";
  const Text title = kernels           ? Text::summary_kernels
                     : overview.of_gpu ? Text::summary_operators_gpu
                                       : Text::summary_operators_cpu;
  const float top_y = column.y();
  const PageColumn::Link all{id, tr(Text::summary_all), tr(Text::inspector_all_hint)};
  const float all_px = top.rows.empty() ? 0 : std::ceil(text_width(all.text)) + column.px(12);
  // The figures exclude unused steps, unlike those of the table that the link opens.
  const std::string of =
      top.rows.empty() ? std::string() : shown_text(base().brief(overview.summary.findings.device));
  PageColumn head(column.frame(), column.left(), top_y, std::max(1.0F, column.width() - all_px));
  head.heading(device_text(title, trace).c_str(), of);
  column.move_to(head.y());
  if (top.rows.empty()) {
    column.text(theme.text_dim,
                device_text(kernels ? Text::summary_no_kernels : Text::summary_no_operators, trace));
    column.space(6);
    column.code(id, kernels ? kRecordGpuWork : "profile(activities=[..., ProfilerActivity.CPU])");
    return;
  }
  if (column.link_at(all, std::max(column.left(), column.right() - std::ceil(text_width(all.text))), top_y))
    show_table(kernels ? "kernels" : "operators");
  draw_top_rows(column, top, kernels, unit);
}

void SummaryPage::draw_top_rows(PageColumn& column, const OverviewTop& top, bool kernels,
                                const TimeScale& unit) {
  const Trace& trace = *host_.state.trace;
  const Theme& theme = column.theme();
  const bool of_steps = base().kind == FindingBase::Kind::steps;
  const std::array<std::string, 3> titles{
      tr(of_steps ? Text::summary_per_step : Text::summary_count),
      of_steps ? filled(Text::summary_time_per_step, {unit.unit()}) : std::string(unit.unit()),
      device_text(content()->overview.of_gpu ? Text::summary_of_gpu : Text::summary_of_time, trace)};
  const std::vector<TopCells> cells = top_cells(top, unit);
  std::array<float, 3> ends{};  // right ends of the figures
  float right = column.right();
  for (std::size_t i = 3; i-- > 0;) {
    float width = text_width(titles[i]);
    for (const auto& row : cells) width = std::max(width, text_width(row[i]));
    ends[i] = right;
    right -= std::ceil(width) + column.px(14);
  }
  const float height = column.line_height() + column.px(5);
  const auto line = [&](const std::string& name, std::uint32_t color, const std::array<std::string, 3>& texts,
                        std::uint32_t main_color) {
    draw_cell_text(column.list(), {column.left(), column.y()}, std::max(1.0F, right - column.left()), color,
                   name, Elide::middle);
    for (std::size_t i = 0; i < 3; ++i)
      column.right_text(ends[i], column.y(), i == 1 ? main_color : theme.text_dim, texts[i]);
    const float bottom = column.y() + height - column.px(3) + 0.5F;
    column.list().AddLine({column.left(), bottom}, {column.right(), bottom}, theme.border);
    column.move_to(column.y() + height);
  };
  line(tr(kernels ? Text::summary_kernel : Text::summary_operator), theme.text_dim, titles, theme.text_dim);
  std::vector<std::string_view> names;
  names.reserve(top.rows.size());
  for (const OverviewWork& row : top.rows) names.push_back(trace.name_text(row.name));
  const std::vector<std::string> shown = host_.look.name_texts(names);
  for (std::size_t i = 0; i < top.rows.size(); ++i) {
    const float y = column.y();
    const std::string_view name = names[i];
    line(escaped(shown[i]), theme.text, cells[i], theme.text);
    ImGui::SetCursorScreenPos({column.left(), y});
    ImGui::PushID(kernels ? "all_kernels" : "all_operators");
    ImGui::PushID(static_cast<int>(i));
    const bool clicked =
        ImGui::InvisibleButton("row", {std::max(1.0F, column.width()), column.line_height()});
    ImGui::PopID();
    ImGui::PopID();
    column.frame().places.emplace_back((kernels ? "kernel_" : "operator_") + std::to_string(i),
                                       item_center());
    if (ImGui::IsItemHovered()) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      if (!popup_open()) wrapped_tooltip(escaped(name.substr(0, kMostDrawnBytes)));
    }
    if (!clicked) continue;
    host_.state.drawer.leave_full();
    host_.state.choose({top.rows[i].longest, kNoInstant}, true);
    host_.state.turn_to_selection();
  }
}

void SummaryPage::draw_lines(PageColumn& column, const OverviewSection& section, const char* id) const {
  const Theme& theme = column.theme();
  for (const OverviewLine& line : section.lines) {
    const std::string label = as_label(shown_text(line.label));
    const std::string value = shown_text(line.value);
    const std::string note = shown_text(line.note);
    const float note_px = note.empty() ? 0 : text_width(note) + column.px(6);
    const float value_px = text_width(value);
    const float gap = column.px(10);
    // A long value or note follows on the next line.
    const bool fits = text_width(label) + gap + value_px + note_px <= column.width();
    if (fits) {
      draw_cell_text(column.list(), {column.left(), column.y()}, column.width(), theme.text_dim, label);
    } else {
      column.text(theme.text_dim, label);
    }
    if (!fits && value_px + note_px > column.width()) {
      std::string whole = value;
      if (!note.empty()) whole.append(" ").append(note);
      column.text(theme.text, whole);
    } else {
      column.right_text(column.right(), column.y(), theme.text_dim, note);
      column.right_text(column.right() - note_px, column.y(), theme.text, value);
      column.move_to(column.y() + column.line_height());
    }
    const float y = column.y() + column.px(2) + 0.5F;
    column.list().AddLine({column.left(), y}, {column.right(), y}, theme.border);
    column.space(5);
  }
  for (const Message& note : section.notes) {
    column.space(2);
    column.text(theme.text_dim, shown_text(note));
  }
  if (section.code.empty()) return;
  column.space(6);
  column.code(id, section.code);
}

void SummaryPage::draw_utilization(PageColumn& column) {
  const TraceOverview& overview = content()->overview;
  column.heading(tr(Text::summary_utilization));
  if (!overview.of_gpu || overview.gpus.empty()) {
    column.text(column.theme().text_dim, device_text(Text::summary_no_utilization, *host_.state.trace));
    return;
  }
  draw_lines(column, overview.gpus[gpu_].utilization, "utilization");
  column.space(6);
  if (column.links({{"flops", tr(Text::summary_flops), {}}}) == 0) show_table("flops");
}

void SummaryPage::draw_memory(PageColumn& column) {
  const TraceOverview& overview = content()->overview;
  column.heading(tr(Text::summary_memory));
  draw_memory_curve(column, overview.curve);
  draw_lines(column, overview.memory, "memory");
  if (overview.memory.lines.empty()) return;
  column.space(6);
  if (column.links({{"allocations", tr(Text::summary_memory_table), {}}}) == 0) show_table("memory");
}

void SummaryPage::draw_quality(PageColumn& column) {
  column.heading(tr(Text::summary_quality));
  draw_lines(column, content()->overview.quality, "quality");
  column.space(6);
  if (column.links({{"full_report", tr(Text::summary_full_report), {}}}) == 0)
    host_.page_requests.show_quality = true;
}

void SummaryPage::draw_compare(PageColumn& column) {
  const std::vector<std::filesystem::path>& similar = content()->similar;
  column.heading(tr(Text::summary_compare),
                 tr(similar.empty() ? Text::summary_no_similar : Text::summary_similar));
  std::vector<PageColumn::Link> links;
  links.reserve(similar.size() + 1);
  for (std::size_t i = 0; i < similar.size(); ++i) {
    links.push_back({"similar_" + std::to_string(i), escaped(similar[i].filename().string()),
                     tr(Text::summary_compare_hint)});
  }
  const auto used = std::ranges::count_if(base().all, &FindingBase::Part::used);
  if (used > 1 && base().kind == FindingBase::Kind::steps)
    links.push_back({"two_steps", tr(Text::summary_two_steps), tr(Text::summary_two_steps_hint)});
  const int clicked = column.links(links);
  if (clicked < 0) return;
  const std::string& id = links[static_cast<std::size_t>(clicked)].id;
  if (id == "two_steps") {
    compare_steps();
  } else {
    host_.page_requests.compare_with = similar[static_cast<std::size_t>(clicked)];
  }
}

void SummaryPage::act_on(const FindingClick& click) {
  const Finding& finding = content()->overview.summary.findings.list[click.finding];
  switch (click.link) {
    case FindingClick::Link::worst:
      return tables_.show(finding);
    case FindingClick::Link::ledger:
      if (const std::optional<StepRow> row = ledger_row_of(finding.kind))
        host_.page_requests.ledger_row = std::string(text_of(*row));
      return;
    case FindingClick::Link::table:
      tables_.choose_rows(finding);
      host_.state.drawer.fill(drawer_page::kTables);
      return;
  }
}

void SummaryPage::show_table(std::string_view name) {
  tables_.choose_of_trace(name);
  host_.state.drawer.fill(drawer_page::kTables);
}

void SummaryPage::show_step(std::size_t part) {
  const FindingBase::Part& step = base().all[part];
  host_.state.drawer.leave_full();
  host_.state.select_range(step.range, step.slice);
  host_.state.navigation.fit(step.range, 0.02);
}

void SummaryPage::compare_steps() {
  std::vector<const FindingBase::Part*> steps;
  for (const FindingBase::Part& part : base().all) {
    if (part.used) steps.push_back(&part);
  }
  if (steps.size() < 2) return;
  std::ranges::stable_sort(steps, {}, [](const FindingBase::Part* part) { return part->range.length_ns(); });
  const FindingBase::Part& usual = *steps[(steps.size() - 1) / 2];
  const FindingBase::Part& longest = *steps.back();
  SavedRanges& kept = host_.state.kept;
  const auto keep = [&](char letter, const FindingBase::Part& step) {
    kept.set(letter, {step.range, std::nullopt, step.slice}, filled(Text::ledger_step, {step.name}));
  };
  keep('A', usual);
  keep('B', longest);
  host_.state.drawer.fill(drawer_page::kCompare);
}

void SummaryPage::write_test_state(nlohmann::ordered_json& panel) const {
  using Json = nlohmann::ordered_json;
  Json json = {{"computed", content() != nullptr}, {"places", places_json(places_)}, {"height", bottom_}};
  if (content() != nullptr) {
    const TraceOverview& overview = content()->overview;
    json["findings"] = overview.summary.findings.list.size();
    json["gpus"] = overview.gpus.size();
    json["gpu"] = gpu_;
    json["steps"] = base().all.size();
    json["mean_ns"] = base().mean_ns;
    Json rows = Json::object();
    for (std::size_t i = 0; i < kStepGroupCount && !overview.gpus.empty(); ++i) {
      const auto group = static_cast<StepGroup>(i);
      const std::int64_t ns = overview.gpus[gpu_].mean[group];
      if (ns > 0) rows[std::string(text_of(group))] = ns;
    }
    json["mean"] = rows;
    const auto names = [&](const OverviewTop& top) {
      Json list = Json::array();
      for (const OverviewWork& row : top.rows)
        list.push_back(head_json(host_.state.trace->name_text(row.name)));
      return list;
    };
    json["kernels"] = names(overview.kernels);
    json["operators"] = names(overview.operators);
    json["similar"] = content()->similar.size();
  }
  panel["summary"] = json;
}

}  // namespace kino
