#include "core/trace/event_facts.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/trace/trace.hpp"

namespace kino {
namespace {

template <class T>
void read_number(std::string_view text, T& out) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end != text.data()) out = value;
}

/// Parses all 64 bits of an id, even if the writer treated them as signed.
void read_id(std::string_view text, std::uint64_t& out) {
  std::int64_t negative = 0;
  if (text.starts_with('-')) read_number(text, negative);
  out = static_cast<std::uint64_t>(negative);
  if (negative == 0) read_number(text, out);
}

/// Parses "[128, 1, 1]"; missing numbers are 1. If there is no number, or one exceeds 64 bits, `out` is
/// unchanged.
void read_triple(std::string_view text, std::array<std::int64_t, 3>& out) {
  std::array<std::int64_t, 3> values{1, 1, 1};
  std::size_t found = 0;
  for (std::size_t at = 0; at < text.size() && found < values.size();) {
    if (text[at] < '0' || text[at] > '9') {
      ++at;
      continue;
    }
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), values[found]);
    if (error != std::errc{}) return;
    ++found;
    at = static_cast<std::size_t>(end - text.data());
  }
  if (found > 0) out = values;
}

template <class T>
struct FactMember {
  Fact fact;
  T EventFacts::*member;
};
constexpr FactMember<std::int64_t> kIntegers[] = {{Fact::registers, &EventFacts::registers},
                                                  {Fact::shared_memory, &EventFacts::shared_memory},
                                                  {Fact::bytes, &EventFacts::bytes},
                                                  {Fact::in_elements, &EventFacts::in_elements},
                                                  {Fact::out_elements, &EventFacts::out_elements},
                                                  {Fact::group_size, &EventFacts::group_size},
                                                  {Fact::source, &EventFacts::source},
                                                  {Fact::target, &EventFacts::target},
                                                  {Fact::sequence, &EventFacts::sequence},
                                                  {Fact::graph_node, &EventFacts::graph_node}};
constexpr FactMember<double> kReals[] = {{Fact::blocks_per_sm, &EventFacts::blocks_per_sm},
                                         {Fact::occupancy, &EventFacts::occupancy},
                                         {Fact::bandwidth, &EventFacts::bandwidth}};
constexpr FactMember<std::string_view> kTexts[] = {{Fact::input_dims, &EventFacts::input_dims},
                                                   {Fact::input_types, &EventFacts::input_types},
                                                   {Fact::concrete_inputs, &EventFacts::concrete_inputs},
                                                   {Fact::collective, &EventFacts::collective},
                                                   {Fact::dtype, &EventFacts::dtype},
                                                   {Fact::group_name, &EventFacts::group_name},
                                                   {Fact::group_description, &EventFacts::group_description},
                                                   {Fact::group_ranks, &EventFacts::group_ranks},
                                                   {Fact::call_stack, &EventFacts::call_stack},
                                                   {Fact::module_hierarchy, &EventFacts::module_hierarchy},
                                                   {Fact::push_pop_range, &EventFacts::push_pop_range},
                                                   {Fact::start_end_range, &EventFacts::start_end_range},
                                                   {Fact::short_name, &EventFacts::short_name},
                                                   {Fact::direction, &EventFacts::direction},
                                                   {Fact::launched_kernel, &EventFacts::launched_kernel},
                                                   {Fact::in_splits, &EventFacts::in_splits}};

void take(EventFacts& facts, Fact fact, std::string_view value) {
  if (fact == Fact::grid) read_triple(value, facts.grid);
  if (fact == Fact::block) read_triple(value, facts.block);
  if (fact == Fact::communication) read_id(value, facts.communication);
  for (const auto& [row_fact, member] : kIntegers) {
    if (row_fact == fact) read_number(value, facts.*member);
  }
  for (const auto& [row_fact, member] : kReals) {
    if (row_fact == fact) read_number(value, facts.*member);
  }
  for (const auto& [row_fact, member] : kTexts) {
    if (row_fact == fact) facts.*member = value;
  }
}

}  // namespace

