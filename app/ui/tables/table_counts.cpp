#include "app/ui/tables/table_counts.hpp"

#include <algorithm>

namespace kino {

void TableCounts::ask(const TableResults::Compute& compute, std::uint64_t version,
                      const std::vector<TableResultQuery>& queries) {
  pending_ = Query{version, queries};
  if (done_ && done_->version != version) {
    counted_.reset();
    done_.reset();
  }
  counted_.poll();
  if (!compute || counted_.running() || done_ == pending_) return;
  done_ = pending_;
  counted_.start(pool_, wake_, [compute, queries](const std::stop_token& stop) {
    std::vector<Counted> all;
    all.reserve(queries.size());
    for (const TableResultQuery& query : queries) {
      if (stop.stop_requested()) break;
      const Result<Table> table = compute(query, stop);
      all.push_back({query.kind, table.ok() ? std::optional(table.value().row_count()) : std::nullopt});
    }
    return all;
  });
}

std::optional<std::size_t> TableCounts::rows(const TableInfo& kind) const {
  const std::vector<Counted>* const all = counted_.value();
  if (all == nullptr) return std::nullopt;
  const auto found = std::ranges::find(*all, &kind, &Counted::kind);
  return found != all->end() ? found->rows : std::nullopt;
}

}  // namespace kino
