// Serializes types with listed members (core/trace/trace_members.hpp) to machine-specific bytes and back.
// Sizes precede elements; there is no padding. The input may be hostile: allocations are bounded by its size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/damage.hpp"
#include "core/base/huge_memory.hpp"
#include "core/base/string_table.hpp"
#include "core/trace/compact_text.hpp"
#include "core/trace/trace.hpp"
#include "core/trace/trace_members.hpp"

namespace kino {

template <class T>
struct IsColumn : std::false_type {};
template <class T>
struct IsColumn<Column<T>> : std::true_type {};
template <class T>
struct IsSequence : std::false_type {};
template <class T>
struct IsSequence<std::vector<T>> : std::true_type {};
template <class T>
struct IsSequence<std::deque<T>> : std::true_type {};
template <class T>
struct IsVariant : std::false_type {};
template <class... T>
struct IsVariant<std::variant<T...>> : std::true_type {};

/// Whether values of T are stored with the bytes that they have in memory.
template <class T>
inline constexpr bool kPlain = std::is_arithmetic_v<T> || std::is_enum_v<T> ||
                               (std::is_trivially_copyable_v<T> &&
                                std::has_unique_object_representations_v<T>);
/// Whether a vector of T is copied as one block.
template <class T>
inline constexpr bool kPlainVector = false;
template <class T>
inline constexpr bool kPlainVector<std::vector<T>> = kPlain<T> && !std::is_same_v<T, bool>;

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

constexpr std::uint64_t mixed_layout(std::uint64_t seed, std::uint64_t value) {
  return (seed ^ value) * 0x9E3779B97F4A7C15ULL + (seed >> 29);
}

/// Returns a hash of the sizes and order of all members, recursively. For a variant, covers only the number
/// of alternatives.
template <class T>
constexpr std::uint64_t layout_of(std::uint64_t seed);

template <class... T>
constexpr std::uint64_t layout_of_all(std::uint64_t seed, std::type_identity<std::tuple<T&...>> /*members*/) {
  ((seed = layout_of<T>(seed)), ...);
  return seed;
}

template <class T>
constexpr std::uint64_t layout_of(std::uint64_t seed) {
  if constexpr (HasMembers<T>) {
    return layout_of_all(mixed_layout(seed, 1),
                         std::type_identity<decltype(members_of(std::declval<T&>()))>());
  } else if constexpr (IsColumn<T>::value) {
    return mixed_layout(mixed_layout(seed, 2), sizeof(std::declval<T>()[0]));
  } else if constexpr (IsSequence<T>::value) {
    return layout_of<typename T::value_type>(mixed_layout(seed, 3));
  } else if constexpr (IsVariant<T>::value) {
    return mixed_layout(mixed_layout(seed, 5), std::variant_size_v<T>);
  } else {
    return mixed_layout(mixed_layout(seed, 4), sizeof(T));
  }
}

/// Base class of writers. `Self` is the derived class, which may overload put().
template <class Self>
class MemberWriter {
 public:
  template <class T>
  void put(const T& value) {
    if constexpr (HasMembers<T>) {
      self().put_members(value);
    } else if constexpr (IsSequence<T>::value) {
      self().put(std::uint64_t{value.size()});
      if constexpr (kPlainVector<T>) {
        bytes_.append(reinterpret_cast<const char*>(value.data()),
                      value.size() * sizeof(typename T::value_type));
      } else {
        for (const auto& element : value) self().put(element);
      }
    } else if constexpr (IsVariant<T>::value) {
      self().put(static_cast<std::uint8_t>(value.index()));
      std::visit([this](const auto& held) { self().put(held); }, value);
    } else {
      static_assert(kPlain<T>, "list its members as core/trace/trace_members.hpp does");
      bytes_ += bytes_of(value);
    }
  }
  /// Writes all members in order, without names.
  template <HasMembers T>
  void put_members(const T& value) {
    std::apply([this](const auto&... member) { (self().put(member), ...); }, members_of(value));
  }
  void put(const std::string& text) {
    self().put(std::uint64_t{text.size()});
    bytes_ += text;
  }
  void put(const CompactText& text) { put(text.str()); }
  void put(const StringTable& table) {
    self().put(table.size());
    for (const std::string_view text : table) self().put(std::uint64_t{text.size()});
    for (const std::string_view text : table) bytes_ += text;
  }
  void put(const DamageLog& log) { self().put(log.entries()); }

