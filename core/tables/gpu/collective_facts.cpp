#include "core/tables/gpu/collective_facts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <limits>
#include <string>

#include "core/tables/gpu/input_shapes.hpp"
#include "core/trace/trace.hpp"

namespace kino {
namespace {

/// Returns the letters of the name in lower case, so different spellings of a collective compare equal:
/// "all_gather" and "AllGather".
std::string letters_of(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') out += static_cast<char>(c - 'A' + 'a');
    if (c >= 'a' && c <= 'z') out += c;
  }
  return out;
}

/// Returns the name with the parameter list removed. "(anonymous namespace)" is not a parameter list.
std::string_view named_function(std::string_view name) {
  constexpr std::string_view kUnnamed = "(anonymous namespace)";
  const std::size_t unnamed = name.find(kUnnamed);
  const std::size_t from = unnamed == std::string_view::npos ? 0 : unnamed + kUnnamed.size();
  return name.substr(0, name.find('(', from));
}

bool is_communication_call(std::string_view name) {
  constexpr std::array<std::string_view, 7> kHeads{
      "nccl:", "rccl:", "hccl:", "xccl:", "gloo:", "mpi:", "record_param_comms"};
  return std::ranges::any_of(kHeads, [&](std::string_view head) { return name.starts_with(head); });
}

/// Returns the elements of a JSON list of texts and numbers, with quotes removed. Nested lists are single
/// elements. Returns views into `list`. O(length).
std::vector<std::string_view> elements_in(std::string_view list) {
  std::vector<std::string_view> found;
  if (list.size() < 2 || list.front() != '[' || list.back() != ']') return found;
  list = list.substr(1, list.size() - 2);
  std::size_t begin = 0;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    if (c == '"') quoted = !quoted;
    if (!quoted && c == '[') ++depth;
    if (!quoted && c == ']') --depth;
    if (i < list.size() && (c != ',' || quoted || depth > 0)) continue;
    std::string_view element = list.substr(begin, i - begin);
    while (!element.empty() && (element.front() == ' ' || element.front() == '"')) element.remove_prefix(1);
    while (!element.empty() && (element.back() == ' ' || element.back() == '"')) element.remove_suffix(1);
    found.push_back(element);
    begin = i + 1;
  }
  return found;
}

/// Reads the call's number from the inputs of record_param_comms
/// (torch/csrc/distributed/c10d/ParamCommsUtils.hpp): tensors (if any), number, group, rank, name and split
/// sizes. Until torch 2.3, the number is an integer. Since 2.4 it is a tuple, which is recorded as an empty
/// text.
void learn_call(CollectiveFacts& out, const EventFacts& facts, SliceId call) {
  const std::vector<std::string_view> inputs = elements_in(facts.concrete_inputs);
  constexpr std::size_t kFewest = 5;
  if (inputs.size() < kFewest) return;
  const bool tensors = inputs[0].empty() || inputs[0].front() == '[';
  const std::string_view text = inputs[tensors ? 1 : 0];
  std::int64_t sequence = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), sequence);
  if (error != std::errc{} || end != text.data() + text.size() || sequence < 0) return;
  out.call_sequence = sequence;
  out.call_group = inputs[tensors ? 2 : 1];
  out.call = call;
}

/// Returns the number of elements of all tensors in `input_dims`; -1 if there are none or the sum is too
/// large.
std::int64_t elements_of(std::string_view input_dims) {
  const std::vector<Shape> shapes = shapes_of(input_dims);
  double sum = 0;
  for (const Shape& shape : shapes) sum += product(shape);
  return shapes.empty() || sum < 0 || sum > 1e15 ? -1 : static_cast<std::int64_t>(sum);
}

/// Adds facts of one event that are still missing in `out`.
void learn(CollectiveFacts& out, const EventFacts& facts, std::string_view call) {
  const auto set_text = [](std::string_view& known, std::string_view more) {
    if (known.empty()) known = more;
  };
  const auto set_number = [](std::int64_t& known, std::int64_t more) {
    if (known < 0) known = more;
  };
  if (!facts.collective.empty() || facts.in_elements >= 0) {
    out.told = true;
    if (out.kind == CollectiveKind::other) out.kind = collective_kind(facts.collective);
    set_number(out.in_elements, facts.in_elements);
    set_number(out.out_elements, facts.out_elements);
    set_number(out.group_size, facts.group_size);
    set_number(out.sequence, facts.sequence);
    set_number(out.source, facts.source);
    set_number(out.target, facts.target);
    if (out.communication == 0) out.communication = facts.communication;
    set_text(out.group_name, facts.group_name);
    set_text(out.group_ranks, facts.group_ranks);
    set_text(out.group, facts.group_description);
    set_text(out.group, facts.group_name);
    set_text(out.dtype, facts.dtype);
  }
  if (!is_communication_call(call)) return;
  // Older PyTorch versions record no metadata: the kind is in the name of the call, and the size in its
  // inputs.
  if (out.kind == CollectiveKind::other && call.find(':') != std::string_view::npos)
    out.kind = collective_kind(call.substr(call.find(':') + 1));
  const std::string_view type = first_type(facts.input_types);
  if (facts.input_dims.empty() || element_bytes(type) == 0) return;
  out.told = true;
  if (out.in_elements < 0 && out.out_elements < 0) out.in_elements = elements_of(facts.input_dims);
  set_text(out.dtype, type);
}

}  // namespace

