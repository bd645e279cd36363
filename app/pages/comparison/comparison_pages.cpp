#include "app/pages/comparison/comparison_pages.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/pages/comparison/comparison_texts.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/drawer/figure_list.hpp"
#include "app/ui/tables/table_state.hpp"
#include "app/ui/text/columns_of_text.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/compare/comparison_tables.hpp"
#include "core/tables/compare/layer_changes.hpp"
#include "core/tables/ledger/record_ledgers.hpp"

namespace kino {
namespace {

constexpr std::array kTabs{TabbedTable{"changes"}, TabbedTable{"causes"}, TabbedTable{"replaced"}};

/// Rows of layers that changed by at least this share of A's time are colored.
constexpr double kLargeLayerChange = 0.05;

/// Encodes the cause that filters the table in TableResultQuery::device. 0 means all causes.
std::size_t device_of(std::optional<TimeCategory> cause) {
  return cause ? static_cast<std::size_t>(*cause) + 1 : 0;
}
std::optional<TimeCategory> cause_of(std::size_t device) {
  return device == 0 ? std::nullopt : std::optional(static_cast<TimeCategory>(device - 1));
}

/// Computes the step ledgers only for this table, since they take longer than the rest of the comparison.
Table ledger_table_of(const ComparisonPicture& picture, const std::stop_token& stop) {
  RunComparison comparison;
  comparison.steps_a = picture.comparison.steps_a;
  comparison.steps_b = picture.comparison.steps_b;
  if (comparison.steps_a.empty() || comparison.steps_b.empty())
    return comparison_table(comparison, kLedgerChangeTable);
  std::array<std::vector<RunWindow>, kSides> windows;
  for (std::size_t side = 0; side < kSides; ++side) {
    windows[side] = picture.runs->records[side].windows;
    if (picture.runs->traces[side] != nullptr) add_ledgers(*picture.runs->traces[side], windows[side], stop);
  }
  comparison.ledger = compare_ledgers(windows[0], windows[1]);
  return comparison_table(comparison, kLedgerChangeTable);
}

/// Folds the layers only for this table, since folding takes longer than the rest of the comparison.
Table layer_table_of(const ComparisonPicture& picture, const std::stop_token& stop) {
  RunComparison comparison;
  std::array<RunLayers, kSides> layers;
  for (std::size_t side = 0; side < kSides; ++side) {
    const Trace* const trace = picture.runs->traces[side].get();
    if (trace == nullptr || stop.stop_requested()) continue;
    layers[side] = run_layers(RangeAnalysis(*trace, whole_range(*trace)), picture.runs->records[side], stop);
  }
  comparison.layers = compare_layers(layers[0], layers[1]);
  return comparison_table(comparison, kLayerChangeTable);
}

TableResults::Compute tables_of(std::shared_ptr<const ComparisonPicture> picture) {
  return [picture = std::move(picture)](const TableResultQuery& question,
                                        const std::stop_token& stop) -> Result<Table> {
    if (question.kind == &kRankChangeTable) return rank_change_table(picture->ranks);
    if (question.kind == &kLedgerChangeTable) return ledger_table_of(*picture, stop);
    if (question.kind == &kLayerChangeTable) return layer_table_of(*picture, stop);
    return comparison_table(picture->comparison, *question.kind, cause_of(question.device));
  };
}

/// Colors rows by their change, and draws the durations of their steps.
class ChangeLook : public RowStyle {
 public:
  explicit ChangeLook(const ComparisonState& state, std::size_t device)
      : state_(state), rows_(rows_of_cause(state.picture->comparison, cause_of(device))) {}
  std::optional<std::uint32_t> color_of(const Table& table, std::uint32_t row) const override {
    if (table.name == kLayerChangeTable.name) return color_of_layer(table, row);
    if (table.name != kChangeTable.name || row >= rows_.size()) return std::nullopt;
    const ComparedRow& changed = state_.picture->comparison.rows[rows_[row]];
    return kino::color_of(
        direction_of(static_cast<double>(changed.change), changed.status != RowStatus::same), state_.theme);
  }