  const std::string& bytes() const { return bytes_; }

 private:
  friend Self;
  MemberWriter() = default;
  Self& self() { return static_cast<Self&>(*this); }

  std::string bytes_;
};

/// Reads the output of a MemberWriter. After an error, good() is false and values are unspecified. The caller
/// validates enums and indices.
template <class Self>
class MemberReader {
 public:
  template <class T>
  void get(T& value) {
    if (!good_) return;
    if constexpr (HasMembers<T>) {
      self().get_members(value);
    } else if constexpr (IsSequence<T>::value) {
      get_sequence(value);
    } else if constexpr (IsVariant<T>::value) {
      get_variant(value, std::make_index_sequence<std::variant_size_v<T>>());
    } else if constexpr (std::is_same_v<T, bool>) {
      const std::string_view byte = take(1);
      require(good_ && static_cast<unsigned char>(byte[0]) <= 1);
      if (good_) value = byte[0] != 0;
    } else {
      static_assert(kPlain<T>, "list its members as core/trace/trace_members.hpp does");
      const std::string_view bytes = take(sizeof value);
      if (good_) std::memcpy(&value, bytes.data(), sizeof value);
    }
  }
  template <HasMembers T>
  void get_members(T& value) {
    std::apply([this](auto&... member) { (self().get(member), ...); }, members_of(value));
  }
  void get(std::string& text) { text = take(get_count(1)); }
  void get(CompactText& text) { text = take(get_count(1)); }
  void get(StringTable& table) {
    std::uint32_t count = 0;
    get(count);
    const std::string_view sizes = take(count * sizeof(std::uint64_t));
    for (std::uint32_t i = 0; i < count && good_; ++i) {
      std::uint64_t size = 0;
      std::memcpy(&size, sizes.data() + i * sizeof size, sizeof size);
      const std::string_view text = take(size);
      require(good_ && table.intern(text) == i);  // duplicates are invalid: they would get one index
    }
  }
  void get(DamageLog& log) {
    std::vector<Damage> entries;
    get(entries);
    for (const Damage& entry : entries) {
      require(static_cast<int>(entry.reason) < kDamageReasonCount && entry.count > 0);
      if (good_) log.add(entry.reason, entry.first_offset, entry.sample, entry.count);
    }
    require(log.entries().size() == entries.size());
  }

  bool good() const { return good_; }
  /// Returns whether everything was read and is valid.
  bool complete() const { return good_ && rest_.empty(); }

 private:
  friend Self;
  explicit MemberReader(std::string_view bytes) : rest_(bytes) {}
  Self& self() { return static_cast<Self&>(*this); }
  void require(bool fits) { good_ = good_ && fits; }

  std::string_view take(std::uint64_t size) {
    if (!good_ || size > rest_.size()) {
      good_ = false;
      return {};
    }
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  /// Reads a number of elements that take at least `least_bytes` each.
  std::uint64_t get_count(std::uint64_t least_bytes) {
    std::uint64_t count = 0;
    get(count);
    require(count <= rest_.size() / least_bytes);
    return good_ ? count : 0;
  }

  template <class T>
  void get_sequence(T& values) {
    using Element = typename T::value_type;
    const std::uint64_t count = get_count(kPlain<Element> ? sizeof(Element) : 1);
    if constexpr (kPlainVector<T>) {
      const std::string_view bytes = take(count * sizeof(Element));
      if (!good_) return;
      values.resize(count);
      if (count > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
    } else {
      for (std::uint64_t i = 0; i < count && good_; ++i) self().get(values.emplace_back());
    }
  }

  template <class T, std::size_t... kIndex>
  void get_variant(T& value, std::index_sequence<kIndex...> /*all*/) {
    std::uint8_t held = 0;
    get(held);
    require(held < sizeof...(kIndex));
    ((good_ && held == kIndex ? self().get(value.template emplace<kIndex>()) : void()), ...);
  }

  std::string_view rest_;
  bool good_ = true;
};

}  // namespace kino
