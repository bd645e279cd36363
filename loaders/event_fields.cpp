#include "loaders/event_fields.hpp"

namespace kino {
namespace {

bool may_be_number(std::string_view value) {
  return !value.empty() && (value[0] == '-' || value[0] == '+' || (value[0] >= '0' && value[0] <= '9'));
}

}  // namespace

bool EventFields::wants_args() const {
  if (phase.size() != 1) return true;  // the phase may come later
  switch (phase[0]) {
    case 'X':
      // Operators and Python functions have no correlation id, and they are most of a trace.
      return category != "cpu_op" && category != "python_function" && category != "user_annotation";
    case 'C':
    case 'M':
    case 'i':
    case 'I':
      return true;
    default:
      return false;
  }
}

void EventFields::set(std::string_view key, std::string_view value) {
  switch (key.size()) {
    case 2:
      if (key == "ph")
        phase = value;
      else if (key == "ts")
        time = value;
      else if (key == "id")
        id = value;
      else if (key == "bp")
        binding = value;
      break;
    case 3:
      if (key == "pid")
        pid = value;
      else if (key == "tid")
        tid = value;
      else if (key == "cat")
        category = value;
      else if (key == "dur")
        duration = value;
      break;
    case 4:
      if (key == "name") name = value;
      break;
    case 5:
      if (key == "scope") scope = value;
      break;
    default:
      break;
  }
}

void EventFields::set_arg(std::string_view key, std::string_view value) {
  switch (key.size()) {
    case 4:
      if (key == "name") meta_name = value;
      break;
    case 6:
      if (key == "labels") labels = value;
      break;
    case 9:
      if (key == "Device Id") device_id = value;
      break;
    case 10:
      if (key == "sort_index") sort_index = value;
      break;
    case 11:
      if (key == "correlation")
        correlation = value;
      else if (key == "Device Type")
        device_type = value;
      break;
    case 14:
      if (key == "Total Reserved") total_reserved = value;
      break;
    case 15:
      if (key == "Total Allocated") total_allocated = value;
      break;
    default:
      break;
  }
  const bool may_be_counter = phase.empty() || phase == "C";
  if (may_be_counter && may_be_number(value)) numbers.emplace_back(key, value);
}

}  // namespace kino
