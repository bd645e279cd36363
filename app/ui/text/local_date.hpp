// Dates in local time.
#pragma once

#include <cstdint>
#include <string>

namespace kino {

/// Returns a Unix time in local time, such as "2026-11-28 14:05"; empty if the year is out of range.
std::string local_date(std::int64_t unix_s);

}  // namespace kino
