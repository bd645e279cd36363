#include "loaders/query/model/event_sums.hpp"

#include <algorithm>
#include <utility>

namespace kino {
namespace {

constexpr std::size_t kMostDense = std::size_t{1} << 20;  // maximum number of combinations in dense_: 4 MB

}  // namespace

EventSums::EventSums(std::vector<EventRanks> keys, std::size_t numbers)
    : keys_(std::move(keys)), numbers_(numbers) {
  std::size_t places = 1;
  for (const EventRanks& key : keys_) {
    if (key.count() > kMostDense / places) return;
    places *= std::max<std::size_t>(key.count(), 1);
  }
  dense_.assign(places, kNone);
}

std::size_t EventSums::Hash::operator()(const std::array<std::uint32_t, kMostKeys>& ranks) const {
  std::uint64_t hash = 0;
  for (const std::uint32_t rank : ranks) hash = (hash ^ rank) * 0x9e3779b97f4a7c15U;
  return hash ^ (hash >> 32U);
}

std::array<std::uint32_t, EventSums::kMostKeys> EventSums::ranks_of(EventNumber event) const {
  std::array<std::uint32_t, kMostKeys> ranks{};
  for (std::size_t i = 0; i < keys_.size(); ++i) ranks[i] = keys_[i](event);
  return ranks;
}

std::uint32_t EventSums::add_group(EventNumber event) {
  groups_.push_back({ranks_of(event), kNoEvent, 0, totals_.size()});
  totals_.resize(totals_.size() + numbers_);
  return static_cast<std::uint32_t>(groups_.size() - 1);
}

std::size_t EventSums::group_among_many(EventNumber event) {
  const auto [place, fresh] = sparse_.try_emplace(ranks_of(event), kNone);
  if (fresh) place->second = add_group(event);
  return place->second;
}

void EventSums::finish() { std::ranges::sort(groups_, {}, &Group::ranks); }

std::size_t EventSums::size_bytes() const {
  constexpr std::size_t kEntry = sizeof(decltype(sparse_)::value_type) + 3 * sizeof(void*);
  return groups_.capacity() * sizeof(Group) + totals_.capacity() * sizeof(Total) +
         dense_.capacity() * sizeof(std::uint32_t) + sparse_.size() * kEntry;
}

}  // namespace kino
