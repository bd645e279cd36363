#include "app/ui/tables/table_results.hpp"

#include <algorithm>
#include <utility>

#include "app/shell/settings/kernel_categories.hpp"
#include "core/base/name_pattern.hpp"
#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/analysis/trace_tables.hpp"
#include "core/tables/table_kind.hpp"

namespace kino {

bool TableResultQuery::only_moved(const TableResultQuery& other) const {
  TableResultQuery moved = other;
  moved.at = at;
  moved.baseline = baseline;
  return *this == moved && baseline.has_value() == other.baseline.has_value();
}

void TableResults::set_compute(Compute compute, OldRows old) {
  compute_ = std::move(compute);
  requested_.reset();
  next_.reset();
  cached_.clear();
  computed_.reset();
  if (old == OldRows::keep) return;
  rows_.reset();
  answer_.reset();
}

void TableResults::ask(const TableResultQuery& question) {
  if ((computed_.running() || next_) && requested_ && requested_->only_moved(question)) {
    next_ = requested_ == question ? std::nullopt : std::optional(question);
    return;
  }
  if (requested_ == question) return;
  start(question);
}

void TableResults::start(const TableResultQuery& question) {
  requested_ = question;
  next_.reset();
  const auto found = std::find_if(cached_.begin(), cached_.end(),
                                  [&](const auto& answer) { return answer->question == question; });
  if (found != cached_.end()) {
    computed_.cancel();
    take(*found);
    return;
  }
  computed_.start(
      pool_, wake_,
      [compute = compute_, question](const std::stop_token& stop) -> std::shared_ptr<const TableResult> {
        Result<Table> table = compute(question, stop);
        auto answer = std::make_shared<TableResult>();
        answer->question = question;
        if (table.ok()) {
          answer->table = std::move(table).value();
        } else {
          answer->problem = table.error().what;
          answer->problem_offset = table.error().offset;
        }
        return answer;
      });
}

void TableResults::take(std::shared_ptr<const TableResult> answer) {
  cached_.remove(answer);
  // Cache only the newest of tables that differ in the moment of a snapshot: a snapshot has too many moments.
  std::erase_if(cached_, [&](const auto& cached) { return cached->question.only_moved(answer->question); });
  cached_.push_front(answer);
  if (cached_.size() > kMostCached) cached_.pop_back();
  answer_ = std::move(answer);
  order_stale_ = true;
}

void TableResults::set_order(const std::vector<TableOrder>& order, const std::string& filter,
                             const std::vector<ColumnFilter>& columns) {
  if (order == order_ && filter == filter_ && columns == columns_) return;
  order_ = order;
  filter_ = filter;
  columns_ = columns;
  order_stale_ = true;
  wake_();
}

bool TableResults::update() {
  if (const auto* computed = computed_.poll()) take(*computed);
  if (std::exchange(order_stale_, false) && answer_ != nullptr) {
    rows_.start(
        pool_, wake_,
        [answer = answer_, order = order_, filter = filter_, columns = columns_](const std::stop_token&) {
          const auto unknown = [&](const auto& entry) {
            return entry.column >= answer->table.columns.size();
          };
          std::vector<TableOrder> known = order;
          std::vector<ColumnFilter> applied = columns;
          std::erase_if(known, unknown);
          std::erase_if(applied, unknown);
          return Rows{answer, ordered_rows(answer->table, known, filter, applied)};
        });
  }
  const bool shown = rows_.poll() != nullptr;
  // Wait until the rows of the last table are sorted; starting earlier would delay them.
  if (next_ && !computed_.running() && !rows_.running()) start(TableResultQuery(*next_));
  return shown;
}

std::shared_ptr<const RangeAnalyses> analyses_of(std::shared_ptr<const Trace> trace) {
  struct Owner {
    explicit Owner(std::shared_ptr<const Trace> its_trace)
        : trace(std::move(its_trace)), analyses(*trace, kernel_categories()) {}
    std::shared_ptr<const Trace> trace;
    RangeAnalyses analyses;
  };
  const auto owner = std::make_shared<const Owner>(std::move(trace));
  return {owner, &owner->analyses};
}

TableResults::Compute tables_of(std::shared_ptr<const RangeAnalyses> analyses) {
  return [analyses = std::move(analyses)](const TableResultQuery& question, const std::stop_token& stop) {
    const TableInfo& kind = *question.kind;
    TableRequest request;
    request.name = kind.name;
    request.range = question.range;
    request.step = question.step;
    request.units = question.units;
    if (question.group < kind.groups.size()) request.group = kind.groups[question.group].name;
    return compute_table(*analyses, request, stop);
  };
}

std::string query_for_name(std::string_view name) {
  constexpr std::string_view kSpecial = "\\^$.|?*+()[]{}/-";
  std::string pattern = "^";
  for (const char c : name) {
    if (kSpecial.find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  pattern += '$';
  if (NamePattern::compile(pattern).ok()) return '/' + pattern + '/';
  // The name is too long for an expression: search for its text up to the first quote, which would end the
  // query.
  return '"' + std::string(name.substr(0, name.find('"'))) + '"';
}

}  // namespace kino
