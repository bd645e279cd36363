#include "app/pages/timeline_drawer/range_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/pages/timeline_drawer/compare_page.hpp"
#include "app/ui/drawer/figure_list.hpp"
#include "app/ui/drawer/state_json.hpp"
#include "app/ui/tables/table_state.hpp"
#include "app/ui/text/model_texts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/analysis/range_table.hpp"
#include "core/trace/links/launch_calls.hpp"
#include "core/trace/name_text.hpp"

namespace kino {
namespace {

constexpr std::size_t kStreamsListed = 30;
constexpr std::array kRangeKinds{&kRangeTable};

}  // namespace

RangePage::RangePage(const TimelineHost& host)
    : state_(host.state),
      page_requests_(host.page_requests),
      pool_(host.pool),
      wake_(host.wake),
      row_style_(host.look, true),
      tab_(kRangeKinds, {}, host.file, host.pool, host.wake) {}

std::string RangePage::note() const {
  const std::optional<TimeRange>& marked = state_.marked.range();
  return marked ? text_from_duration(marked->length_ns()) : std::string();
}

void RangePage::handle_keys(bool shown) {
  RangeTrackBar::handle_keys(state_);
  tab_.handle_keys(shown);
}

void RangePage::sum_up(TimeRange range) {
  if (work_lost_.value() == nullptr && !work_lost_.running()) {
    work_lost_.start(pool_, wake_, [trace = state_.trace](const std::stop_token& stop) {
      return count_launches(*trace, whole_range(*trace), stop).idle_unknown();
    });
  }
  summary_.start(
      pool_, wake_,
      [trace = state_.trace, range, tracks = track_set(state_)](const std::stop_token& stop) -> Summary {
        Result<RangeSummary> summary = tracks ? summarize_range(*trace, range, *tracks, stop)
                                              : summarize_range(*trace, range, std::nullopt, stop);
        if (!summary.ok()) return nullptr;
        return std::make_shared<const RangeSummary>(std::move(summary).value());
      });
}

void RangePage::update(bool shown) {
  if (state_.marked.generation() != generation_) {
    generation_ = state_.marked.generation();
    range_ = state_.marked.dragging() ? std::nullopt : state_.marked.range();
    if (range_) {
      sum_up(*range_);
    } else {
      summary_.reset();
    }
  }
  if (summary_.poll() != nullptr && summary() != nullptr) {
    tab_.set_compute([trace = state_.trace, summary = *summary_.value()](
                         const TableResultQuery&,
                         const std::stop_token&) -> Result<Table> { return range_table(*trace, *summary); },
                     OldRows::keep);
  }
  work_lost_.poll();
  tab_.update(shown && summary() != nullptr, TableResultQuery());
}

void RangePage::draw(ImVec2 size, const DrawContext& look) {
  begin_page("range", size, look);
  if (!range_) {
    wrapped_text(look.theme.text_dim, tr(Text::range_none));
  } else if (summary() == nullptr || tab_.matching_rows() == nullptr) {
    colored_text(look.theme.text_dim,
                 summary_.failed() ? tr(Text::not_enough_memory)
                                   : filled(Text::range_summing, {text_from_duration(range_->length_ns())}));
  } else {
    draw_totals(*summary(), look);
    draw_table(look);
  }
  ImGui::EndChild();
}

void RangePage::draw_table(const DrawContext& look) {
  tab_.begin_alone(ImGui::GetContentRegionAvail());
  const bool keep = bar_.draw(state_, look.theme);
  tab_.draw_tools(look.theme, look.scale, look.keyboard);
  const Table& table = tab_.matching_rows()->answer->table;
  const TableGrid::Actions done =
      tab_.draw_rows(ImGui::GetContentRegionAvail(), row_style_, look.theme, look.scale);
  TableTab::end();
  if (done.go_to) state_.choose({table.slice_of(*done.go_to), kNoInstant}, true);
  if (done.find) page_requests_.find = query_for_name(state_.trace->name_of(table.slice_of(*done.find)));
  if (keep) ComparePage::keep(state_, 0);
}

void RangePage::draw_totals(const RangeSummary& summary, const DrawContext& look) const {
  const Theme& theme = look.theme;
  const float ui_scale = look.scale;
  colored_text(theme.text, text_from_duration(summary.range.length_ns()));
  if (summary.streams.empty() && bar_.leaves_out(state_, RangeSide::gpu)) return draw_left_out(look);
  const float gap = std::round(14 * ui_scale);
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  std::size_t shown = 0;
  const float more_width = text_width(filled(Text::range_more_streams, {"000"})) + gap;
  std::vector<StreamBusy> streams = summary.streams;  // busiest first, because not all may fit
  std::ranges::stable_sort(streams, std::ranges::greater(), &StreamBusy::busy_ns);
  for (const StreamBusy& stream : streams) {
    const bool lost = work_lost_.value() != nullptr && *work_lost_.value();
    const std::string busy =
        filled(lost ? Text::range_stream_bounds : Text::range_stream_busy_idle,
               {text_from_duration(stream.busy_ns), text_from_share(summary.share_of_range(stream.busy_ns)),
                text_from_duration(stream.idle_ns)});
    const std::string name = name_text(*state_.trace, index_of(stream.track));
    const float width = text_width(name) + std::round(5 * ui_scale) + text_width(busy);
    const float room = right - ImGui::GetItemRectMax().x - gap;
    if (width > room - (shown + 1 < summary.streams.size() ? more_width : 0)) break;
    ImGui::SameLine(0, gap);
    colored_text(theme.text_dim, name);
    ImGui::SameLine(0, std::round(5 * ui_scale));
    colored_text(theme.text, busy);
    ++shown;
  }
  if (shown == summary.streams.size()) return;
  const std::string more = filled(shown == 0 ? Text::range_streams : Text::range_more_streams,
                                  {grouped(summary.streams.size() - shown)});
  ImGui::SameLine(0, gap);
  colored_text(theme.accent, more);
  if (ImGui::IsItemHovered()) draw_streams(summary, theme);
}

/// Explains why there are no figures of GPUs, and offers to include all tracks.
void RangePage::draw_left_out(const DrawContext& look) const {
  const float gap = std::round(14 * look.scale);
  ImGui::SameLine(0, gap);
  colored_text(look.theme.text_dim, device_text(Text::range_without_gpu, *state_.trace));
  ImGui::SameLine(0, gap);
  ImGui::PushStyleColor(ImGuiCol_Text, look.theme.accent);
  if (ImGui::SmallButton(with_id(Text::range_all, "include_all").c_str()))
    toggle_side(state_, RangeSide::all);
  ImGui::PopStyleColor();
}

void RangePage::draw_streams(const RangeSummary& summary, const Theme& theme) const {
  ImGui::BeginTooltip();
  if (ImGui::BeginTable("streams", 4, ImGuiTableFlags_SizingFixedFit)) {
    for (std::size_t i = 0; i < std::min(kStreamsListed, summary.streams.size()); ++i) {
      const StreamBusy& stream = summary.streams[i];
      const Track& track = state_.trace->tracks[index_of(stream.track)];
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      colored_text(theme.text_dim, title_text(*state_.trace, track.process));
      ImGui::TableNextColumn();
      colored_text(theme.text, name_text(*state_.trace, index_of(stream.track)));
      ImGui::TableNextColumn();
      colored_text(theme.text, filled(Text::range_stream_busy, {text_from_duration(stream.busy_ns)}));
      ImGui::TableNextColumn();
      colored_text(theme.text, text_from_share(summary.share_of_range(stream.busy_ns)));
    }
    ImGui::EndTable();
  }
  if (summary.streams.size() > kStreamsListed)
    colored_text(theme.text_dim, filled(Text::and_more, {grouped(summary.streams.size() - kStreamsListed)}));
  ImGui::EndTooltip();
}

void RangePage::write_test_state(nlohmann::ordered_json& panel) const {
  constexpr std::size_t kMostNames = 200;
  using Json = nlohmann::ordered_json;
  Json names = Json::object();  // total time by name in ns, if there are few
  if (summary() != nullptr && summary()->names.size() <= kMostNames) {
    for (const NameStats& row : summary()->names)
      names[head_of(state_.trace->name_text(row.name), 200)] = row.stats.total_ns;
  }
  const auto& tracks = state_.marked.tracks();
  // The test state contains the names of all sums, even if the table is filtered.
  panel["range"] = {{"names", names},
                    {"tracks", tracks ? Json(tracks->size()) : Json()},
                    {"places", places_json(bar_.places())},
                    {"table", table_state(tab_)}};
}

}  // namespace kino
