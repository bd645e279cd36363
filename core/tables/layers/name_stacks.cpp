#include "core/tables/layers/name_stacks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "core/base/ascii.hpp"
#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/tables/layers/alike_parts.hpp"
#include "core/tables/layers/anchor_chains.hpp"
#include "core/tables/layers/odd_copies.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostTypes = 64;  // only the types with the most time are considered as layers
constexpr std::uint32_t kLeastCopies = 3;
constexpr std::uint32_t kFewCopies = 8;         // with fewer copies, at least half must have the same symbols
constexpr std::int64_t kUncoveredParts = 10;    // longer grams are used if over 1/10 is uncovered
constexpr std::int64_t kLeastTypeParts = 100;   // 1 % of the stream's time
constexpr std::int64_t kLeastStackParts = 200;  // 0.5 % of the stream's time
constexpr std::int64_t kMinorParts = 10;        // 10 % of the stream's time
constexpr std::size_t kSampledPasses = 4;       // passes that are checked for backward kernels: their first
                                                // copy, or all of their parts if parts are alike

/// Chains with the same period and multiset of symbols. They do not overlap.
struct ChainType {
  std::vector<AnchorChain> chains;  // in order of position
  std::uint32_t period = 0;
  std::int64_t time_ns = 0;
  bool rounds = false;
};

bool is_backward_name(std::string_view name) {
  const std::string folded = lowered(name);
  return std::ranges::any_of(std::array{"bwd", "bn_bw", "dgrad", "wgrad", "grad", "backward"},
                             [&](const char* part) { return folded.find(part) != std::string::npos; });
}

/// Whether an operator is a node of the backward graph. In old traces, nodes have no
/// "autograd::engine::evaluate_function: " around them, only their own name, such as "ReluBackward1".
bool is_autograd_node(const Trace& trace, SliceId slice) {
  std::string_view name = trace.name_of(slice);
  if (name.starts_with("autograd::engine::evaluate_function: ")) return true;
  if (trace.kind(slice) != SliceKind::cpu_op || name.starts_with("aten::")) return false;
  if (name == "AccumulateGrad" || name == "torch::autograd::AccumulateGrad") return true;
  name = name.substr(0, name.find_last_not_of("0123456789") + 1);
  return name.ends_with("Backward");
}

bool in_autograd_node(const Trace& trace, SliceId slice) {
  if (is_on_gpu(trace.kind(slice))) slice = trace.link(slice);
  for (; slice != kNoSlice; slice = trace.parent(slice)) {
    if (is_autograd_node(trace, slice)) return true;
  }
  return false;
}

/// Folds one sequence, and adds its stacks to a LayerFold.
class SequenceFolder {
 public:
  SequenceFolder(const Trace& trace, const KernelSequence& sequence, const Steps& steps,
                 const std::vector<std::uint32_t>& symbols, const WorkRules& rules, LayerFold& fold)
      : trace_(trace),
        sequence_(sequence),
        steps_(steps),
        rules_(rules),
        fold_(fold),
        symbols_(symbols),
        units_(symbol_units(trace, sequence, symbols)),
        sums_(units_),
        search_(units_, sums_),
        taken_(units_.size()) {}

  void run(const std::stop_token& stop) {
    std::vector<AnchorChain> chains;
    search_.find(1, chains, stop);
    std::vector<ChainType> types = types_of(chains);
    if (covered_ns(types) * kUncoveredParts < sequence_.total_ns * (kUncoveredParts - 1)) {
      search_.find(2, chains, stop);
      search_.find(4, chains, stop);
      types = types_of(chains);
    }
    if (stop.stop_requested()) return;
    mark_rounds(types);
    std::vector<NameStack> stacks = choose(types);
    for (NameStack& stack : stacks) adopt_odd_passes(units_, taken_, stack);
    for (NameStack& stack : stacks) grow_passes(units_, taken_, stack);
    add_stacks(stacks);
  }

  /// Folds alike parts instead of repeated sequences.
  void run_alike(const std::stop_token& stop) {
    alike_ = true;
    std::vector<std::int64_t> before_ns;
    before_ns.reserve(units_.size() + 1);
    for (std::uint32_t i = 0; i <= units_.size(); ++i) before_ns.push_back(sequence_.before_ns[kernel_at(i)]);
    add_stacks(alike_stacks(units_, before_ns, stop));
  }

