#include "loaders/query/query_clock.hpp"

#include <algorithm>
#include <utility>

#include <sqlite3.h>

namespace kino {

QueryClock::QueryClock(const QueryLimits& limits, std::stop_token stop)
    : limits_(limits),
      stop_(std::move(stop)),
      deadline_(std::chrono::steady_clock::now() + std::chrono::microseconds(static_cast<std::int64_t>(
                                                       std::clamp(limits.seconds, 0.0, 1e9) * 1e6))),
      memory_at_begin_(sqlite3_memory_used()) {}

bool QueryClock::over() {
  if (end_ != End::none) return true;
  const std::int64_t used = sqlite3_memory_used() - memory_at_begin_ + held_bytes_;
  if (stop_.stop_requested()) {
    end_ = End::stopped;
  } else if (used > 0 && static_cast<std::uint64_t>(used) > limits_.memory_bytes) {
    end_ = End::memory;
  } else if (std::chrono::steady_clock::now() >= deadline_) {
    end_ = End::time;
  }
  return end_ != End::none;
}

std::string QueryClock::sentence() const {
  switch (end_) {
    case End::none:
      return {};
    case End::stopped:
      return "The query was cancelled";
    case End::time: {
      std::string seconds = std::to_string(limits_.seconds);
      seconds.erase(seconds.find_last_not_of('0') + 1);
      if (seconds.back() == '.') seconds.pop_back();
      return "The query took longer than the limit of " + seconds + " s (--timeout)";
    }
    case End::memory:
      return "The query needs more memory than the limit of " +
             text_from_bytes(static_cast<double>(limits_.memory_bytes), limits_.units) + " (--memory)";
  }
  return {};
}

}  // namespace kino
