#include "core/tables/ledger/collective_waits.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/tables/compare/time_attribution.hpp"
#include "core/tables/gpu/collective_facts.hpp"
#include "core/trace/links/gpu_work.hpp"

namespace kino {
namespace {

bool is_p2p(CollectiveKind kind) {
  return kind == CollectiveKind::send || kind == CollectiveKind::receive ||
         kind == CollectiveKind::send_receive;
}

}  // namespace

CollectiveWaits::CollectiveWaits(const Trace& trace, const std::stop_token& stop) {
  using Key = std::tuple<NameId, std::int64_t, std::int64_t, std::string_view, std::string_view>;
  std::map<Key, std::vector<SliceId>> alike;
  std::vector<std::uint8_t> collective(trace.names.size());
  bool any = false;
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
    collective[i] = is_attributed_collective(trace.names[i]) ? 1 : 0;
    any = any || collective[i] != 0;
  }
  if (!any) return;
  std::vector<EventFacts> facts;  // decoded if there are collectives
  enum class Direction : std::uint8_t { unknown, all, p2p };
  std::vector<Direction> directions(trace.names.size());
  for (const StreamWork& stream : gpu_work_in(trace, whole_range(trace), stop).streams) {
    for (const SliceId kernel : stream.slices) {
      if (stop.stop_requested()) return;
      if (collective[index_of(trace.name(kernel))] == 0 || trace.kind(kernel) == SliceKind::copy) continue;
      Direction& direction = directions[index_of(trace.name(kernel))];
      if (direction == Direction::unknown)
        direction = is_p2p(collective_kind(trace.name_of(kernel))) ? Direction::p2p : Direction::all;
      if (direction == Direction::p2p) {
        splits_[index_of(kernel)].p2p = true;
        continue;
      }
      if (facts.empty()) facts = decode_facts(trace);
      const CollectiveFacts known = collective_facts(trace, facts, kernel);
      if (known.in_elements < 0 && known.out_elements < 0)
        continue;  // without sizes, kernels are not comparable
      alike[{trace.name(kernel), known.in_elements, known.out_elements, known.dtype, known.group_name}]
          .push_back(kernel);
    }
  }
  for (const auto& [key, kernels] : alike) {
    if (kernels.size() < kFewest) continue;
    const auto duration_ns = [&](SliceId kernel) { return trace.duration_ns(kernel); };
    const std::int64_t fastest_ns = duration_ns(std::ranges::min(kernels, {}, duration_ns));
    for (const SliceId kernel : kernels) {
      const std::int64_t wait_ns = duration_ns(kernel) - fastest_ns;
      if (wait_ns > 0) splits_[index_of(kernel)].wait_ns = wait_ns;
    }
  }
}

}  // namespace kino
