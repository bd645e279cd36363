#include "app/pages/snapshot/live_sums.hpp"

#include <algorithm>

namespace kino {

LiveSums live_sums(const Snapshot& snapshot, std::size_t device, EventIndex event,
                   const AllocationCategories* categories, const std::stop_token& stop) {
  const AllocationHistory& history = snapshot.devices[device].history;
  const Allocations& all = history.allocations;
  std::vector<AllocationId> live = live_at(history, event);
  LiveSums sums;
  sums.count = live.size();
  if (categories != nullptr) sums.categories.resize(categories->names.size());
  for (const AllocationId id : live) {
    if (stop.stop_requested()) return sums;
    const std::uint64_t size = all.size[index_of(id)];
    sums.bytes += size;
    if (categories == nullptr) continue;
    LiveSums::Category& category = sums.categories[categories->of_allocation[index_of(id)]];
    category.bytes += size;
    if (category.largest == kNoAllocation || size > all.size[index_of(category.largest)])
      category.largest = id;
  }
  for (std::size_t i = 0; i < sums.categories.size(); ++i) sums.categories[i].name = categories->names[i];
  std::erase_if(sums.categories, [](const LiveSums::Category& category) { return category.bytes == 0; });
  std::ranges::stable_sort(sums.categories, std::ranges::greater{}, &LiveSums::Category::bytes);
  const auto most = static_cast<std::ptrdiff_t>(std::min(live.size(), kTopAllocations));
  std::ranges::partial_sort(live, live.begin() + most, [&](AllocationId a, AllocationId b) {
    const std::uint64_t left = all.size[index_of(a)];
    const std::uint64_t right = all.size[index_of(b)];
    return left != right ? left > right : index_of(a) < index_of(b);
  });
  live.resize(static_cast<std::size_t>(most));
  sums.largest = std::move(live);
  return sums;
}

}  // namespace kino