 private:
  void add_stacks(const std::vector<NameStack>& stacks) {
    const std::size_t first = fold_.stacks.size();
    for (const NameStack& stack : stacks) add_stack(stack);
    // If all stacks are minor, they do not count as layers.
    const auto is_minor = [](const LayerStack& stack) { return stack.minor; };
    if (std::all_of(fold_.stacks.begin() + static_cast<std::ptrdiff_t>(first), fold_.stacks.end(),
                    is_minor)) {
      for (std::size_t i = first; i < fold_.stacks.size(); ++i)
        fold_.placed_ns = saturating_subtract(fold_.placed_ns, fold_.stacks[i].work_ns);
      fold_.stacks.resize(first);
    }
  }

  std::uint32_t kernel_at(std::uint32_t unit) const {
    return unit < units_.size() ? units_[unit].first : static_cast<std::uint32_t>(sequence_.kernels.size());
  }
  std::int64_t time_of(std::uint32_t first, std::uint32_t end) const {
    return saturating_subtract(sequence_.before_ns[kernel_at(end)], sequence_.before_ns[kernel_at(first)]);
  }

  /// Groups chains by type. Returns the types with at least 1 % of the time, by descending time; at most
  /// kMostTypes.
  std::vector<ChainType> types_of(std::vector<AnchorChain> chains) const {
    std::ranges::sort(chains, [](const AnchorChain& a, const AnchorChain& b) {
      if (a.type != b.type) return a.type < b.type;
      if (a.copies != b.copies) return a.copies > b.copies;
      if (a.good != b.good) return a.good > b.good;
      return a.first != b.first ? a.first < b.first : a.end < b.end;
    });
    std::vector<ChainType> types;
    for (auto begin = chains.begin(); begin != chains.end();) {
      const auto end = std::find_if(begin, chains.end(),
                                    [&](const AnchorChain& chain) { return chain.type != begin->type; });
      ChainType type;
      type.period = begin->period;
      std::map<std::uint32_t, AnchorChain> kept;
      for (auto chain = begin; chain != end; ++chain) {
        const auto next = kept.lower_bound(chain->first);
        if (next != kept.end() && next->first < chain->end) continue;
        if (next != kept.begin() && std::prev(next)->second.end > chain->first) continue;
        kept.emplace_hint(next, chain->first, *chain);
        add_saturating(type.time_ns, time_of(chain->first, chain->end));
      }
      begin = end;
      if (type.time_ns < sequence_.total_ns / kLeastTypeParts) continue;
      for (const auto& [first, chain] : kept) type.chains.push_back(chain);
      types.push_back(std::move(type));
    }
    std::ranges::stable_sort(types, [](const ChainType& a, const ChainType& b) {
      if (a.time_ns != b.time_ns) return a.time_ns > b.time_ns;
      return std::pair(a.period, a.chains.front().first) < std::pair(b.period, b.chains.front().first);
    });
    if (types.size() > kMostTypes) types.resize(kMostTypes);
    return types;
  }

  /// Returns the time that chains of any type cover.
  std::int64_t covered_ns(const std::vector<ChainType>& types) const {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> parts;
    for (const ChainType& type : types) {
      for (const AnchorChain& chain : type.chains) parts.emplace_back(chain.first, chain.end);
    }
    std::ranges::sort(parts);
    return united_ns(parts, 0, static_cast<std::uint32_t>(units_.size()));
  }

  /// Returns the time within [first, end) that the parts cover. Parts must be sorted.
  std::int64_t united_ns(std::span<const std::pair<std::uint32_t, std::uint32_t>> parts, std::uint32_t first,
                         std::uint32_t end) const {
    std::int64_t sum_ns = 0;
    for (auto [from, to] : parts) {
      from = std::max(from, first);
      to = std::min(to, end);
      if (from >= to) continue;
      add_saturating(sum_ns, time_of(from, to));
      first = to;
    }
    return sum_ns;
  }

