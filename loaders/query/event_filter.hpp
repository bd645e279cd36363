// What conditions of SQL say of events, so that only rows that may meet them are handed to SQLite.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <sqlite3.h>

#include "loaders/query_model/query_model.hpp"

namespace kino {

/// How a condition reaches a cursor: a letter of the plan's text for each value.
enum class SliceCondition : char {
  id = 'i',
  parent = 'p',
  link = 'q',
  track = 't',
  start_least = 'g',  // ts >= or >
  start_most = 'l',   // ts <= or <
  start = 'e',
  end_least = 'h',  // ts_end >= or >
  end_most = 'm',
  name = 'n',
  name_list = 'N',  // IN
  name_like = 'k',
  name_glob = 'b',
  name_pattern = 'x',  // REGEXP
  name_id = 'd',
  category = 'c',
  category_list = 'C',
};

/// Conditions met by all rows of a cursor. Of times it holds more rows than asked for, at most those at the
/// edges, since SQLite looks again; of names and categories exactly those.
class EventFilter {
 public:
  explicit EventFilter(const QueryModel& model) : model_(&model) {}

  /// False when the value cannot be read: see failure.
  bool add(SliceCondition condition, sqlite3_value* value);

  bool nothing() const { return nothing_; }
  TimeRange starts() const { return starts_; }  ///< both ends are in it
  TimeRange ends() const { return ends_; }      ///< likewise
  std::uint32_t track() const { return track_; }
  EventNumber single() const { return single_; }
  EventNumber parent() const { return parent_; }
  EventNumber link() const { return link_; }
  bool passes(EventNumber event) const {
    return (names_.empty() || names_[index_of(model_->name(event))] != 0) &&
           (categories_.empty() || categories_[index_of(model_->category(event))] != 0);
  }
  bool passes_all() const { return names_.empty() && categories_.empty(); }

  static constexpr std::uint32_t kAnyTrack = 0xffffffffU;
  std::string failure;

 private:
  template <class Test>
  void keep(std::vector<std::uint8_t>& set, const StringTable& texts, Test&& test);
  void keep_texts(std::vector<std::uint8_t>& set, const StringTable& texts, sqlite3_value* value, bool list);
  bool keep_pattern(sqlite3_value* value);
  EventNumber event_of(sqlite3_value* value);
  void add_time(SliceCondition condition, sqlite3_value* value);

  const QueryModel* model_;
  bool nothing_ = false;
  TimeRange starts_{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  TimeRange ends_ = starts_;
  std::uint32_t track_ = kAnyTrack;
  EventNumber single_ = kNoEvent;
  EventNumber parent_ = kNoEvent;
  EventNumber link_ = kNoEvent;
  std::vector<std::uint8_t> names_;       // by NameId; empty: all
  std::vector<std::uint8_t> categories_;  // by CategoryId; empty: all
};

}  // namespace kino
