#include "app/ui/view/matched_rows.hpp"

#include <utility>

namespace kino {

std::vector<std::uint8_t> rows_with(const Trace& trace, const PackedStreams* packed, const SliceSet& hits,
                                    const std::stop_token& stop) {
  std::vector<std::uint8_t> marks(trace.rows.size() + (packed != nullptr ? packed->rows.size() : 0), 0);
  for (std::size_t i = 0; i < trace.rows.size(); ++i) {
    const Row& row = trace.rows[i];
    const std::uint32_t last = row.first_slice + row.slice_count;
    marks[i] = hits.first_in(row.first_slice, last) < last ? 1 : 0;
  }
  for (std::size_t i = 0; packed != nullptr && i < packed->rows.size(); ++i) {
    const Row& row = packed->rows[i];
    const std::uint32_t last = row.first_slice + row.slice_count;
    std::uint32_t at = row.first_slice;
    while (at < last && !hits.contains(index_of(packed->original[at]))) ++at;
    marks[trace.rows.size() + i] = at < last ? 1 : 0;
    if (stop.stop_requested()) break;
  }
  return marks;
}

MatchedRows::MatchedRows(std::shared_ptr<const Trace> trace, WorkerPool& pool, std::function<void()> wake)
    : trace_(std::move(trace)), pool_(pool), wake_(std::move(wake)) {}

void MatchedRows::update(const std::shared_ptr<const SliceSet>& hits,
                         const std::shared_ptr<const PackedStreams>& packed) {
  if (hits != hits_ || packed != packed_) {
    hits_ = hits;
    packed_ = packed;
    computed_.cancel();
    if (hits_ == nullptr) {
      marks_ = nullptr;
    } else {
      computed_.start(pool_, wake_, [trace = trace_, packed, hits](const std::stop_token& stop) -> Marks {
        return std::make_shared<const std::vector<std::uint8_t>>(
            rows_with(*trace, packed.get(), *hits, stop));
      });
    }
  }
  if (computed_.poll() && computed_.value() != nullptr) marks_ = *computed_.value();
}

}  // namespace kino