  bool finds() const override { return true; }
  /// Draws one bar per step in the column `steps`, hollow for A and filled for B.
  bool draw_cell(ImDrawList& list, const Table& table, std::size_t column, std::uint32_t row, ImVec2 from,
                 ImVec2 to) const override {
    if (table.columns[column].key != "steps" || row >= rows_.size()) return false;
    const RunComparison& comparison = state_.picture->comparison;
    const ComparedRow& compared = comparison.rows[rows_[row]];
    const std::array<std::vector<std::int64_t>, kSides> steps{
        dense_ns(compared.cells_a, comparison.steps_a.size()),
        dense_ns(compared.cells_b, comparison.steps_b.size())};
    std::int64_t most = 1;
    for (const auto& side : steps) {
      for (const std::int64_t ns : side) most = std::max(most, ns);
    }
    const float gap = state_.px(10);
    const auto count = static_cast<float>(steps[0].size() + steps[1].size());
    const float bar = std::floor(std::clamp((to.x - from.x - gap) / count, 2.0F, state_.px(9)));
    const float height = to.y - from.y - state_.px(2);
    float x = from.x;
    for (std::size_t side = 0; side < kSides; ++side) {
      for (const std::int64_t ns : steps[side]) {
        const float tall =
            std::max(1.0F, std::round(height * static_cast<float>(ns) / static_cast<float>(most)));
        const ImVec2 least{x, to.y - tall};
        const ImVec2 corner{x + std::max(1.0F, bar - 1), to.y};
        if (side == 0) {
          list.AddRect(least, corner, state_.theme.text_dim);
        } else {
          list.AddRectFilled(least, corner, state_.theme.text);
        }
        x += bar;
      }
      x += gap;
    }
    return true;
  }

 private:
  std::uint32_t color_of_layer(const Table& table, std::uint32_t row) const {
    const auto value = [&](std::string_view key) {
      return std::get<TableColumn::Integers>(table.find(key)->values)[row];
    };
    const auto change = static_cast<double>(value("change_ns"));
    const bool large = std::abs(change) >= kLargeLayerChange * static_cast<double>(value("a_ns"));
    return kino::color_of(direction_of(change, large), state_.theme);
  }

