// Finds the event array in a trace's text and what the document says outside it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/damage.hpp"
#include "core/base/result.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// A member of the document's top level other than the event array: its key and its value's text.
struct DocumentMember {
  std::string key;
  std::string value;
};

enum class ArrayForm : std::uint8_t {
  member,  ///< {"traceEvents": [...], ...}
  root,    ///< [...]
  lines,   ///< one object after the other without an array
};

struct EventArray {
  ArrayForm form{};
  std::uint64_t begin = 0;  ///< behind the bracket
  std::vector<DocumentMember> members;
  DamageLog damage;  ///< comments and lines of something else before the array, passed over
};

enum class ArraySearch : std::uint8_t { found, needs_more_text, absent };

/// Looks for the event array in the beginning of a text. Members above 1 MiB are passed over. O(length).
ArraySearch find_event_array(std::string_view head, EventArray& out);

/// What members say about the job and the time base. Unreadable ones are noted as damage.
struct DocumentFacts {
  JobInfo job;
  std::int64_t base_time_ns = 0;
};
DocumentFacts facts_of(const std::vector<DocumentMember>& members, DamageLog& damage);

/// What stands between two events, from the white space before the first one's closing brace to the second
/// one's opening brace; empty when `text`, which starts at the first event, does not tell.
std::string learn_separator(std::string_view text);

}  // namespace kino
