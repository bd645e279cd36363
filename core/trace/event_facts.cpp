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

/// All 64 bits, also where the writer took them for a number with a sign.
void read_id(std::string_view text, std::uint64_t& out) {
  std::int64_t negative = 0;
  if (text.starts_with('-')) read_number(text, negative);
  out = static_cast<std::uint64_t>(negative);
  if (negative == 0) read_number(text, out);
}

/// "[128, 1, 1]".
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

/// Returns the member for a fact that is kept as text; null for numbers.
std::string_view* text_member(EventFacts& facts, Fact fact) {
  switch (fact) {
    case Fact::input_dims:
      return &facts.input_dims;
    case Fact::input_types:
      return &facts.input_types;
    case Fact::concrete_inputs:
      return &facts.concrete_inputs;
    case Fact::collective:
      return &facts.collective;
    case Fact::dtype:
      return &facts.dtype;
    case Fact::group_name:
      return &facts.group_name;
    case Fact::group_description:
      return &facts.group_description;
    case Fact::group_ranks:
      return &facts.group_ranks;
    case Fact::call_stack:
      return &facts.call_stack;
    case Fact::module_hierarchy:
      return &facts.module_hierarchy;
    case Fact::push_pop_range:
      return &facts.push_pop_range;
    case Fact::start_end_range:
      return &facts.start_end_range;
    case Fact::short_name:
      return &facts.short_name;
    case Fact::direction:
      return &facts.direction;
    default:
      return nullptr;
  }
}

void take(EventFacts& facts, Fact fact, std::string_view value) {
  if (std::string_view* const text = text_member(facts, fact)) {
    *text = value;
    return;
  }
  switch (fact) {
    case Fact::grid:
      return read_triple(value, facts.grid);
    case Fact::block:
      return read_triple(value, facts.block);
    case Fact::registers:
      return read_number(value, facts.registers);
    case Fact::shared_memory:
      return read_number(value, facts.shared_memory);
    case Fact::blocks_per_sm:
      return read_number(value, facts.blocks_per_sm);
    case Fact::occupancy:
      return read_number(value, facts.occupancy);
    case Fact::bytes:
      return read_number(value, facts.bytes);
    case Fact::bandwidth:
      return read_number(value, facts.bandwidth);
    case Fact::in_elements:
      return read_number(value, facts.in_elements);
    case Fact::out_elements:
      return read_number(value, facts.out_elements);
    case Fact::group_size:
      return read_number(value, facts.group_size);
    case Fact::source:
      return read_number(value, facts.source);
    case Fact::target:
      return read_number(value, facts.target);
    case Fact::sequence:
      return read_number(value, facts.sequence);
    case Fact::communication:
      return read_id(value, facts.communication);
    default:
      return;
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
          is("shared memory", Fact::shared_memory),
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

std::uint32_t facts_number(const Trace& trace, SliceId slice) {
  return trace.arguments.facts.empty() ? 0 : trace.arguments.facts[index_of(slice)];
}

SliceId owner_by_nesting(const Trace& trace, SliceId slice) {
  const SliceKind kind = trace.kind(slice);
  const bool on_gpu = is_gpu_work(kind) || kind == SliceKind::gpu_sync;
  SliceId at = on_gpu ? trace.link(slice) : slice;
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
  if (found != exceptions.end() && *found == slice) {
    return trace.arguments.operators[static_cast<std::size_t>(found - exceptions.begin())];
  }
  return owner_by_nesting(trace, slice);
}

}  // namespace kino