char fact_of_argument(std::string_view key) {
  const auto is = [key](std::string_view wanted, Fact fact) {
    return key == wanted ? static_cast<char>(fact) : char{0};
  };
  const auto one_of = [](char a, char b) { return a != 0 ? a : b; };
  switch (key.size()) {
    case 3:
      return is("Seq", Fact::sequence);
    case 4:
      return is("grid", Fact::grid);
    case 5:
      return one_of(is("block", Fact::block), one_of(is("bytes", Fact::bytes), is("dtype", Fact::dtype)));
    case 6:
      return is("kernel", Fact::launched_kernel);
    case 8:
      return one_of(one_of(is("toDevice", Fact::target), is("Dst Rank", Fact::target)),
                    one_of(is("Src Rank", Fact::source), is("Comms Id", Fact::communication)));
    case 10:
      return one_of(
          one_of(is("Input Dims", Fact::input_dims), is("Input dims", Fact::input_dims)),
          one_of(one_of(one_of(is("Input type", Fact::input_types), is("Short name", Fact::short_name)),
                        is("Group size", Fact::group_size)),
                 one_of(is("Call stack", Fact::call_stack), is("fromDevice", Fact::source))));
    case 13:
      return one_of(
          one_of(is("shared memory", Fact::shared_memory),
                 one_of(is("In split size", Fact::in_splits), is("graph node id", Fact::graph_node))),
          one_of(one_of(is("blocks per SM", Fact::blocks_per_sm), is("In msg nelems", Fact::in_elements)),
                 is("NVTX push/pop", Fact::push_pop_range)));
    case 14:
      return one_of(is("Out msg nelems", Fact::out_elements), is("NVTX start/end", Fact::start_end_range));
    case 15:
      return one_of(is("Collective name", Fact::collective), is("Concrete Inputs", Fact::concrete_inputs));
    case 16:
      return is("Module Hierarchy", Fact::module_hierarchy);
    case 18:
      return is("Process Group Name", Fact::group_name);
    case 19:
      return is("Process Group Ranks", Fact::group_ranks);
    case 20:
      return is("registers per thread", Fact::registers);
    case 23:
      return is("memory bandwidth (GB/s)", Fact::bandwidth);
    case 25:
      return one_of(is("Process Group Description", Fact::group_description),
                    is("est. achieved occupancy %", Fact::occupancy));
    default:
      return 0;
  }
}

double known_occupancy(const EventFacts& facts) {
  if (facts.occupancy != 0) return facts.occupancy;
  constexpr double kMostWarps = 64;
  constexpr double kThreadsPerWarp = 32;
  const double warps_per_block = std::ceil(static_cast<double>(facts.threads_per_block()) / kThreadsPerWarp);
  return facts.blocks_per_sm * warps_per_block >= 0.01 * kMostWarps ? -1 : 0;
}

std::vector<EventFacts> decode_facts(const Trace& trace) {
  const StringTable& texts = trace.arguments.texts;
  std::vector<EventFacts> all(std::max(1U, texts.size()));
  for (std::uint32_t i = 0; i < texts.size(); ++i) {
    std::string_view text = texts[i];
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\0', 1), text.size());
      take(all[i], static_cast<Fact>(text[0]), text.substr(1, end - 1));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }
  return all;
}

std::uint32_t facts_index(const Trace& trace, SliceId slice) {
  return trace.arguments.facts.empty() ? 0 : trace.arguments.facts[index_of(slice)];
}

SliceId owner_by_nesting(const Trace& trace, SliceId slice) {
  SliceId at = is_on_gpu(trace.kind(slice)) ? trace.link(slice) : slice;
  while (at != kNoSlice) {
    at = trace.parent(at);
    if (at == kNoSlice) break;
    const SliceKind around = trace.kind(at);
    if (around == SliceKind::cpu_op || around == SliceKind::annotation) return at;
  }
  return kNoSlice;
}

SliceId owner_of(const Trace& trace, SliceId slice) {
  const std::span<const SliceId> exceptions = trace.arguments.exceptions.span();
  const auto found = std::lower_bound(exceptions.begin(), exceptions.end(), slice);
  if (found != exceptions.end() && *found == slice)
    return trace.arguments.operators[static_cast<std::size_t>(found - exceptions.begin())];
  return owner_by_nesting(trace, slice);
}

}  // namespace kino
