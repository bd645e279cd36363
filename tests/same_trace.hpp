// Whether two Traces are the same, member by member and byte for byte, and if not, the first place that
// differs.
#pragma once

#include <cstring>
#include <string>
#include <tuple>
#include <utility>

#include "core/trace_members.hpp"

namespace kino_test {

template <class T>
std::string difference(const T& a, const T& b, const std::string& where);
template <class T>
std::string difference(const kino::Column<T>& a, const kino::Column<T>& b, const std::string& where);
template <class T>
std::string difference(const std::vector<T>& a, const std::vector<T>& b, const std::string& where);
inline std::string difference(const kino::StringTable& a, const kino::StringTable& b,
                              const std::string& where);
inline std::string difference(const kino::DamageLog& a, const kino::DamageLog& b, const std::string& where);

template <class T, std::size_t... I>
std::string member_difference(const T& a, const T& b, const std::string& where,
                              std::index_sequence<I...> /*members*/) {
  std::string found;
  const auto of_a = kino::members_of(a);
  const auto of_b = kino::members_of(b);
  ((found = found.empty() ? difference(std::get<I>(of_a), std::get<I>(of_b), where + "." + std::to_string(I))
                          : found),
   ...);
  return found;
}

template <class T>
std::string difference(const kino::Column<T>& a, const kino::Column<T>& b, const std::string& where) {
  const bool same =
      a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
  return same ? "" : where;
}

template <class T>
std::string difference(const std::vector<T>& a, const std::vector<T>& b, const std::string& where) {
  if (a.size() != b.size()) return where + " size";
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::string found = difference(a[i], b[i], where + "[" + std::to_string(i) + "]");
    if (!found.empty()) return found;
  }
  return "";
}

inline std::string difference(const kino::StringTable& a, const kino::StringTable& b,
                              const std::string& where) {
  if (a.size() != b.size()) return where + " size";
  for (std::uint32_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] || b.find(a[i]) != i) return where + "[" + std::to_string(i) + "]";
  }
  return "";
}

inline std::string difference(const kino::DamageLog& a, const kino::DamageLog& b, const std::string& where) {
  return difference(a.entries(), b.entries(), where);
}

template <class T>
std::string difference(const T& a, const T& b, const std::string& where) {
  if constexpr (kino::HasMembers<T>) {
    return member_difference(a, b, where,
                             std::make_index_sequence<std::tuple_size_v<decltype(kino::members_of(a))>>());
  } else if constexpr (std::is_trivially_copyable_v<T>) {
    return std::memcmp(&a, &b, sizeof a) == 0 ? "" : where;
  } else {
    return a == b ? "" : where;
  }
}

/// Empty when they are the same; else the numbers of the members, as kino::members_of() counts them.
inline std::string difference(const kino::Trace& a, const kino::Trace& b) {
  return difference(a, b, "trace");
}

}  // namespace kino_test
