#include "core/tables/layers/kernel_sequence.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <unordered_map>

#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/trace/links/call_nesting.hpp"

namespace kino {
namespace {

constexpr std::int64_t kLeastStreamShare = 10;  // reciprocal of the share of the kernel time: one tenth

/// Finds steps by time: at() returns the index of the step plus one, or 0 outside of steps. It is fast if
/// consecutive times are in the same step.
class StepSearch {
 public:
  explicit StepSearch(const Steps& steps) : steps_(steps) {}
  std::uint32_t at(std::int64_t time_ns) {
    if (steps_.steps.empty()) return 0;
    if (known_ && time_ns >= range_.begin_ns && time_ns < range_.end_ns) return step_;
    const std::size_t found = steps_.at(time_ns);
    known_ = found != Steps::kNone;
    step_ = known_ ? static_cast<std::uint32_t>(found) + 1 : 0;
    if (known_) {
      range_ = steps_.steps[found].range;
      const std::size_t next = steps_.next_after(range_.begin_ns);
      if (next != Steps::kNone) range_.end_ns = std::min(range_.end_ns, steps_.steps[next].range.begin_ns);
    }
    return step_;
  }

 private:
  const Steps& steps_;
  TimeRange range_;
  std::uint32_t step_ = 0;
  bool known_ = false;
};

std::vector<KernelSequence> stream_sequences(const Trace& trace, const GpuWork& work, const Steps& steps,
                                             const std::stop_token& stop) {
  std::vector<KernelSequence> sequences;
  bool launched = false;
  for (const StreamWork& stream : work.streams) {
    if (stop.stop_requested()) return {};
    KernelSequence sequence;
    sequence.kernels.reserve(stream.slices.size());
    for (const SliceId slice : stream.slices) {
      if (trace.kind(slice) != SliceKind::compute) continue;
      sequence.kernels.push_back(slice);
      add_saturating(sequence.total_ns, trace.duration_ns(slice));
      launched = launched || trace.link(slice) != kNoSlice;
    }
    if (!sequence.kernels.empty()) sequences.push_back(std::move(sequence));
  }
  StepSearch search(steps);
  for (KernelSequence& sequence : sequences) {
    sequence.step.reserve(sequence.kernels.size());
    for (const SliceId slice : sequence.kernels) {
      if (stop.stop_requested() && sequence.step.size() % kCancelStride == 0) return {};
      const SliceId launch = trace.link(slice);
      const bool unknown = launched && launch == kNoSlice;
      sequence.step.push_back(unknown ? 0 : search.at(trace.start_ns(launched ? launch : slice)));
    }
  }
  return sequences;
}

std::vector<KernelSequence> operator_sequences(const Trace& trace, const Steps& steps,
                                               const std::stop_token& stop) {
  std::vector<KernelSequence> sequences;
  StepSearch search(steps);
  const TimeRange all = whole_range(trace);
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::cpu_thread) continue;
    KernelSequence sequence;
    for_each_nested_call(
        trace, track, all, stop, [&](SliceId slice) { return trace.kind(slice) == SliceKind::cpu_op; },
        [&](const NestedCall& call) {
          if (trace.kind(call.slice) != SliceKind::cpu_op || call.caller != kNoSlice) return;
          sequence.kernels.push_back(call.slice);
          sequence.step.push_back(search.at(trace.start_ns(call.slice)));
          add_saturating(sequence.total_ns, trace.duration_ns(call.slice));
        });
    if (!sequence.kernels.empty()) sequences.push_back(std::move(sequence));
  }
  return sequences;
}

bool is_family(std::string_view category) { return category == "Attention" || category == "Matrix product"; }

/// Appends a unit, unless its symbol equals that of the last unit.
void append(std::vector<SymbolUnit>& units, SymbolUnit unit) {
  if (units.empty() || units.back().symbol != unit.symbol) units.push_back(unit);
}