  const ComparisonState& state_;
  std::vector<std::uint32_t> rows_;
};

}  // namespace

ComparisonTablesPage::ComparisonTablesPage(ComparisonState& state, const std::filesystem::path& file,
                                           WorkerPool& pool, const std::function<void()>& wake)
    : state_(state), tab_(comparison_table_kinds(state.of_jobs()), {}, file, pool, wake) {
  tab_.set_drawer_tabs(kTabs);
  tab_.count_rows(true);
}

const char* ComparisonTablesPage::title() const { return tr(Text::tab_tables); }

void ComparisonTablesPage::handle_keys(bool shown) {
  const int step =
      (command_pressed(CommandId::next_table) ? 1 : 0) - (command_pressed(CommandId::previous_table) ? 1 : 0);
  if (step != 0) {
    tab_.step_kind(step);
    state_.drawer.show(id());
  }
  if (of_ != nullptr && command_pressed(CommandId::save_all_tables)) {
    tab_.save_all([this](const TableInfo&) {
      TableResultQuery query;
      query.device = device_of(state_.cause);
      return query;
    });
  }
  tab_.handle_keys(shown);
}

void ComparisonTablesPage::update(bool shown) {
  tab_.set_kinds(comparison_table_kinds(state_.of_jobs()));  // the sides may have changed
  if (state_.picture != nullptr && state_.picture != of_) {
    tab_.set_compute(tables_of(state_.picture));
    // A refused comparison has only checks; a forced one also has rows.
    const bool refused = state_.told() == nullptr;
    if (refused != std::exchange(refused_, refused))
      tab_.choose(refused ? kCheckTable.name : kChangeTable.name);
  }
  of_ = state_.picture;
  std::optional<TableResultQuery> question;
  if (of_ != nullptr) {
    question.emplace();
    question->device = device_of(state_.cause);
  }
  tab_.update(shown, question);
}

void ComparisonTablesPage::draw(ImVec2 size, const DrawContext& look) {
  begin_page("tables", size, look);
  tab_.begin(ImGui::GetContentRegionAvail(), look.theme, look.scale);
  tab_.draw_tools(look.theme, look.scale, look.keyboard);
  if (of_ != nullptr && tab_.matching_rows() != nullptr) draw_rows(look);
  TableTab::end();
  ImGui::EndChild();
}

void ComparisonTablesPage::draw_rows(const DrawContext& look) {
  const std::size_t device = tab_.matching_rows()->answer->question.device;
  const std::vector<std::uint32_t> rows = rows_of_cause(of_->comparison, cause_of(device));
  const bool changes = &tab_.kind() == &kChangeTable;
  if (changes && selected_ != state_.row) {
    selected_ = state_.row;
    const auto at = std::ranges::find(rows, state_.row.value_or(kNoRow));
    if (at != rows.end()) {
      tab_.select(static_cast<std::uint32_t>(at - rows.begin()));
    } else {
      tab_.clear_selection();
    }
  }
  const TableGrid::Actions done =
      tab_.draw_rows(ImGui::GetContentRegionAvail(), ChangeLook(state_, device), look.theme, look.scale);
  if (done.find) state_.want_slice();
  if (!done.go_to) return;
  if (changes && *done.go_to < rows.size()) {
    state_.select_row(rows[*done.go_to]);
    selected_ = state_.row;
  }
  if (&tab_.kind() == &kCauseTable) state_.choose_cause(of_->comparison.fine_causes()[*done.go_to].cause);
}

void ComparisonTablesPage::write_test_state(nlohmann::ordered_json& panel) const {
  panel["tables"] = table_state(tab_);
}

const char* RunMemoryPage::title() const { return tr(Text::tab_run_memory); }

void RunMemoryPage::draw(ImVec2 size, const DrawContext& look) {
  begin_page("memory", size, look);
  if (state_.picture == nullptr) {
    ImGui::EndChild();
    return;
  }
  const std::array<RunMemory, kSides>& memory = state_.picture->runs->memory;
  const auto peak = [](const RunMemory& run_memory) {
    return run_memory.peak_bytes < 0 ? std::string("–")
                                     : text_from_bytes(static_cast<double>(run_memory.peak_bytes));
  };
  if (memory[0].peak_bytes < 0 && memory[1].peak_bytes < 0) {
    wrapped_text(look.theme.text_dim, tr(Text::runs_no_memory));
  } else {
    std::string change = "–";
    if (memory[0].peak_bytes > 0 && memory[1].peak_bytes >= 0) {
      change = signed_percent(
          static_cast<double>(memory[1].peak_bytes) / static_cast<double>(memory[0].peak_bytes) - 1);
    }
    wrapped_text(look.theme.text,
                 filled(Text::runs_memory_peaks, {peak(memory[0]), peak(memory[1]), change}));
    draw_curves(ImGui::GetContentRegionAvail(), look);
  }
  ImGui::EndChild();
}

void RunMemoryPage::draw_curves(ImVec2 size, const DrawContext& look) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float left = std::max(at.x, state_.boxes.lanes.left);
  const float right = std::min(at.x + size.x, state_.boxes.lanes.right);
  if (right - left < 60 * look.scale || size.y < 30 * look.scale) return;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  std::int64_t most = 1;
  for (std::size_t side = 0; side < kSides; ++side) {
    for (const MemoryPoint& point : state_.picture->runs->memory[side].curve) {
      most = std::max(most, point.bytes);
    }
  }
  const float bottom = at.y + size.y - 2;
  const float top = at.y + ImGui::GetFontSize();
  list.AddRectFilled({left, at.y}, {right, bottom}, look.theme.track_area);
  list.PushClipRect({left, at.y}, {right, bottom}, true);
  for (std::size_t side = 0; side < kSides; ++side) {
    const std::vector<MemoryPoint>& curve = state_.picture->runs->memory[side].curve;
    const TimeView view = state_.view_of(side);
    const auto y_of = [&](std::int64_t bytes) {
      return bottom -
             static_cast<float>(std::max<std::int64_t>(0, bytes)) / static_cast<float>(most) * (bottom - top);
    };
    const std::uint32_t color = side == 0 ? look.theme.text_dim : look.theme.counter;
    // Contains at most two points per pixel column: the previous height, and the highest one in the column.
    std::vector<ImVec2> points;
    float column = -1;
    for (const MemoryPoint& point : curve) {
      const float x = left + static_cast<float>(
                                 std::clamp(view.px_from_ns(static_cast<double>(point.time_ns)), -1e4, 1e5));
      const float y = y_of(point.bytes);
      if (std::floor(x) == column && !points.empty()) {
        points.back().y = std::min(points.back().y, y);
        continue;
      }
      column = std::floor(x);
      if (!points.empty()) points.emplace_back(x, points.back().y);
      points.emplace_back(x, y);
    }
    const float end =
        left + static_cast<float>(std::clamp(
                   view.px_from_ns(static_cast<double>(state_.lane(side).window.length_ns())), -1e4, 1e5));
    if (!points.empty()) points.emplace_back(end, points.back().y);
    list.AddPolyline(points.data(), static_cast<int>(points.size()), color, 0,
                     look.scale * (side == 0 ? 1 : 2));
  }
  list.PopClipRect();
  list.AddText({left + 4 * look.scale, at.y}, look.theme.text_dim,
               text_from_bytes(static_cast<double>(most)).c_str());
  ImGui::SetCursorScreenPos({at.x, at.y});
  const float key = ImGui::GetFontSize() * 1.5F;
  colored_text(look.theme.text_dim, "A");
  list.AddLine({at.x + key, at.y + key / 3}, {at.x + 3 * key, at.y + key / 3}, look.theme.text_dim,
               look.scale);
  const ImVec2 below = ImGui::GetCursorScreenPos();
  colored_text(look.theme.counter, "B");
  list.AddLine({below.x + key, below.y + key / 3}, {below.x + 3 * key, below.y + key / 3}, look.theme.counter,
               2 * look.scale);
}

void RunMemoryPage::write_test_state(nlohmann::ordered_json& panel) const {
  if (state_.picture == nullptr) return;
  panel["run_memory"] = {state_.picture->runs->memory[0].peak_bytes,
                         state_.picture->runs->memory[1].peak_bytes};
}

}  // namespace kino