std::string_view text_of(CollectiveKind kind) {
  constexpr std::array<std::string_view, 13> kTexts{
      "all-reduce", "all-gather", "reduce-scatter", "all-to-all",   "broadcast", "reduce", "gather",
      "scatter",    "send",       "receive",        "send/receive", "barrier",   "other"};
  return kTexts[static_cast<std::size_t>(kind)];
}

CollectiveKind collective_kind(std::string_view name) {
  struct Part {
    std::string_view letters;
    CollectiveKind kind;
  };
  // Longer names come first, since many contain "reduce". Expert parallelism dispatches tokens to the ranks
  // of their experts and combines the results: both are all-to-all.
  constexpr std::array<Part, 20> kParts{{{"allreduce", CollectiveKind::all_reduce},
                                         {"crossdevicereduce", CollectiveKind::all_reduce},
                                         {"quickreduce", CollectiveKind::all_reduce},
                                         {"reducescatter", CollectiveKind::reduce_scatter},
                                         {"allgather", CollectiveKind::all_gather},
                                         {"alltoall", CollectiveKind::all_to_all},
                                         {"deepep", CollectiveKind::all_to_all},
                                         {"dpskep", CollectiveKind::all_to_all},
                                         {"epdispatch", CollectiveKind::all_to_all},
                                         {"epcombine", CollectiveKind::all_to_all},
                                         {"sendrecv", CollectiveKind::send_receive},
                                         {"broadcast", CollectiveKind::broadcast},
                                         {"barrier", CollectiveKind::barrier},
                                         {"reduce", CollectiveKind::reduce},
                                         {"gather", CollectiveKind::gather},
                                         {"scatter", CollectiveKind::scatter},
                                         {"send", CollectiveKind::send},
                                         {"recv", CollectiveKind::receive},
                                         {"receive", CollectiveKind::receive},
                                         {"coalesced", CollectiveKind::other}}};
  const std::string letters = letters_of(named_function(name));
  for (const Part& part : kParts) {
    if (letters.find(part.letters) != std::string::npos) return part.kind;
  }
  return CollectiveKind::other;
}

std::int64_t element_bytes(std::string_view dtype) {
  constexpr std::string_view kPrefix = "c10::";
  if (dtype.starts_with(kPrefix)) dtype.remove_prefix(kPrefix.size());
  const std::string name = letters_of(dtype);
  const auto any = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (dtype.starts_with("Float8") || dtype.starts_with("float8")) return 1;
  if (dtype == kOnlyBytes || any({"byte", "char", "bool", "signedchar", "unsignedchar"})) return 1;
  if (any({"int", "unsignedint"})) return 4;
  if (any({"bfloat", "half", "short", "shortint"})) return 2;
  if (name == "float") return dtype.ends_with("16") ? 2 : dtype.ends_with("64") ? 8 : 4;
  if (any({"double", "long", "longint", "longunsignedint", "complexfloat"})) return 8;
  if (name == "complexdouble") return 16;
  return 0;
}

std::int64_t CollectiveFacts::bytes() const {
  const std::int64_t size = element_bytes(dtype);
  if (size == 0) return -1;
  std::int64_t elements = in_elements;
  switch (kind) {
    case CollectiveKind::all_gather:
    case CollectiveKind::gather: {
      const bool countable = in_elements >= 0 && group_size > 0 &&
                             in_elements <= std::numeric_limits<std::int64_t>::max() / group_size;
      // If the receive buffer is unknown, each rank contributes as much as this one.
      elements = out_elements >= 0 ? std::max(out_elements, in_elements)
                                   : (countable ? in_elements * group_size : std::int64_t{-1});
      break;
    }
    case CollectiveKind::scatter:
    case CollectiveKind::receive:
      elements = std::max(out_elements, in_elements);
      break;
    default:
      break;
  }
  return elements < 0 || elements > std::numeric_limits<std::int64_t>::max() / size ? -1 : elements * size;
}

CollectiveFacts collective_facts(const Trace& trace, const std::vector<EventFacts>& facts, SliceId kernel) {
  CollectiveFacts out;
  // On a CPU thread, the annotation is the collective.
  const bool on_cpu = !is_gpu_work(trace.kind(kernel));
  learn(out, facts[facts_index(trace, kernel)], on_cpu ? trace.name_of(kernel) : std::string_view());
  out.known_from_kernel = out.told;
  const bool more = !out.told || out.kind == CollectiveKind::other || out.group_size < 0 || out.dtype.empty();
  const bool numbered = out.sequence >= 0 || out.communication != 0;
  for (const SliceId from : {owner_of(trace, kernel), trace.link(kernel)}) {
    for (SliceId at = from; at != kNoSlice && (more || !numbered); at = trace.parent(at)) {
      const EventFacts& around = facts[facts_index(trace, at)];
      if (more) learn(out, around, trace.name_of(at));
      if (!numbered && out.call == kNoSlice && trace.name_of(at) == "record_param_comms")
        learn_call(out, around, at);
    }
  }
  if (out.kind == CollectiveKind::other) out.kind = collective_kind(trace.name_of(kernel));
  return out;
}

}  // namespace kino
