// The members of one event that the model needs, as they stand in the text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loaders/bytes/json_scan.hpp"

namespace kino {

/// Strings without their quotes and still escaped; numbers as written; empty when absent. Views into the
/// text.
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

  bool any = false;        ///< the event has at least one member
  bool bare_text = false;  ///< a value that was looked at is neither JSON nor in quotes: see check_word()

  /// Who knows the times of a slice as numbers says so here: they then count, and not the text.
  bool timed = false;
  std::int64_t time_ns = 0;
  std::int64_t duration_ns = 0;
  /// Who tells events may number their names, from 1 on and dense: equal numbers, equal names. 0: no number.
  std::uint32_t name_number = 0;
};

/// A string of the text without its quotes; anything else as it is.
inline std::string_view unquoted(std::string_view json) {
  return json.size() >= 2 && json[0] == '"' ? json.substr(1, json.size() - 2) : json;
}

struct EventFields : EventViews {
  /// Members of args that are numbers or numeric strings, for counters: filled unless the phase is known to
  /// be another one.
  std::vector<std::pair<std::string_view, std::string_view>> numbers;
  /// What tables need of a slice's args: see ArgumentColumns::texts.
  std::string facts;

  /// Keeps the memory.
  void clear() {
    static_cast<EventViews&>(*this) = EventViews{};
    numbers.clear();
    facts.clear();
  }

  /// Whether args have to be looked into: some phases and categories have nothing there that the model needs.
  bool wants_args() const;
  /// Whether all values in args are checked with check_word(). For slices, only the members of args are:
  /// lists within them are most of the text of operators, and the args of Python functions are Kineto's own.
  bool checks_all_words() const { return phase != "X" && !wants_args(); }
  /// Notes a token that is no JSON, as some writers print addresses and names of enumerations: 0x7f00,
  /// ncclFloat32, (nil). White space may follow.
  void check_word(std::string_view token) {
    if (token[0] != '"' && token[0] != '{' && token[0] != '[' && !is_json_word(token)) bare_text = true;
  }
  /// Whether this is a slice of which tables need more than ids.
  bool wants_facts() const;
  /// The letter of the fact that a member of args is, or 0 when it is none that is wanted of this event.
  char wanted_fact(std::string_view key) const;
  /// Takes a member of args as that fact: strings without quotes, arrays as written, but on one line.
  void add_fact(char fact, std::string_view value) {
    if (value.starts_with('[')) return add_list(fact, value);
    facts.append(1, fact).append(value).append(1, '\0');
  }
  /// Takes one member of the event. `value` is a string's content or a bare token; objects and arrays do not
  /// come.
  void set(std::string_view key, std::string_view value);
  /// Takes one scalar member of args.
  void set_arg(std::string_view key, std::string_view value);

 private:
  void add_list(char fact, std::string_view value);
};

/// Whether a slice's argument may be one that is needed, from the first letters of its key: most are not, and
/// to find the end of their keys takes as long as all else. `key` stands in the text, with its closing quote.
inline bool may_matter(const char* key, bool facts) {
  switch (key[0]) {
    case 'E':
      return key[1] == 'x';  // External id, not Ev Idx
    case 'e':
      return key[1] == 'x' || facts;
    case 'c':
      return key[1] == 'o' && key[2] == 'r';  // correlation, not cbid or context
    case 'P':
      return facts && key[1] == 'r' && key[2] == 'o' && key[3] == 'c';  // not Profiler Event Index
    case 'd':
      // dtype and direction, not device
      return facts && (key[1] == 't' || (key[1] == 'i' && key[2] == 'r'));
    case 'S':
      return facts &&
             (key[1] == 'e' || key[1] == 'r' || key[1] == 'h');  // Sequence number, Seq, Src Rank, Short name
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
    case 's':
      return facts && (key[1] == 'h' || key[1] == 'i');  // shared memory and size, not stream
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

/// Takes the members of an event's args in their order, once its phase and category are known.
class ArgumentIntake {
 public:
  explicit ArgumentIntake(EventFields& fields)
      : fields_(fields), slice_(fields.phase == "X"), facts_(fields.wants_facts()) {}

  /// From the first letters of a key that stands in the text, with its closing quote.
  bool may_matter(const char* key) const { return !slice_ || kino::may_matter(key, facts_); }
  char fact_of(std::string_view key) const { return facts_ ? fields_.wanted_fact(key) : char{0}; }
  /// A string without its quotes, or a bare token; `fact` is fact_of(key). False when nothing further is
  /// needed.
  bool take_scalar(std::string_view key, char fact, std::string_view scalar) {
    if (fact != 0) {
      fields_.add_fact(fact, scalar);
      return true;
    }
    fields_.set_arg(key, scalar);
    return !slice_ || facts_ || fields_.correlation.empty() || fields_.external_id.empty();
  }
  /// Any member, as it stands in the text. False when nothing further is needed.
  bool take(std::string_view key, std::string_view json);

 private:
  EventFields& fields_;
  bool slice_;
  bool facts_;
};

}  // namespace kino
