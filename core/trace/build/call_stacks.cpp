#include "core/trace/build/call_stacks.hpp"

#include <algorithm>

namespace kino {

std::int64_t CallStacks::end_ns(SliceKind kind, std::int64_t start_ns, std::int64_t recorded_end_ns) {
  if (kind == SliceKind::python) return end_below(python_, start_ns, recorded_end_ns);
  if (kind == SliceKind::cpu_op) return end_below(operators_, start_ns, recorded_end_ns);
  return recorded_end_ns;
}

std::int64_t CallStacks::end_below(std::vector<std::int64_t>& open, std::int64_t start_ns,
                                   std::int64_t recorded_end_ns) {
  const auto has_ended = [&](std::int64_t end_ns) {
    return end_ns <= start_ns || (end_ns < recorded_end_ns && end_ns - start_ns <= kClockTickNs);
  };
  while (!open.empty() && has_ended(open.back())) open.pop_back();
  const std::int64_t end_ns = open.empty() ? recorded_end_ns : std::min(recorded_end_ns, open.back());
  open.push_back(end_ns);
  return end_ns;
}

}  // namespace kino