  /// Marks types as rounds. A type is a round if chains of less than half its period take at least half of
  /// its time, or if its body contains an optimizer.
  void mark_rounds(std::vector<ChainType>& types) {
    for (ChainType& type : types) {
      std::vector<std::pair<std::uint32_t, std::uint32_t>> parts;
      for (const ChainType& other : types) {
        if (other.period * 2 >= type.period) continue;
        for (const AnchorChain& chain : other.chains) {
          if (chain.copies >= kLeastCopies) parts.emplace_back(chain.first, chain.end);
        }
      }
      std::ranges::sort(parts);
      std::int64_t inner_ns = 0;
      auto part = parts.begin();
      for (const AnchorChain& chain : type.chains) {
        while (part != parts.end() && part->second <= chain.first) ++part;
        const auto last =
            std::find_if(part, parts.end(), [&](const auto& other) { return other.first >= chain.end; });
        add_saturating(inner_ns, united_ns({part, last}, chain.first, chain.end));
      }
      type.rounds = inner_ns >= type.time_ns / 2 || has_optimizer(type.chains.front());
      if (!type.rounds) continue;
      for (const AnchorChain& chain : type.chains) {
        const std::uint32_t kernels = kernel_at(chain.body + chain.period) - kernel_at(chain.body);
        fold_.rounds.push_back({chain.copies, kernels});
      }
    }
  }

  bool has_optimizer(const AnchorChain& chain) const {
    for (std::uint32_t i = kernel_at(chain.body); i < kernel_at(chain.body + chain.period); ++i) {
      const std::string_view name = trace_.name_of(sequence_.kernels[i]);
      if (rules_.category_name(rules_.rule_of_name(name)) == english(msg::optimizer_and_foreach)) return true;
      const std::string folded = lowered(name);
      for (const char* const part : {"adam", "optimizer", "sgd"}) {
        if (folded.find(part) != std::string::npos) return true;
      }
    }
    return false;
  }

  std::vector<NameStack> choose(const std::vector<ChainType>& types) {
    std::vector<NameStack> stacks;
    for (const ChainType& type : types) {
      if (type.rounds) continue;
      NameStack stack;
      stack.period = type.period;
      std::uint32_t copies = 0;
      std::uint32_t most = 0;
      std::uint32_t good = 0;
      std::int64_t time_ns = 0;
      for (const AnchorChain& chain : type.chains) {
        if (is_taken(taken_, chain.first, chain.end)) continue;
        if (chain.copies > most) {
          stack.body = chain.body;
          stack.slack = chain.slack;
        }
        most = std::max(most, chain.copies);
        copies += chain.copies;
        good += chain.good;
        add_saturating(time_ns, time_of(chain.first, chain.end));
        stack.passes.push_back(search_.starts(chain));
      }
      if (most < kLeastCopies || (copies < kFewCopies && good * 2 < copies)) continue;
      if (time_ns < sequence_.total_ns / kLeastStackParts) continue;
      for (const std::vector<std::uint32_t>& pass : stack.passes)
        mark_taken(taken_, pass.front(), pass.back());
      stacks.push_back(std::move(stack));
    }
    return stacks;
  }

  void add_stack(const NameStack& found) {
    LayerStack& stack = fold_.stacks.emplace_back();
    stack.alike = alike_;
    stack.slack = found.slack;
    std::vector<std::vector<std::uint32_t>> passes = found.passes;
    std::ranges::sort(passes);
    std::map<std::uint32_t, std::uint32_t> lengths;
    for (const auto& pass : passes) ++lengths[static_cast<std::uint32_t>(pass.size() - 1)];
    std::uint32_t most = 0;
    for (const auto& [length, count] : lengths) {
      if (count >= most) stack.layers = length;
      most = std::max(most, count);
    }
    stack.backward = is_backward(passes);
    add_copies(stack, passes);
    stack.minor = stack.work_ns < sequence_.total_ns / kMinorParts;
    add_saturating(fold_.placed_ns, stack.work_ns);
  }

  bool is_backward(const std::vector<std::vector<std::uint32_t>>& passes) const {
    std::size_t kernels = 0;
    std::size_t backward = 0;
    for (std::size_t i = 0; i < std::min(passes.size(), kSampledPasses); ++i) {
      // Alike parts differ, so all parts of a pass are counted.
      const std::uint32_t end = kernel_at(alike_ ? passes[i].back() : passes[i][1]);
      for (std::uint32_t k = kernel_at(passes[i][0]); k < end; ++k) {
        const SliceId slice = sequence_.kernels[k];
        ++kernels;
        if (is_backward_name(trace_.name_of(slice)) || in_autograd_node(trace_, slice)) ++backward;
      }
    }
    return backward * 3 >= kernels && backward > 0;
  }

