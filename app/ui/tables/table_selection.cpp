#include "app/ui/tables/table_selection.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kino {

SelectedRows selected_rows(std::shared_ptr<const TableResult> answer, const std::vector<std::uint32_t>& shown,
                           const std::vector<char>& chosen) {
  SelectedRows found;
  found.answer = std::move(answer);
  std::ranges::copy_if(shown, std::back_inserter(found.rows),
                       [&](std::uint32_t row) { return chosen[row] != 0; });
  for (const TableColumn& column : found.answer->table.columns)
    found.totals.push_back(totals_of(column, found.rows));
  return found;
}

void TableSelection::update(const TableResults::Rows* rows, std::uint64_t generation, const TableGrid& grid) {
  if (const SelectedRows* const gathered = gathered_.poll()) shown_ = *gathered;
  // The grid changes to a new table only when it is drawn; until then its selection belongs to the old table.
  const bool any = rows != nullptr && rows->answer->problem.empty() && grid.answer() == rows->answer;
  const std::tuple now{any, generation, grid.selection_changes()};
  if (std::exchange(input_, now) == now) return;
  gathered_.reset();
  if (!any) {
    shown_ = {};
  } else if (rows->order.size() <= kMostAtOnce) {
    shown_ = selected_rows(rows->answer, rows->order, grid.chosen());
  } else {
    gathered_.start(pool_, wake_,
                    [answer = rows->answer, order = rows->order, chosen = grid.chosen()](
                        const std::stop_token&) { return selected_rows(answer, order, chosen); });
  }
}

}  // namespace kino
