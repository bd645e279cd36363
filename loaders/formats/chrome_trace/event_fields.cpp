#include "loaders/formats/chrome_trace/event_fields.hpp"

#include <algorithm>
#include <array>

#include "core/base/ascii.hpp"
#include "core/trace/event_facts.hpp"
#include "core/trace/slice_kind.hpp"

namespace kino {
namespace {

bool may_be_number(std::string_view value) {
  return !value.empty() && (value[0] == '-' || value[0] == '+' || is_digit(value[0]));
}

/// Whether an event is a call of HIP. Its arguments may contain the kernel that it launches.
bool is_hip_call(std::string_view category, std::string_view name) {
  return name.starts_with("hip") && (category == "cuda_runtime" || category == "hip_runtime");
}

/// Appends a JSON array on one line, with one space after each comma: [[8, 3], []].
void append_on_one_line(std::string_view json, std::string& out) {
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (!quoted && is_space(c)) continue;
    out += c;
    if (quoted && c == '\\' && i + 1 < json.size()) {
      out += json[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      out += ' ';
    }
  }
}

bool take_if(std::string_view key, std::string_view wanted, std::string_view value, std::string_view& field) {
  if (key != wanted) return false;
  field = value;
  return true;
}

}  // namespace

bool EventFields::wants_args() const {
  if (phase.size() != 1) return true;  // the phase may follow
  // No table needs the arguments of Python functions, which can be very many.
  return phase == "X" ? category != "python_function" : contains("CMiI", phase);
}

bool EventFields::wants_facts() const {
  if (phase != "X") return false;
  switch (category.size()) {
    case 11:
    case 12:
      return is_hip_call(category, name);
    case 6:
      return category == "cpu_op" || category == "kernel" || category == "Kernel" || category == "Memcpy" ||
             category == "Memset";
    case 8:
      return category == "Operator";
    case 10:
      return category == "gpu_memcpy" || category == "gpu_memset";
    case 14:
      return category == "UserAnnotation";
    case 15:
      if (category == kMtiaWork) return true;
      return category == "user_annotation";  // e.g. nccl:all_reduce has the shapes of its messages
    default:
      return false;
  }
}

char EventFields::wanted_fact(std::string_view key) const {
  if (category == kMtiaWork) {
    if (key == "size") return static_cast<char>(Fact::bytes);
    if (key == "direction") return static_cast<char>(Fact::direction);
  }
  const char fact = fact_of_argument(key);
  // HIP records the kernel in its launch calls. Only captured launches need it, since their work has no call.
  const bool launched_kernel = fact == static_cast<char>(Fact::launched_kernel);
  if (is_hip_call(category, name))
    return launched_kernel || fact == static_cast<char>(Fact::grid) ? fact : char{0};
  if (launched_kernel) return 0;
  // The calls of operators have the same list.
  if (fact == static_cast<char>(Fact::in_splits) && category != "kernel") return 0;
  // The values of inputs are many and long. They are only needed for the FLOPs of convolutions and attention,
  // and to identify collectives.
  if (fact != static_cast<char>(Fact::concrete_inputs)) return fact;
  constexpr std::array<std::string_view, 6> kMatters{"conv",     "attention", "attn",
                                                     "xformers", "fmha",      "record_param_comms"};
  const bool matters = std::any_of(kMatters.begin(), kMatters.end(),
                                   [&](std::string_view part) { return contains(name, part); });
  return matters ? fact : char{0};
}

void EventFields::add_list(char fact, std::string_view value) {
  facts += fact;
  if (value.find('\n') != std::string_view::npos) {
    append_on_one_line(value, facts);
  } else {
    facts += value;
  }
  facts += '\0';
}

void EventFields::set(std::string_view key, std::string_view value) {
  const auto take = [&](std::string_view wanted, std::string_view& field) {
    return take_if(key, wanted, value, field);
  };
  switch (key.size()) {
    case 2:
      static_cast<void>(take("ph", phase) || take("ts", time) || take("id", id) || take("bp", binding));
      break;
    case 3:
      static_cast<void>(take("pid", pid) || take("tid", tid) || take("cat", category) ||
                        take("dur", duration));
      break;
    case 4:
      take("name", name);
      break;
    case 5:
      take("scope", scope);
      break;
    default:
      break;
  }
}

void EventFields::set_arg(std::string_view key, std::string_view value) {
  const auto take = [&](std::string_view wanted, std::string_view& field) {
    return take_if(key, wanted, value, field);
  };
  switch (key.size()) {
    case 4:
      static_cast<void>(take("name", meta_name) || take("Addr", address));
      break;
    case 5:
      take("Bytes", bytes);
      break;
    case 6:
      take("labels", labels);
      break;
    case 9:
      take("Device Id", device_id);
      break;
    case 10:
      take("sort_index", sort_index);
      break;
    case 11:
      static_cast<void>(take("correlation", correlation) || take("External id", external_id) ||
                        take("Device Type", device_type) || take("external id", external_id));
      break;
    case 13:
      take("Fwd thread id", forward_thread);
      break;
    case 14:
      take("Total Reserved", total_reserved);
      break;
    case 15:
      static_cast<void>(take("Total Allocated", total_allocated) || take("Sequence number", sequence_number));
      break;
    default:
      break;
  }
  const bool may_be_counter = phase.empty() || phase == "C";
  if (may_be_counter && may_be_number(value)) numbers.emplace_back(key, value);
}

bool ArgumentReceiver::take(std::string_view key, std::string_view json) {
  if (json.empty() || json[0] == '{' || !may_matter(key.data())) return true;
  const char fact = fact_of(key);
  if (json[0] == '[') {
    if (fact != 0) fields_.add_fact(fact, json);
    return true;
  }
  return take_scalar(key, fact, unquoted(json));
}

}  // namespace kino
