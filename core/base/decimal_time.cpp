// Conversion of decimal text to ns.
#include <algorithm>
#include <limits>

#include "core/base/ascii.hpp"
#include "core/base/saturating.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr std::uint64_t kLargestWhole =
    static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / 1000;

/// Converts a number of microseconds in scientific notation to ns: moves the decimal point, then calls the
/// plain parser. nullopt if the number is malformed or does not fit, or if the exponent is below -60 or above
/// 60.
std::optional<std::int64_t> ns_from_scientific(std::string_view mantissa, std::string_view exponent_text) {
  bool negative_exponent = false;
  if (!exponent_text.empty() && (exponent_text[0] == '+' || exponent_text[0] == '-')) {
    negative_exponent = exponent_text[0] == '-';
    exponent_text.remove_prefix(1);
  }
  if (exponent_text.empty() || exponent_text.size() > 3) return std::nullopt;
  int exponent = 0;
  for (const char c : exponent_text) {
    if (!is_digit(c)) return std::nullopt;
    exponent = exponent * 10 + (c - '0');
  }
  if (exponent > 60) return std::nullopt;
  std::string digits;
  bool negative = false;
  std::size_t point = std::string::npos;
  for (const char c : mantissa) {
    if (c == '-' && digits.empty() && !negative) {
      negative = true;
    } else if (c == '+' && digits.empty()) {
      continue;
    } else if (c == '.' && point == std::string::npos) {
      point = digits.size();
    } else if (is_digit(c)) {
      digits += c;
    } else {
      return std::nullopt;
    }
  }
  if (digits.empty()) return std::nullopt;
  if (point == std::string::npos) point = digits.size();
  const auto shift = static_cast<std::size_t>(exponent);
  if (negative_exponent) {
    digits.insert(0, shift, '0');
  } else {
    point += shift;
    if (digits.size() < point) digits.append(point - digits.size(), '0');
  }
  return ns_from_decimal_us((negative ? "-" : "") + digits.substr(0, point) + "." + digits.substr(point));
}

/// Returns the difference in ps between a plain positive number of us and its rounded ns. nullopt if the
/// number is negative, has an exponent, or has no digits beyond ns.
std::optional<std::int64_t> ps_beyond_ns(std::string_view text) {
  const std::size_t point = text.find('.');
  constexpr std::size_t kDigits = 3;
  if (point == std::string_view::npos || text.size() - point <= kDigits + 1) return std::nullopt;
  if (text.find_first_of("-eE") != std::string_view::npos) return std::nullopt;
  const std::string_view digits = text.substr(point + 1);
  std::int64_t ps = 0;
  for (std::size_t i = kDigits; i < 2 * kDigits; ++i)
    ps = ps * 10 + (i < digits.size() ? digits[i] - '0' : 0);
  if (digits.size() > 2 * kDigits && digits[2 * kDigits] >= '5') ++ps;
  return digits[kDigits] >= '5' ? ps - 1000 : ps;
}

}  // namespace

std::optional<std::int64_t> duration_ns_from_decimal_us(std::string_view duration, std::string_view start) {
  const std::optional<std::int64_t> ns = ns_from_decimal_us(duration);
  const std::optional<std::int64_t> duration_ps = ns ? ps_beyond_ns(duration) : std::nullopt;
  const std::optional<std::int64_t> start_ps = duration_ps ? ps_beyond_ns(start) : std::nullopt;
  if (!start_ps) return ns;
  // A difference of half a nanosecond is rounded down, because floating-point noise may move the next start
  // down as well.
  const std::int64_t end_ps = *duration_ps + *start_ps;
  const std::int64_t more_ns = end_ps > 500 ? 1 : end_ps > -500 ? 0 : -1;
  return std::max<std::int64_t>(0, saturating_add(*ns, more_ns));
}

std::optional<std::int64_t> ns_from_decimal_us(std::string_view text) {
  const auto scientific = [&](std::size_t e) {
    return ns_from_scientific(text.substr(0, e), text.substr(e + 1));
  };
  const char* at = text.data();
  const char* const end = at + text.size();
  bool negative = false;
  if (at != end && (*at == '-' || *at == '+')) negative = *at++ == '-';
  const char* const whole_begin = at;
  std::uint64_t whole = 0;
  while (at != end && is_digit(*at)) {
    if (whole > kLargestWhole) {  // only an exponent can make it fit
      const std::size_t e = text.find_first_of("eE");
      return e == std::string_view::npos ? std::nullopt : scientific(e);
    }
    whole = whole * 10 + static_cast<std::uint64_t>(*at++ - '0');
  }
  bool any_digit = at != whole_begin;
  std::uint64_t fraction = 0;
  if (at != end && *at == '.') {
    ++at;
    // Kineto prints the integer part and the remainder of a negative time separately: -1500 ns is "-1.-500".
    if (at != end && *at == '-') {
      negative = true;
      ++at;
    }
    int digits = 0;
    bool round_up = false;
    while (at != end && is_digit(*at)) {
      if (digits < 3) {
        fraction = fraction * 10 + static_cast<std::uint64_t>(*at - '0');
      } else if (digits == 3) {
        round_up = *at >= '5';
      }
      ++digits;
      ++at;
    }
    any_digit = any_digit || digits > 0;
    for (int i = digits; i < 3; ++i) fraction *= 10;
    if (round_up) ++fraction;
  }
  if (!any_digit) return std::nullopt;
  if (at != end) {
    if (*at != 'e' && *at != 'E') return std::nullopt;
    return scientific(static_cast<std::size_t>(at - text.data()));
  }
  if (whole > kLargestWhole || (whole == kLargestWhole && fraction > 807)) return std::nullopt;
  const auto ns = static_cast<std::int64_t>(whole * 1000 + fraction);
  return negative ? -ns : ns;
}

}  // namespace kino
