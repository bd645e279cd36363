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

  /// Returns the candidates for one backward operator: for each thread of its process, the last forward
  /// operator in `group` that starts before it.
  std::vector<const Placed*> candidates(std::span<const Placed> group, const Placed& backward) const {
    std::vector<const Placed*> found;
    for (const Placed& candidate : group) {  // in order of time
      if (candidate.forward_thread != 0 || candidate.start_ns >= backward.start_ns ||
          !same_process(candidate, backward))
        continue;
      const auto known = std::ranges::find(found, candidate.track, &Placed::track);
      if (known == found.end()) {
        found.push_back(&candidate);
      } else {
        *known = &candidate;
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
    for (const Placed* candidate : found) {
      const auto votes = votes_.find({backward.forward_thread, index_of(candidate->track)});
      const std::uint64_t own = votes == votes_.end() ? 0 : votes->second;
      if (best == nullptr || own > most) {
        best = candidate;
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

/// Calls visit(group, backward) for the first backward operator of each sequence number and Fwd thread id.
/// `group` contains all operators with the number.
template <class Visit>
void for_each_backward(std::span<const Placed> all, Visit&& visit) {
  std::vector<std::uint16_t> seen;
  for (std::size_t first = 0; first < all.size();) {
    std::size_t last = first;
    while (last < all.size() && all[last].sequence == all[first].sequence) ++last;
    const std::span<const Placed> group = all.subspan(first, last - first);
    seen.clear();
    for (const Placed& row : group) {
      if (row.forward_thread == 0 || std::find(seen.begin(), seen.end(), row.forward_thread) != seen.end())
        continue;
      seen.push_back(row.forward_thread);
      visit(group, row);
    }
    first = last;
  }
}

}  // namespace

std::vector<std::pair<SliceId, SliceId>> autograd_pairs(const Trace& trace,
                                                        std::vector<NumberedOperator> operators) {
  if (std::ranges::none_of(operators, [](const auto& row) { return row.forward_thread != 0; })) return {};
  std::vector<Placed> all;
  all.reserve(operators.size());
  for (const NumberedOperator& row : operators) {
    all.push_back(
        {row.sequence, row.forward_thread, trace.track_of(row.slice), trace.start_ns(row.slice), row.slice});
  }
  operators = {};
  std::ranges::sort(all, {},
                    [](const Placed& row) { return std::tie(row.sequence, row.start_ns, row.slice); });
  Matcher matcher(trace);
  for_each_backward(all, [&](std::span<const Placed> group, const Placed& row) {
    matcher.vote(row, matcher.candidates(group, row));
  });
  std::vector<std::pair<SliceId, SliceId>> pairs;
  for_each_backward(all, [&](std::span<const Placed> group, const Placed& row) {
    const Placed* forward = matcher.choose(row, matcher.candidates(group, row));
    if (forward != nullptr) pairs.emplace_back(forward->slice, row.slice);
  });
  return pairs;
}

}  // namespace kino
