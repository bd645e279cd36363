// A string in 8 bytes, for types with hundreds of thousands of instances.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace kino {

/// A text that owns its bytes and cannot be edited, only replaced. Takes 8 bytes and, unless it is empty, one
/// allocation of 4 bytes and the text. Texts of 4 GiB and more are truncated.
class CompactText {
 public:
  CompactText() = default;
  CompactText(std::string_view text);  // NOLINT(google-explicit-constructor): it is a text
  CompactText(const std::string& text) : CompactText(std::string_view(text)) {}  // NOLINT: it is a text
  CompactText(const char* text) : CompactText(std::string_view(text)) {}         // NOLINT: it is a text
  CompactText(const CompactText& other) : CompactText(other.view()) {}
  CompactText(CompactText&&) noexcept = default;
  CompactText& operator=(const CompactText& other) { return *this = CompactText(other.view()); }
  CompactText& operator=(CompactText&&) noexcept = default;
  ~CompactText() = default;

  std::string_view view() const;
  operator std::string_view() const { return view(); }  // NOLINT(google-explicit-constructor): it is a text
  std::string str() const { return std::string(view()); }
  bool empty() const { return bytes_ == nullptr; }
  std::size_t size() const { return view().size(); }

  friend bool operator==(const CompactText& a, const CompactText& b) { return a.view() == b.view(); }
  template <class Text>
  friend bool operator==(const CompactText& a, const Text& b) {
    return a.view() == std::string_view(b);
  }

 private:
  std::unique_ptr<char[]> bytes_;  // size of the text in 4 bytes, then the text; null: empty
};

std::ostream& operator<<(std::ostream& out, const CompactText& text);
inline std::string operator+(const CompactText& a, std::string_view b) { return a.str().append(b); }
inline std::string operator+(std::string a, const CompactText& b) { return std::move(a.append(b.view())); }

}  // namespace kino
