// Filters of a query on events, so that SQLite receives only rows that may pass.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <sqlite3.h>

#include "loaders/query/model/query_model.hpp"

namespace kino {

/// Kinds of filters. The text of a plan has one letter per value to filter by.
enum class SliceFilterKind : char {
  id = 'i',
  parent = 'p',
  link = 'q',
  track = 't',
  // Comparisons (=, >=, >, <=, <) of a time or duration of the event.
  start = '0',
  start_least,
  start_above,
  start_most,
  start_below,
  end_least = '6',
  end_above,
  duration = ':',
  duration_least,
  duration_above,
  duration_most,
  duration_below,
  name = 'n',
  name_list = 'N',  // IN
  name_like = 'k',
  name_glob = 'b',
  name_pattern = 'x',  // REGEXP
  name_id = 'd',
  category = 'c',
  category_list = 'C',
};

/// Filters that a cursor applies itself. They must match SQLite's comparisons of times, durations, names and
/// categories exactly.
class EventFilter {
 public:
  explicit EventFilter(const QueryModel& model) : model_(&model) {}

  /// Adds a filter. If the value is not readable, returns false, and `failure` contains the reason.
  bool add(SliceFilterKind condition, sqlite3_value* value);

  bool nothing() const { return nothing_; }
  TimeRange starts() const { return starts_; }  ///< both ends are included
  TimeRange ends() const { return ends_; }      ///< both ends are included
  std::uint32_t track() const { return track_; }
  EventNumber single() const { return single_; }
  EventNumber parent() const { return parent_; }
  EventNumber link() const { return link_; }
  /// Returns whether the event passes all filters except those on id, parent, link, track and times.
  bool passes(EventNumber event) const {
    return (names_.empty() || names_[index_of(model_->name(event))] != 0) &&
           (categories_.empty() || categories_[index_of(model_->category(event))] != 0) &&
           (!by_duration_ || holds(durations_, model_->duration_ns(event)));
  }
  bool passes_all() const { return names_.empty() && categories_.empty() && !by_duration_; }
  bool has_times() const { return !(starts_ == kAlways && ends_ == kAlways); }
  bool in_times(EventNumber event) const {
    return holds(starts_, model_->start_ns(event)) && holds(ends_, model_->end_ns(event));
  }

  static constexpr std::uint32_t kAnyTrack = 0xffffffffU;
  std::string failure;

 private:
  template <class Test>
  void keep(std::vector<std::uint8_t>& set, const StringTable& texts, Test&& test);
  void keep_texts(std::vector<std::uint8_t>& set, const StringTable& texts, sqlite3_value* value, bool list);
  void keep_track(sqlite3_value* value);
  /// Applies LIKE or GLOB.
  void keep_like(SliceFilterKind condition, sqlite3_value* value);
  bool keep_pattern(sqlite3_value* value);
  EventNumber event_of(sqlite3_value* value);
  /// Narrows `range` to the numbers that satisfy the comparison with value - origin.
  void narrow(TimeRange& range, int comparison, sqlite3_value* value, std::int64_t origin);
  static bool holds(const TimeRange& range, std::int64_t number) {
    return range.begin_ns <= number && number <= range.end_ns;
  }

  const QueryModel* model_;
  bool nothing_ = false;
  static constexpr TimeRange kAlways{std::numeric_limits<std::int64_t>::min(),
                                     std::numeric_limits<std::int64_t>::max()};
  TimeRange starts_ = kAlways;
  TimeRange ends_ = kAlways;
  TimeRange durations_ = kAlways;
  bool by_duration_ = false;
  std::uint32_t track_ = kAnyTrack;
  EventNumber single_ = kNoEvent;
  EventNumber parent_ = kNoEvent;
  EventNumber link_ = kNoEvent;
  std::vector<std::uint8_t> names_;       // by NameId; empty: all
  std::vector<std::uint8_t> categories_;  // by CategoryId; empty: all
};

}  // namespace kino