  void add_copies(LayerStack& stack, const std::vector<std::vector<std::uint32_t>>& passes) {
    std::unordered_map<std::uint64_t, std::uint32_t> bodies;
    std::vector<std::uint64_t> body_of_copy;
    std::map<std::optional<std::int64_t>, std::uint32_t> microbatches;
    const std::size_t base = fold_.kernels.size();
    fold_.kernels.reserve(base + kernel_at(passes.back().back()));
    for (std::uint32_t pass = 0; pass < passes.size(); ++pass) {
      const std::vector<std::uint32_t>& starts = passes[pass];
      const auto copies = static_cast<std::uint32_t>(starts.size() - 1);
      LayerPass& made = stack.passes.emplace_back();
      const std::uint32_t step = sequence_.step[kernel_at(starts[0])];
      if (step > 0) made.step = steps_.steps[step - 1].number;
      made.microbatch = microbatches[made.step]++;
      // If the first pass is incomplete, its start is missing. In other passes, the end is missing.
      const bool first_cut = pass == 0 && passes.size() > 1 && copies < stack.layers;
      for (std::uint32_t i = 0; i < copies; ++i) {
        LayerCopy& copy = stack.copies.emplace_back();
        copy.pass = pass;
        copy.phase = stack.backward ? LayerPhase::backward : LayerPhase::forward;
        copy.layer = layer_of(i, copies, stack, first_cut);
        const std::uint32_t first = kernel_at(starts[i]);
        const std::uint32_t end = kernel_at(starts[i + 1]);
        copy.first = fold_.kernels.size();
        copy.count = end - first;
        std::uint64_t body = 0;
        for (std::uint32_t k = first; k < end; ++k) {
          const SliceId slice = sequence_.kernels[k];
          fold_.kernels.push_back(slice);
          body = (body ^ symbols_[index_of(trace_.name(slice))]) * 0x9e3779b97f4a7c15U;
          body ^= body >> 29;
        }
        copy.cost.work_ns = saturating_subtract(sequence_.before_ns[end], sequence_.before_ns[first]);
        add_saturating(stack.work_ns, copy.cost.work_ns);
        body_of_copy.push_back(body);
        ++bodies[body];
      }
    }
    std::uint64_t usual = 0;
    std::uint32_t most = 0;
    std::uint32_t kernels = 0;
    for (std::size_t i = 0; i < body_of_copy.size(); ++i) {
      const std::uint32_t count = bodies[body_of_copy[i]];
      // Few alike parts are equal, so several bodies are often equally common. The shortest one is used.
      const bool shorter = alike_ && count == most && stack.copies[i].count < kernels;
      if (count <= most && !shorter) continue;
      most = count;
      usual = body_of_copy[i];
      kernels = stack.copies[i].count;
    }
    for (std::size_t i = 0; i < body_of_copy.size(); ++i) stack.copies[i].odd = body_of_copy[i] != usual;
    const auto body = std::ranges::find(stack.copies, false, &LayerCopy::odd);
    stack.body_kernels = body->count;
    for (std::size_t i = body->first; i < body->first + body->count; ++i) {
      const std::string_view name = trace_.name_of(fold_.kernels[i]);
      if (rules_.category_name(rules_.rule_of_name(name)) == english(msg::attention)) ++stack.body_attention;
    }
    std::ranges::stable_sort(stack.copies, [](const LayerCopy& a, const LayerCopy& b) {
      return std::pair(a.pass, a.layer) < std::pair(b.pass, b.layer);
    });
  }

  static std::uint32_t layer_of(std::uint32_t copy, std::uint32_t copies, const LayerStack& stack,
                                bool first_cut) {
    const std::uint32_t whole = std::max(copies, stack.layers);
    if (stack.backward) return (first_cut ? copies : whole) - 1 - copy;
    return copy + (first_cut ? whole - copies : 0);
  }

  const Trace& trace_;
  const KernelSequence& sequence_;
  const Steps& steps_;
  const WorkRules& rules_;
  LayerFold& fold_;
  const std::vector<std::uint32_t>& symbols_;  // by NameId
  std::vector<SymbolUnit> units_;
  SegmentSums sums_;
  AnchorSearch search_;
  std::vector<bool> taken_;  // by unit
  bool alike_ = false;
};

