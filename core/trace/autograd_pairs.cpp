#include "core/trace/autograd_pairs.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

namespace kino {
namespace {

struct Placed {
  std::uint32_t sequence;
  std::uint16_t forward_thread;
  TrackId track;
  std::int64_t start_ns;
  SliceId slice;
};

class Matcher {
 public:
  explicit Matcher(const Trace& trace) : trace_(trace) {}

  /// Candidates of one backward operator: on each thread of its process the last forward operator before it.
  std::vector<const Placed*> candidates(std::span<const Placed> group, const Placed& backward) const {
    std::vector<const Placed*> found;
    for (const Placed& it : group) {  // in order of time
      if (it.forward_thread != 0 || it.start_ns >= backward.start_ns || !same_process(it, backward)) continue;
      const auto known =
          std::find_if(found.begin(), found.end(), [&](const Placed* old) { return old->track == it.track; });
      if (known == found.end()) {
        found.push_back(&it);
      } else {
        *known = &it;
      }
    }
    return found;
  }

  void vote(const Placed& backward, const std::vector<const Placed*>& found) {
    if (found.size() == 1) ++votes_[{backward.forward_thread, index_of(found.front()->track)}];
  }

  const Placed* choose(const Placed& backward, const std::vector<const Placed*>& found) const {
    const Placed* best = nullptr;
    std::uint64_t most = 0;
    for (const Placed* it : found) {
      const auto votes = votes_.find({backward.forward_thread, index_of(it->track)});
      const std::uint64_t own = votes == votes_.end() ? 0 : votes->second;
      if (best == nullptr || own > most) {
        best = it;
        most = own;
      }
    }
    return best;
  }

 private:
  bool same_process(const Placed& a, const Placed& b) const {
    return trace_.track(a.track).process == trace_.track(b.track).process;
  }

  const Trace& trace_;
  std::map<std::pair<std::uint16_t, std::uint32_t>, std::uint64_t> votes_;
};

/// Calls visit(group, backward) for the first backward operator of each number and forward thread.
template <class Visit>
void for_each_backward(std::span<const Placed> all, Visit&& visit) {
  std::vector<std::uint16_t> seen;
  for (std::size_t first = 0; first < all.size();) {
    std::size_t last = first;
    while (last < all.size() && all[last].sequence == all[first].sequence) ++last;
    const std::span<const Placed> group = all.subspan(first, last - first);
    seen.clear();
    for (const Placed& it : group) {
      if (it.forward_thread == 0 || std::find(seen.begin(), seen.end(), it.forward_thread) != seen.end())
        continue;
      seen.push_back(it.forward_thread);
      visit(group, it);
    }
    first = last;
  }
}

}  // namespace

std::vector<std::pair<SliceId, SliceId>> autograd_pairs(const Trace& trace,
                                                        std::vector<NumberedOperator> operators) {
  const bool backward =
      std::any_of(operators.begin(), operators.end(), [](const auto& it) { return it.forward_thread != 0; });
  if (!backward) return {};
  std::vector<Placed> all;
  all.reserve(operators.size());
  for (const NumberedOperator& it : operators) {
    all.push_back(
        {it.sequence, it.forward_thread, trace.track_of(it.slice), trace.start_ns(it.slice), it.slice});
  }
  operators = {};
  std::sort(all.begin(), all.end(), [](const Placed& a, const Placed& b) {
    return std::tie(a.sequence, a.start_ns, a.slice) < std::tie(b.sequence, b.start_ns, b.slice);
  });
  Matcher matcher(trace);
  for_each_backward(all, [&](std::span<const Placed> group, const Placed& it) {
    matcher.vote(it, matcher.candidates(group, it));
  });
  std::vector<std::pair<SliceId, SliceId>> pairs;
  for_each_backward(all, [&](std::span<const Placed> group, const Placed& it) {
    const Placed* forward = matcher.choose(it, matcher.candidates(group, it));
    if (forward != nullptr) pairs.emplace_back(forward->slice, it.slice);
  });
  return pairs;
}

}  // namespace kino
