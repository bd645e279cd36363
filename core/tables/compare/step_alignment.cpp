#include "core/tables/compare/step_alignment.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace kino {
namespace {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Appends a longest common subsequence, by dynamic programming over all pairs. O(n m).
void join_all(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b, std::uint32_t offset,
              Pairs& out) {
  const std::size_t width = b.size() + 1;
  // Filled from the end: most[i, j] is the maximum number of joined values of a[i..] and b[j..].
  std::vector<std::uint32_t> most((a.size() + 1) * width);
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      most[i * width + j] = a[i] == b[j] ? most[(i + 1) * width + j + 1] + 1
                                         : std::max(most[(i + 1) * width + j], most[i * width + j + 1]);
    }
  }
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (a[i] == b[j]) {
      out.emplace_back(offset + static_cast<std::uint32_t>(i++), offset + static_cast<std::uint32_t>(j++));
    } else if (most[(i + 1) * width + j] >= most[i * width + j + 1]) {
      ++i;
    } else {
      ++j;
    }
  }
}

/// Joins the k-th occurrence of each value in `a` with its k-th occurrence in `b`. Appends as many of these
/// pairs as possible that are in the order of both lists.
void join_by_number(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b, std::uint32_t offset,
                    Pairs& out) {
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> positions;
  for (std::uint32_t j = 0; j < b.size(); ++j) positions[b[j]].push_back(j);
  std::unordered_map<std::uint32_t, std::size_t> used;
  Pairs candidates;
  for (std::uint32_t i = 0; i < a.size(); ++i) {
    const auto found = positions.find(a[i]);
    std::size_t& count = used[a[i]];
    if (found != positions.end() && count < found->second.size())
      candidates.emplace_back(i, found->second[count++]);
  }
  // Longest ascending subsequence of the second positions, by patience sorting.
  std::vector<std::uint32_t> tops;                       // index into the candidates
  std::vector<std::uint32_t> before(candidates.size());  // index of the predecessor + 1; 0 if there is none
  for (std::uint32_t i = 0; i < candidates.size(); ++i) {
    const auto pile = std::ranges::lower_bound(tops, candidates[i].second, {},
                                               [&](std::uint32_t top) { return candidates[top].second; });
    before[i] = pile == tops.begin() ? 0 : *(pile - 1) + 1;
    if (pile == tops.end()) {
      tops.push_back(i);
    } else {
      *pile = i;
    }
  }
  const std::size_t first = out.size();
  for (std::uint32_t at = tops.empty() ? 0 : tops.back() + 1; at > 0; at = before[at - 1])
    out.emplace_back(offset + candidates[at - 1].first, offset + candidates[at - 1].second);
  std::reverse(out.begin() + static_cast<std::ptrdiff_t>(first), out.end());
}

class Aligner {
 public:
  Aligner(const Trace& trace_a, const StepOutline& a, const Trace& trace_b, const StepOutline& b)
      : trace_a_(trace_a), a_(a), trace_b_(trace_b), b_(b) {}

  StepAlignment run(const std::stop_token& stop) {
    join(StepDepth::phase, 0, size(a_, StepDepth::phase), 0, size(b_, StepDepth::phase));
    for (const StepDepth depth : {StepDepth::op, StepDepth::work}) {
      const auto above = static_cast<std::size_t>(depth) - 1;
      for (std::size_t i = 0; i < out_[above].size(); ++i) {
        if (stop.stop_requested()) return {};
        const AlignedNode parent = out_[above][i];
        const StepNode none;
        const StepNode& in_a = parent.a == AlignedNode::kNone ? none : a_.nodes[above][parent.a];
        const StepNode& in_b = parent.b == AlignedNode::kNone ? none : b_.nodes[above][parent.b];
        join(depth, in_a.first_child, in_a.end_child, in_b.first_child, in_b.end_child);
      }
    }
    return std::move(out_);
  }

 private:
  static std::uint32_t size(const StepOutline& outline, StepDepth depth) {
    return static_cast<std::uint32_t>(outline.at(depth).size());
  }

  /// Returns a value that is equal for nodes that may be joined.
  std::uint32_t value_of(const Trace& trace, const StepNode& node, StepDepth depth) {
    constexpr auto kPhases = static_cast<std::uint32_t>(StepPhase::tail) + 1;
    if (depth == StepDepth::phase || node.slice == kNoSlice) return static_cast<std::uint32_t>(node.phase);
    const auto [found, added] =
        values_.try_emplace(trace.name_of(node.slice), kPhases + static_cast<std::uint32_t>(values_.size()));
    return found->second;
  }

  std::vector<std::uint32_t> values(const Trace& trace, const StepOutline& outline, StepDepth depth,
                                    std::uint32_t first, std::uint32_t end) {
    std::vector<std::uint32_t> out;
    out.reserve(end - first);
    for (std::uint32_t i = first; i < end; ++i) out.push_back(value_of(trace, outline.at(depth)[i], depth));
    return out;
  }

  void join(StepDepth depth, std::uint32_t first_a, std::uint32_t end_a, std::uint32_t first_b,
            std::uint32_t end_b) {
    Pairs pairs = joined_in_order(values(trace_a_, a_, depth, first_a, end_a),
                                  values(trace_b_, b_, depth, first_b, end_b));
    pairs.emplace_back(end_a - first_a, end_b - first_b);
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::vector<AlignedNode>& out = out_[static_cast<std::size_t>(depth)];
    for (const auto& [next_a, next_b] : pairs) {
      const bool replaces = depth == StepDepth::work && next_a - a == next_b - b;
      for (; replaces && a < next_a; ++a, ++b) out.push_back({first_a + a, first_b + b, true});
      for (; a < next_a; ++a) out.push_back({first_a + a, AlignedNode::kNone, false});
      for (; b < next_b; ++b) out.push_back({AlignedNode::kNone, first_b + b, false});
      if (first_a + a < end_a && first_b + b < end_b) out.push_back({first_a + a, first_b + b, false});
      a = next_a + 1;
      b = next_b + 1;
    }
  }

  const Trace& trace_a_;
  const StepOutline& a_;
  const Trace& trace_b_;
  const StepOutline& b_;
  std::unordered_map<std::string_view, std::uint32_t> values_;
  StepAlignment out_;
};

}  // namespace

Pairs joined_in_order(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  Pairs out;
  std::size_t head = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  std::size_t tail = 0;
  while (tail < a.size() - head && tail < b.size() - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
    ++tail;
  for (std::uint32_t i = 0; i < head; ++i) out.emplace_back(i, i);
  const auto middle_a = a.subspan(head, a.size() - head - tail);
  const auto middle_b = b.subspan(head, b.size() - head - tail);
  const auto offset = static_cast<std::uint32_t>(head);
  if (middle_a.size() * middle_b.size() <= kMaxCells) {
    join_all(middle_a, middle_b, offset, out);
  } else {
    join_by_number(middle_a, middle_b, offset, out);
  }
  for (std::size_t i = tail; i > 0; --i)
    out.emplace_back(static_cast<std::uint32_t>(a.size() - i), static_cast<std::uint32_t>(b.size() - i));
  return out;
}

StepAlignment align_steps(const Trace& trace_a, const StepOutline& a, const Trace& trace_b,
                          const StepOutline& b, const std::stop_token& stop) {
  return Aligner(trace_a, a, trace_b, b).run(stop);
}

}  // namespace kino
