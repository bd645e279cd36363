#include "loaders/query/model/event_ranks.hpp"

#include <algorithm>
#include <numeric>

#include "core/trace/slice_kind.hpp"

namespace kino {
namespace {

/// Returns the alphabetical rank of each text, indexed by id.
std::vector<std::uint32_t> ranks_of(const StringTable& texts) {
  std::vector<std::uint32_t> ids(texts.size());
  std::iota(ids.begin(), ids.end(), 0U);
  std::ranges::sort(ids, {}, [&](std::uint32_t id) { return texts[id]; });
  std::vector<std::uint32_t> ranks(ids.size());
  for (std::uint32_t i = 0; i < ids.size(); ++i) ranks[ids[i]] = i;
  return ranks;
}

}  // namespace

std::optional<EventRanks> EventRanks::of(const QueryModel& model, EventOrder order,
                                         const std::stop_token& stop) {
  EventRanks made(model, order);
  switch (order.key) {
    case EventKey::name_id:
      made.count_ = model.trace().names.size();
      return made;
    case EventKey::name:
      made.ranks_ = ranks_of(model.trace().names);
      made.count_ = made.ranks_.size();
      return made;
    case EventKey::category:
      made.ranks_ = ranks_of(model.trace().categories);
      made.count_ = made.ranks_.size();
      return made;
    case EventKey::kind: {
      StringTable kinds;
      for (std::size_t kind = 0; kind < kSliceKindCount; ++kind)
        kinds.intern(text_of(static_cast<SliceKind>(kind)));
      made.ranks_ = ranks_of(kinds);
      made.count_ = made.ranks_.size() + 1;
      return made;
    }
    case EventKey::track:
    case EventKey::depth: {
      const Nesting* const nested = model.nesting(stop);
      if (nested == nullptr) return std::nullopt;
      made.column_ = order.key == EventKey::track ? &nested->track : &nested->depth;
      const Column<std::uint32_t>& ranks = *made.column_;
      if (ranks.size() > 0)
        made.count_ = std::size_t{*std::max_element(ranks.data(), ranks.data() + ranks.size())} + 1;
      return made;
    }
    case EventKey::none:
      break;
  }
  return std::nullopt;
}

}  // namespace kino
