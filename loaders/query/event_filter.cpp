#include "loaders/query/event_filter.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/base/name_pattern.hpp"
#include "core/base/saturating.hpp"
#include "loaders/query/virtual_table.hpp"

namespace kino {

template <class Test>
void EventFilter::keep(std::vector<std::uint8_t>& set, const StringTable& texts, Test&& test) {
  if (set.empty()) set.assign(texts.size(), 1);
  for (std::uint32_t i = 0; i < texts.size(); ++i) {
    if (set[i] != 0 && !test(i)) set[i] = 0;
  }
}

/// Keeps the texts that equal the value, or a value of the list. The empty category is NULL in SQL, which
/// equals nothing.
void EventFilter::keep_texts(std::vector<std::uint8_t>& set, const StringTable& texts, sqlite3_value* value,
                             bool list) {
  std::unordered_set<std::string> wanted;
  const auto want = [&](sqlite3_value* one) {
    if (sqlite3_value_type(one) != SQLITE_NULL && sqlite3_value_type(one) != SQLITE_BLOB)
      wanted.emplace(text_of(one));
  };
  if (list) {
    sqlite3_value* one = nullptr;
    for (int code = sqlite3_vtab_in_first(value, &one); code == SQLITE_OK && one != nullptr;
         code = sqlite3_vtab_in_next(value, &one))
      want(one);
  } else {
    want(value);
  }
  if (&set == &categories_) wanted.erase(std::string());
  std::string text;
  keep(set, texts, [&](std::uint32_t id) {
    text = texts[id];
    return wanted.contains(text);
  });
}

bool EventFilter::keep_pattern(sqlite3_value* value) {
  if (sqlite3_value_type(value) == SQLITE_NULL) {
    nothing_ = true;
    return true;
  }
  const Result<NamePattern> pattern = NamePattern::compile(text_of(value), LetterCase::exact);
  if (!pattern.ok()) {
    failure = pattern.error().what.str();
    return false;
  }
  const StringTable& names = model_->trace().names;
  keep(names_, names, [&](std::uint32_t id) { return pattern.value().found_in(names[id]); });
  return true;
}

EventNumber EventFilter::event_of(sqlite3_value* value) {
  const double number = sqlite3_value_double(value);
  const std::int64_t id = sqlite3_value_int64(value);
  if (sqlite3_value_type(value) == SQLITE_NULL || number != std::floor(number) || id < 0 ||
      id >= static_cast<std::int64_t>(model_->event_count())) {
    nothing_ = true;
    return kNoEvent;
  }
  return static_cast<EventNumber>(id);
}

void EventFilter::narrow(TimeRange& range, int comparison, sqlite3_value* value, std::int64_t origin) {
  enum { equal, least, above, most, below };
  constexpr double kBeyond = 9223372036854775808.0;  // 2^63: int64 values are below it, and not below -2^63
  std::int64_t low = 0;                              // smallest integer not below the value
  std::int64_t high = 0;                             // largest integer not above the value
  switch (sqlite3_value_numeric_type(value)) {
    case SQLITE_INTEGER:
      low = high = sqlite3_value_int64(value);
      break;
    case SQLITE_FLOAT: {
      const double number = sqlite3_value_double(value);
      if (!(number < kBeyond && number >= -kBeyond)) {
        const bool all = number > 0 ? comparison == most || comparison == below
                                    : comparison == least || comparison == above;
        nothing_ = nothing_ || !all;
        return;
      }
      high = static_cast<std::int64_t>(std::floor(number));
      low = static_cast<double>(high) == number ? high : saturating_add(high, 1);
      break;
    }
    case SQLITE_NULL:
      nothing_ = true;
      return;
    default:  // a text is greater than any number
      nothing_ = nothing_ || comparison == equal || comparison == least || comparison == above;
      return;
  }
  const bool whole = low == high;
  if (comparison == equal && !whole) nothing_ = true;
  if (comparison == above && whole) low = saturating_add(low, 1);
  if (comparison == below && whole) high = saturating_subtract(high, 1);
  if (comparison <= above) range.begin_ns = std::max(range.begin_ns, saturating_subtract(low, origin));
  if (comparison == equal || comparison >= most)
    range.end_ns = std::min(range.end_ns, saturating_subtract(high, origin));
}

void EventFilter::keep_track(sqlite3_value* value) {
  const std::int64_t track = sqlite3_value_int64(value);
  nothing_ = nothing_ || sqlite3_value_type(value) == SQLITE_NULL || track < 0 || track >= kAnyTrack;
  if (!nothing_) track_ = static_cast<std::uint32_t>(track);
}

void EventFilter::keep_like(SliceFilterKind condition, sqlite3_value* value) {
  nothing_ = nothing_ || sqlite3_value_type(value) == SQLITE_NULL;
  const StringTable& names = model_->trace().names;
  const std::string pattern(text_of(value));
  std::string name;  // SQLite needs a null-terminated string
  keep(names_, names, [&](std::uint32_t id) {
    name = names[id];
    return condition == SliceFilterKind::name_like ? sqlite3_strlike(pattern.c_str(), name.c_str(), 0) == 0
                                                   : sqlite3_strglob(pattern.c_str(), name.c_str()) == 0;
  });
}

bool EventFilter::add(SliceFilterKind condition, sqlite3_value* value) {
  const StringTable& names = model_->trace().names;
  switch (condition) {
    case SliceFilterKind::id:
      single_ = event_of(value);
      return true;
    case SliceFilterKind::parent:
      parent_ = event_of(value);
      return true;
    case SliceFilterKind::link:
      link_ = event_of(value);
      return true;
    case SliceFilterKind::track:
      keep_track(value);
      return true;
    case SliceFilterKind::name:
    case SliceFilterKind::name_list:
      keep_texts(names_, names, value, condition == SliceFilterKind::name_list);
      return true;
    case SliceFilterKind::category:
    case SliceFilterKind::category_list:
      keep_texts(categories_, model_->trace().categories, value, condition == SliceFilterKind::category_list);
      return true;
    case SliceFilterKind::name_id: {
      const std::int64_t requested = sqlite3_value_int64(value);
      keep(names_, names, [&](std::uint32_t id) { return id == requested; });
      return true;
    }
    case SliceFilterKind::name_like:
    case SliceFilterKind::name_glob:
      keep_like(condition, value);
      return true;
    case SliceFilterKind::name_pattern:
      return keep_pattern(value);
    default:
      break;
  }
  const auto is_of = [condition](SliceFilterKind first) {
    return static_cast<int>(condition) - static_cast<int>(first);
  };
  const std::int64_t origin = model_->trace().origin_unix_ns;
  constexpr int kLeast = 1;
  if (condition >= SliceFilterKind::duration) {
    by_duration_ = true;
    narrow(durations_, is_of(SliceFilterKind::duration), value, 0);
  } else if (condition >= SliceFilterKind::end_least) {
    narrow(ends_, kLeast + is_of(SliceFilterKind::end_least), value, origin);
  } else {
    narrow(starts_, is_of(SliceFilterKind::start), value, origin);
  }
  return true;
}

}  // namespace kino
