// The members of one event that the model needs, as they stand in the text.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

  bool any = false;  ///< the event has at least one member
};

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

}  // namespace kino
