// Finds the event array of a trace, and reads the other members of the document.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/damage.hpp"
#include "core/base/result.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// A top-level member other than the event array.
struct DocumentMember {
  std::string key;
  std::string value;
};

enum class ArrayForm : std::uint8_t {
  member,  ///< {"traceEvents": [...], ...}
  root,    ///< [...]
  lines,   ///< objects without an array
};

struct EventArray {
  ArrayForm form{};
  std::uint64_t begin = 0;  ///< offset after the bracket; lines: offset of the first event
  std::vector<DocumentMember> members;
  DamageLog damage;  ///< damage in the text before and after the array
};

enum class ArraySearch : std::uint8_t { found, needs_more_text, absent };

/// Finds the event array at the start of a text. Members above 1 MiB are added with no value. O(length).
ArraySearch find_event_array(std::string_view head, EventArray& out);

/// Job and time base read from the members. Unreadable members are recorded as damage.
struct DocumentInfo {
  JobInfo job;
  std::int64_t base_time_ns = 0;
};
DocumentInfo facts_of(const std::vector<DocumentMember>& members, DamageLog& damage);

/// Returns the separator of two events: the text from the white space before the first event's closing brace
/// to the second event's opening brace. `text` starts at the first event. Empty if `text` does not start with
/// two events.
std::string detect_separator(std::string_view text);

}  // namespace kino
