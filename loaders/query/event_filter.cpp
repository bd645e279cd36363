#include "loaders/query/event_filter.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
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

/// No category is the empty text, and is NULL in SQL, which equals nothing.
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
    failure = pattern.error().what;
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

void EventFilter::add_time(SliceCondition condition, sqlite3_value* value) {
  std::int64_t low = 0;
  std::int64_t high = 0;
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
      low = high = saturating_subtract(sqlite3_value_int64(value), model_->trace().origin_unix_ns);
      break;
    case SQLITE_FLOAT: {  // one of 2^63 and more is no time; a double of today's ns is 256 ns from the next
      const double number = sqlite3_value_double(value);
      if (!(std::abs(number) < 9.0e18)) return;
      low = saturating_subtract(static_cast<std::int64_t>(number), model_->trace().origin_unix_ns + 1);
      high = saturating_add(low, 2);
      break;
    }
    case SQLITE_NULL:
      nothing_ = true;
      return;
    default:
      return;  // SQLite's own comparison decides
  }
  switch (condition) {
    case SliceCondition::start_least:
      starts_.begin_ns = std::max(starts_.begin_ns, low);
      return;
    case SliceCondition::start_most:
      starts_.end_ns = std::min(starts_.end_ns, high);
      return;
    case SliceCondition::start:
      starts_ = {std::max(starts_.begin_ns, low), std::min(starts_.end_ns, high)};
      return;
    case SliceCondition::end_least:
      ends_.begin_ns = std::max(ends_.begin_ns, low);
      return;
    default:
      ends_.end_ns = std::min(ends_.end_ns, high);
      return;
  }
}

bool EventFilter::add(SliceCondition condition, sqlite3_value* value) {
  const StringTable& names = model_->trace().names;
  switch (condition) {
    case SliceCondition::id:
      single_ = event_of(value);
      return true;
    case SliceCondition::parent:
      parent_ = event_of(value);
      return true;
    case SliceCondition::link:
      link_ = event_of(value);
      return true;
    case SliceCondition::track: {
      const std::int64_t track = sqlite3_value_int64(value);
      nothing_ = nothing_ || sqlite3_value_type(value) == SQLITE_NULL || track < 0 || track >= kAnyTrack;
      if (!nothing_) track_ = static_cast<std::uint32_t>(track);
      return true;
    }
    case SliceCondition::name:
    case SliceCondition::name_list:
      keep_texts(names_, names, value, condition == SliceCondition::name_list);
      return true;
    case SliceCondition::category:
    case SliceCondition::category_list:
      keep_texts(categories_, model_->trace().categories, value, condition == SliceCondition::category_list);
      return true;
    case SliceCondition::name_id: {
      const std::int64_t wanted = sqlite3_value_int64(value);
      keep(names_, names, [&](std::uint32_t id) { return id == wanted; });
      return true;
    }
    case SliceCondition::name_like:
    case SliceCondition::name_glob: {
      nothing_ = nothing_ || sqlite3_value_type(value) == SQLITE_NULL;
      const std::string pattern(text_of(value));
      std::string name;  // SQLite wants its end marked
      keep(names_, names, [&](std::uint32_t id) {
        name = names[id];
        return condition == SliceCondition::name_like ? sqlite3_strlike(pattern.c_str(), name.c_str(), 0) == 0
                                                      : sqlite3_strglob(pattern.c_str(), name.c_str()) == 0;
      });
      return true;
    }
    case SliceCondition::name_pattern:
      return keep_pattern(value);
    default:
      add_time(condition, value);
      return true;
  }
}

}  // namespace kino