/// Replaces three or more consecutive equal groups of `width` units by the first group.
std::vector<SymbolUnit> without_loops(const std::vector<SymbolUnit>& units, std::size_t width) {
  std::vector<SymbolUnit> kept;
  kept.reserve(units.size());
  for (std::size_t i = 0; i < units.size();) {
    std::size_t end = i + width;
    while (end < units.size() && units[end].symbol == units[end - width].symbol) ++end;
    const std::size_t turns = (std::min(end, units.size()) - i) / width;
    const std::size_t taken = turns >= 3 ? width : 1;
    for (std::size_t k = i; k < i + taken; ++k) kept.push_back(units[k]);
    i += turns >= 3 ? turns * width : 1;
  }
  return kept;
}

}  // namespace

std::vector<KernelSequence> kernel_sequences(const Trace& trace, const GpuWork& work, const Steps& steps,
                                             bool operators, const std::stop_token& stop) {
  std::vector<KernelSequence> sequences =
      operators ? operator_sequences(trace, steps, stop) : stream_sequences(trace, work, steps, stop);
  std::int64_t total_ns = 0;
  for (const KernelSequence& sequence : sequences) add_saturating(total_ns, sequence.total_ns);
  std::erase_if(sequences, [&](const KernelSequence& sequence) {
    return sequence.total_ns < total_ns / kLeastStreamShare || sequence.kernels.empty();
  });
  std::ranges::stable_sort(sequences, std::ranges::greater(), &KernelSequence::total_ns);
  for (KernelSequence& sequence : sequences) {
    sequence.before_ns.reserve(sequence.kernels.size() + 1);
    sequence.before_ns.push_back(0);
    for (const SliceId slice : sequence.kernels)
      sequence.before_ns.push_back(saturating_add(sequence.before_ns.back(), trace.duration_ns(slice)));
  }
  return sequences;
}

std::string name_without_details(std::string_view name) {
  std::string text;
  int depth = 0;
  for (const char letter : name) {
    if (letter == '<') ++depth;
    const bool digit = letter >= '0' && letter <= '9';
    if (depth == 0 && !(digit && text.ends_with('*'))) text += digit ? '*' : letter;
    if (letter == '>' && depth > 0) --depth;
  }
  return text;
}

std::vector<std::uint32_t> symbols_of_names(const Trace& trace, std::span<const KernelSequence> sequences,
                                            NameRung rung, const WorkRules& rules) {
  std::vector<std::uint32_t> symbols(trace.names.size());
  std::unordered_map<std::string, std::uint32_t> known;
  std::uint32_t last = 0;
  const auto symbol_of = [&](NameId id) {
    if (rung == NameRung::name) return ++last;
    const std::string_view name = trace.name_text(id);
    std::string text = name_without_details(name);
    if (rung == NameRung::family) {
      const std::string_view category = rules.category_name(rules.rule_of_name(name));
      if (is_family(category)) text = category;
    }
    const auto [entry, added] = known.try_emplace(std::move(text), last + 1);
    if (added) ++last;
    return entry->second;
  };
  for (const KernelSequence& sequence : sequences) {
    for (const SliceId kernel : sequence.kernels) {
      std::uint32_t& symbol = symbols[index_of(trace.name(kernel))];
      if (symbol == 0) symbol = symbol_of(trace.name(kernel));
    }
  }
  return symbols;
}

std::vector<SymbolUnit> symbol_units(const Trace& trace, const KernelSequence& sequence,
                                     const std::vector<std::uint32_t>& symbol_of_name) {
  std::vector<SymbolUnit> units;
  units.reserve(sequence.kernels.size());
  std::uint32_t separators = 0;
  for (std::uint32_t i = 0; i < sequence.kernels.size(); ++i) {
    if (i > 0 && sequence.step[i] != sequence.step[i - 1])
      units.push_back({kFirstSeparator + separators++, i});
    append(units, {symbol_of_name[index_of(trace.name(sequence.kernels[i]))], i});
  }
  for (std::size_t width = 2; width <= 4; ++width) {
    bool loops = false;
    for (std::size_t i = 2 * width; i < units.size() && !loops; ++i)
      loops = units[i].symbol == units[i - width].symbol && units[i].symbol == units[i - 2 * width].symbol;
    if (loops) units = without_loops(units, width);
  }
  return units;
}

}  // namespace kino
