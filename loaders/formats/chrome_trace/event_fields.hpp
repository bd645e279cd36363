// Members of one event that the model needs, as views of the text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loaders/bytes/json_scan.hpp"

namespace kino {

/// Texts of the members: strings without quotes but still escaped; numbers as written; empty if absent.
struct EventViews {
  std::string_view phase;
  std::string_view name;
  std::string_view category;
  std::string_view pid;
  std::string_view tid;
  std::string_view time;
  std::string_view duration;
  std::string_view id;
  std::string_view scope;
  std::string_view binding;  ///< bp

  // Members of args.
  std::string_view correlation;
  std::string_view external_id;
  std::string_view sequence_number;
  std::string_view forward_thread;  ///< Fwd thread id
  std::string_view meta_name;       ///< M: args.name
  std::string_view labels;          ///< M: args.labels
  std::string_view sort_index;      ///< M: args.sort_index
  std::string_view bytes;           ///< [memory]
  std::string_view address;         ///< [memory]
  std::string_view total_allocated;
  std::string_view total_reserved;
  std::string_view device_type;
  std::string_view device_id;

  bool any = false;        ///< the event has a member
  bool bare_text = false;  ///< a checked value is neither JSON nor quoted; see check_word()

  /// Whether the times below are set, and replace the texts of `time` and `duration`.
  bool timed = false;
  std::int64_t time_ns = 0;
  std::int64_t duration_ns = 0;
  /// Optional index of the name (dense, from 1; equal indices mean equal names); 0: none.
  std::uint32_t name_index = 0;
};

/// Returns the content of a string, or any other value unchanged.
inline std::string_view unquoted(std::string_view json) {
  return json.size() >= 2 && json[0] == '"' ? json.substr(1, json.size() - 2) : json;
}

struct EventFields : EventViews {
  /// (key, value) of members of args that start like a number. Filled for counters, and for events whose
  /// phase is not known before their args.
  std::vector<std::pair<std::string_view, std::string_view>> numbers;
  /// Facts for tables: see ArgumentColumns::texts.
  std::string facts;

  /// Resets all members, but retains their memory.
  void clear() {
    static_cast<EventViews&>(*this) = EventViews{};
    numbers.clear();
    facts.clear();
  }

  /// Returns whether the args of an event with this phase and category can contain a member that the model
  /// needs.
  bool wants_args() const;
  /// Returns whether check_word() is applied to the values at all levels of args. If the model needs the
  /// args, only their direct members are checked. Slices are excluded: nested lists are most of the text of
  /// operators, and Kineto itself writes the args of Python functions.
  bool checks_all_words() const { return phase != "X" && !wants_args(); }
  /// Detects a token that is not JSON, such as 0x7f00, ncclFloat32 or (nil). White space may follow the
  /// token.
  void check_word(std::string_view token) {
    if (token[0] != '"' && token[0] != '{' && token[0] != '[' && !is_json_word(token)) bare_text = true;
  }
  /// Returns whether tables need more of this slice than its ids.
  bool wants_facts() const;
  /// Returns the letter of the fact in a member of args; 0 if this event needs no such fact.
  char wanted_fact(std::string_view key) const;
  /// Adds a member of args as a fact: strings are stored without quotes, arrays on one line.
  void add_fact(char fact, std::string_view value) {
    if (value.starts_with('[')) return add_list(fact, value);
    facts.append(1, fact).append(value).append(1, '\0');
  }
  /// Sets a scalar member of the event. `value` is the content of a string, or a bare token.
  void set(std::string_view key, std::string_view value);
  /// Sets a scalar member of args.
  void set_arg(std::string_view key, std::string_view value);

 private:
  void add_list(char fact, std::string_view value);
};

/// Returns whether the model may need this argument of a slice, judged by the first letters of its key. Most
/// keys are skipped this way without a search for their ends, which would take as long as all other work.
/// `key` points into the text, and ends with a quote there.
inline bool may_matter(const char* key, bool facts) {
  switch (key[0]) {
    case 'E':
      return key[1] == 'x';  // "External id", not "Ev Idx"
    case 'e':
      return key[1] == 'x' || facts;
    case 'c':
      return key[1] == 'o' && key[2] == 'r';  // "correlation", not "cbid" or "context"
    case 'P':
      return facts && key[1] == 'r' && key[2] == 'o' && key[3] == 'c';  // not "Profiler Event Index"
    case 'd':
      // dtype and direction, not device
      return facts && (key[1] == 't' || (key[1] == 'i' && key[2] == 'r'));
    case 'S':
      return facts &&
             (key[1] == 'e' || key[1] == 'r' || key[1] == 'h');  // "Sequence number", "Seq", "Src Rank" etc.
    case 'N':
      return facts && key[1] == 'V';  // NVTX push/pop
    case 'D':
      return facts && key[1] == 's';  // Dst Rank
    case 'f':
      return facts && key[1] == 'r';  // fromDevice
    case 't':
      return facts && key[1] == 'o';  // toDevice
    case 'F':
      return facts && key[1] == 'w';  // Fwd thread id
    case 'k':
      return facts && key[1] == 'e';  // kernel, not kind
    case 's':
      return facts && (key[1] == 'h' || key[1] == 'i');  // "shared memory" and "size", not "stream"
    case 'C':
    case 'G':
    case 'I':
    case 'M':
    case 'O':
    case 'b':
    case 'g':
    case 'm':
    case 'r':
      return facts;
    default:
      return false;
  }
}

/// Receives the members of an event's args in order, after its phase and category.
class ArgumentReceiver {
 public:
  explicit ArgumentReceiver(EventFields& fields)
      : fields_(fields), slice_(fields.phase == "X"), facts_(fields.wants_facts()) {}

  /// Like kino::may_matter(), but true for all events that are not slices.
  bool may_matter(const char* key) const { return !slice_ || kino::may_matter(key, facts_); }
  char fact_of(std::string_view key) const { return facts_ ? fields_.wanted_fact(key) : char{0}; }
  /// Takes a member. `scalar` is the content of a string, or a bare token; `fact` is fact_of(key). Returns
  /// false if no further members are needed.
  bool take_scalar(std::string_view key, char fact, std::string_view scalar) {
    if (fact != 0) {
      fields_.add_fact(fact, scalar);
      return true;
    }
    fields_.set_arg(key, scalar);
    return !slice_ || facts_ || fields_.correlation.empty() || fields_.external_id.empty();
  }
  /// Like take_scalar(), for the raw JSON of any member.
  bool take(std::string_view key, std::string_view json);

 private:
  EventFields& fields_;
  bool slice_;
  bool facts_;
};

}  // namespace kino
