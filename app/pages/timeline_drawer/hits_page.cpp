#include "app/pages/timeline_drawer/hits_page.hpp"

#include <array>

#include <nlohmann/json.hpp>

#include "app/ui/commands/commands.hpp"
#include "app/ui/drawer/figure_list.hpp"
#include "app/ui/drawer/state_json.hpp"
#include "app/ui/tables/table_state.hpp"
#include "app/ui/text/model_texts.hpp"
#include "app/ui/widgets/ruler.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"
#include "core/trace/search/hit_table.hpp"

namespace kino {
namespace {

constexpr std::array kHitKinds{&kHitTable};

TableResults::Compute hits_of(std::shared_ptr<const Trace> trace,
                              std::shared_ptr<const SearchResult> answer) {
  return [trace = std::move(trace), answer = std::move(answer)](
             const TableResultQuery& question, const std::stop_token& stop) -> Result<Table> {
    return hit_table(*trace, *answer->hits, question.order, SearchResult::kMostListed, stop);
  };
}

/// Style of the hits: start times have all digits, and tracks have the names shown beside their lanes.
class HitLook : public SliceRowStyle {
 public:
  HitLook(const SliceStyle& look, SliceId selected)
      : SliceRowStyle(look),
        trace_(look.trace()),
        unit_ns_(ruler_unit_ns(trace_.content.end_ns)),
        selected_(selected) {}

  std::optional<std::string> text_of_cell(const Table& table, std::size_t column,
                                          std::uint32_t row) const override {
    const SliceId hit = table.slice_of(row);
    if (column == static_cast<std::size_t>(HitColumn::start))
      return exact_time_text(trace_.slices.start_ns[index_of(hit)], unit_ns_);
    if (column == static_cast<std::size_t>(HitColumn::track))
      return kino::name_text(trace_, index_of(trace_.rows[index_of(trace_.row_of(hit))].track));
    return std::nullopt;
  }
  bool is_marked(const Table& table, std::uint32_t row) const override {
    return table.slice_of(row) == selected_;
  }

 private:
  const Trace& trace_;
  std::int64_t unit_ns_;  // one unit for the whole column
  SliceId selected_;
};

}  // namespace

HitsPage::HitsPage(const TimelineHost& host, const SearchHits& hits)
    : state_(host.state),
      hits_(hits),
      look_(host.look),
      tab_(kHitKinds, {}, host.file, host.pool, host.wake) {}

std::string HitsPage::note() const {
  const SearchResult* answer = hits_.answer();
  return answer != nullptr && answer->query ? grouped(answer->total) : std::string();
}

void HitsPage::update(bool shown) {
  if (std::shared_ptr<const SearchResult> answer = hits_.shared_answer(); answer != answer_) {
    answer_ = std::move(answer);
    if (answer_ != nullptr && answer_->hits != nullptr)
      tab_.set_compute(hits_of(state_.trace, answer_), OldRows::keep);
  }
  const bool any = answer_ != nullptr && answer_->hits != nullptr && answer_->total > 0;
  TableResultQuery question;
  // If only the first hits are listed, they depend on the order of the table.
  if (any && answer_->total > SearchResult::kMostListed) question.order = tab_.grid().order();
  tab_.update(shown && any, question);
}

void HitsPage::follow(const TableResults::Rows& rows) {
  const SliceId selected = state_.selection.slice;
  if (selected == selected_ && rows.answer == followed_answer_) return;
  if (selected != selected_) tab_.clear_selection();
  selected_ = selected;
  followed_answer_ = rows.answer;
  const std::vector<RowLink>& links = rows.answer->table.links;
  const auto found = std::ranges::find(links, selected, &RowLink::slice);
  if (selected != kNoSlice && found != links.end())
    tab_.reveal(static_cast<std::uint32_t>(found - links.begin()));
}

void HitsPage::draw_rows(const DrawContext& look) {
  tab_.begin_alone(ImGui::GetContentRegionAvail());
  tab_.draw_tools(look.theme, look.scale, look.keyboard);
  if (const TableResults::Rows* const rows = tab_.matching_rows()) follow(*rows);
  const TableGrid::Actions done = tab_.draw_rows(
      ImGui::GetContentRegionAvail(), HitLook(look_, state_.selection.slice), look.theme, look.scale);
  if (done.go_to) {
    // The clicked row is visible. Storing the selection here prevents the table from scrolling to it.
    selected_ = tab_.matching_rows()->answer->table.slice_of(*done.go_to);
    state_.choose({selected_, kNoInstant}, true);
  }
  TableTab::end();
}

void HitsPage::draw(ImVec2 size, const DrawContext& look) {
  begin_page("hits", size, look);
  if (answer_ == nullptr) {
    const std::string key = key_text(CommandId::search);
    wrapped_text(look.theme.text_dim,
                 filled(Text::hits_none_yet, {key.empty() ? tr(Text::command_search) : key.c_str()}));
  } else if (!answer_->error.empty()) {
    wrapped_text(look.theme.error, in_language(answer_->error));
  } else if (answer_->total == 0) {
    wrapped_text(look.theme.text_dim, tr(Text::hits_none));
  } else {
    draw_rows(look);
  }
  ImGui::EndChild();
}

void HitsPage::write_test_state(nlohmann::ordered_json& panel) const {
  using Json = nlohmann::ordered_json;
  const TableResults::Rows* const rows = tab_.matching_rows();
  Json& search = panel["search"];
  search["first_row"] =
      answer_ == nullptr || rows == nullptr || rows->order.empty()
          ? Json()
          : head_json(state_.trace->name_of(rows->answer->table.slice_of(rows->order.front())));
  search["list"] = state_.drawer.shows(id());
  panel["hits"] = table_state(tab_);
}

}  // namespace kino