/// Assigns forward stacks to backward stacks. A backward stack of n copies belongs to the first forward
/// stack of m * n layers, and each copy contains m layers.
void pair_stacks(std::vector<LayerStack>& stacks) {
  for (LayerStack& backward : stacks) {
    if (!backward.backward) continue;
    for (std::uint32_t i = 0; i < stacks.size() && !backward.forward_stack; ++i) {
      const LayerStack& forward = stacks[i];
      if (forward.backward || backward.layers == 0 || forward.layers % backward.layers != 0) continue;
      backward.forward_stack = i;
      backward.layers_per_copy = forward.layers / backward.layers;
    }
  }
}

std::uint64_t copies_in(const LayerFold& fold) {
  std::uint64_t copies = 0;
  for (const LayerStack& stack : fold.stacks) copies += stack.copies.size();
  return copies;
}

LayerFold fold_symbols(const Trace& trace, const std::vector<KernelSequence>& sequences, const Steps& steps,
                       const std::vector<std::uint32_t>& symbols, NameRung rung, LayerSource source,
                       const WorkRules& rules, const std::stop_token& stop) {
  LayerFold fold;
  fold.source = source;
  fold.rung = rung;
  const bool alike = source == LayerSource::alike;
  for (const KernelSequence& sequence : sequences) {
    if (stop.stop_requested()) return {};
    add_saturating(fold.total_ns, sequence.total_ns);
    SequenceFolder folder(trace, sequence, steps, symbols, rules, fold);
    alike ? folder.run_alike(stop) : folder.run(stop);
  }
  std::ranges::stable_sort(fold.stacks, std::ranges::greater(), &LayerStack::work_ns);
  if (!alike) pair_stacks(fold.stacks);
  if (fold.stacks.empty()) fold.source = LayerSource::none;
  return fold;
}

/// Whether a coarser rung has 1.25 times the time.
bool explains_more(const LayerFold& coarse, const LayerFold& fine) {
  return coarse.placed_ns > 0 && coarse.placed_ns / 5 * 4 >= fine.placed_ns;
}

}  // namespace

LayerFold fold_by_names(const Trace& trace, const std::vector<KernelSequence>& sequences, const Steps& steps,
                        NameRung rung, const WorkRules& rules, const std::stop_token& stop) {
  return fold_symbols(trace, sequences, steps, symbols_of_names(trace, sequences, rung, rules), rung,
                      LayerSource::names, rules, stop);
}

LayerFold fold_by_names(const Trace& trace, const std::vector<KernelSequence>& sequences, const Steps& steps,
                        const WorkRules& rules, const std::stop_token& stop) {
  const std::vector<std::uint32_t> names = symbols_of_names(trace, sequences, NameRung::name, rules);
  const std::vector<std::uint32_t> families = symbols_of_names(trace, sequences, NameRung::family, rules);
  LayerFold best;
  LayerFold by_family;
  // If the symbols are equal, the stacks are too, so the fold by families is skipped.
  parallel_for(thread_count_or_default(0), families == names ? 1 : 2, {}, [&](std::size_t task, unsigned) {
    (task == 0 ? best : by_family) =
        fold_symbols(trace, sequences, steps, task == 0 ? names : families,
                     task == 0 ? NameRung::name : NameRung::family, LayerSource::names, rules, stop);
  });
  if (best.placed_ns / 4 * 5 <= best.total_ns) {
    const std::vector<std::uint32_t> shorter =
        symbols_of_names(trace, sequences, NameRung::short_name, rules);
    LayerFold coarse;
    if (shorter != names) {
      coarse = fold_symbols(trace, sequences, steps, shorter, NameRung::short_name, LayerSource::names, rules,
                            stop);
    }
    if (explains_more(coarse, best)) best = std::move(coarse);
  }
  const bool finer = copies_in(by_family) >= 2 * copies_in(best) &&
                     copies_in(by_family) <= 3 * copies_in(best) &&
                     by_family.placed_ns / 9 * 10 >= best.placed_ns;
  if (explains_more(by_family, best) || (finer && by_family.placed_ns > 0)) best = std::move(by_family);
  return best;
}

LayerFold fold_by_alike(const Trace& trace, const std::vector<KernelSequence>& sequences, const Steps& steps,
                        const WorkRules& rules, const std::stop_token& stop) {
  LayerFold best;
  for (const NameRung rung : {NameRung::name, NameRung::short_name, NameRung::family}) {
    LayerFold found = fold_symbols(trace, sequences, steps, symbols_of_names(trace, sequences, rung, rules),
                                   rung, LayerSource::alike, rules, stop);
    if (rung == NameRung::name || explains_more(found, best)) best = std::move(found);
  }
  return best;
}

}  // namespace kino
