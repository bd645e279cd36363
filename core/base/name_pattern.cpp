#include "core/base/name_pattern.hpp"

#include <algorithm>
#include <bit>
#include <bitset>
#include <charconv>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "core/base/ascii.hpp"

namespace kino {
namespace {

using Bytes = std::bitset<256>;

unsigned byte_of(char c) { return static_cast<unsigned char>(c); }

void add_range(Bytes& bytes, unsigned low, unsigned high) {
  for (unsigned c = low; c <= high; ++c) bytes.set(c);
}

/// Returns the bytes of \d, \w, \s and their complements; nullopt for any other letter.
std::optional<Bytes> class_of_escape(char letter) {
  Bytes bytes;
  switch (lower(letter)) {
    case 'd':
      add_range(bytes, '0', '9');
      break;
    case 'w':
      add_range(bytes, '0', '9');
      add_range(bytes, 'a', 'z');
      add_range(bytes, 'A', 'Z');
      bytes.set('_');
      break;
    case 's':
      for (const char c : std::string_view(" \t\n\r\f\v")) bytes.set(byte_of(c));
      break;
    default:
      return std::nullopt;
  }
  return letter < 'a' ? ~bytes : bytes;
}

void fold_case(Bytes& bytes) {
  for (unsigned c = 'a'; c <= 'z'; ++c) {
    const unsigned upper = c - 'a' + 'A';
    const bool either = bytes[c] || bytes[upper];
    bytes.set(c, either);
    bytes.set(upper, either);
  }
}

bool is_alphanumeric(char c) { return is_digit(c) || is_letter(c); }

}  // namespace

/// Recursive descent parser. For each part, the parser computes the positions where the part can start and
/// end, and whether the part can be empty.
class NamePatternParser {
 public:
  NamePatternParser(std::string_view text, LetterCase letters) : text_(text), letters_(letters) {}

  Result<NamePattern> run() {
    const Part all = alternatives(0);
    if (at_ < text_.size()) fail(msg::has_unmatched_parenthesis);
    if (!problem_.empty())
      return Error{Error::Kind::unknown_format, Message(msg::the_regular_expression, problem_)};
    pattern_.first_ = all.first;
    pattern_.last_ = all.last;
    pattern_.matches_empty_ = all.empty;
    return pattern_;
  }

 private:
  static constexpr int kMaxAtoms = 4096;

  struct Part {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    bool empty = true;
  };

  struct Repeat {
    unsigned least = 1;
    unsigned most = 1;
    bool endless = false;
  };

  Part fail(Message what) {
    if (problem_.empty()) problem_ = std::move(what);
    at_ = text_.size();
    return {};
  }

  bool take(char wanted) {
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  Part alternatives(int depth) {
    if (depth > NamePattern::kMaxDepth) return fail(msg::has_groups_too_deep);
    Part all = sequence(depth);
    while (take('|')) {
      const Part next = sequence(depth);
      all = {all.first | next.first, all.last | next.last, all.empty || next.empty};
    }
    return all;
  }

  Part sequence(int depth) {
    Part all;
    while (at_ < text_.size() && text_[at_] != '|' && text_[at_] != ')') all = joined(all, repeated(depth));
    return all;
  }

  Part joined(const Part& a, const Part& b) {
    follow(a.last, b.first);
    return {a.first | (a.empty ? b.first : 0), b.last | (b.empty ? a.last : 0), a.empty && b.empty};
  }

  void follow(std::uint64_t from, std::uint64_t to) {
    for (; from != 0; from &= from - 1) {
      pattern_.following_[static_cast<std::size_t>(std::countr_zero(from))] |= to;
    }
  }

  /// Parses an atom with its repetition. For {m,n}, the text of the atom is parsed again for every copy.
  Part repeated(int depth) {
    const std::size_t atom_begin = at_;
    Part one = atom(depth);
    const Repeat repeat = read_repeat();
    take('?');  // a lazy form finds the same texts
    if (at_ < text_.size() && (text_[at_] == '*' || text_[at_] == '+'))
      return fail(msg::repeats_a_quantifier);
    const std::size_t end = at_;
    Part all;
    for (unsigned copy = 0; copy < std::max(1U, repeat.endless ? repeat.least : repeat.most); ++copy) {
      if (copy > 0) {
        at_ = atom_begin;
        one = atom(depth);
        if (!problem_.empty()) return {};
      }
      const bool last_copy = copy + 1 >= std::max(1U, repeat.least);
      if (repeat.endless && last_copy) follow(one.last, one.first);
      if (copy >= repeat.least) one.empty = true;
      all = joined(all, one);
    }
    at_ = problem_.empty() ? end : text_.size();
    if (!repeat.endless && repeat.most == 0) return {};
    return all;
  }

  Repeat read_repeat() {
    if (take('?')) return {0, 1, false};
    if (take('*')) return {0, 1, true};
    if (take('+')) return {1, 1, true};
    if (at_ + 1 >= text_.size() || text_[at_] != '{' || text_[at_ + 1] < '0' || text_[at_ + 1] > '9')
      return {};
    ++at_;
    Repeat repeat;
    repeat.least = repeat.most = read_count();
    if (take(',')) {
      repeat.endless = at_ < text_.size() && text_[at_] == '}';
      if (!repeat.endless) repeat.most = read_count();
    }
    if (!take('}') || repeat.most < repeat.least) fail(msg::has_invalid_quantifier);
    return repeat;
  }

  unsigned read_count() {
    unsigned count = 0;
    const char* const end = text_.data() + text_.size();
    const auto [stopped, error] = std::from_chars(text_.data() + at_, end, count);
    if (error != std::errc{} || count > static_cast<unsigned>(NamePattern::kMaxPositions)) {
      fail(msg::has_invalid_quantifier);
      return 0;
    }
    at_ = static_cast<std::size_t>(stopped - text_.data());
    return count;
  }

  Part atom(int depth) {
    // Nested repetitions multiply the number of atoms, even if the atoms are empty.
    if (++atoms_ > kMaxAtoms) return fail(msg::has_too_many_repetitions);
    const char c = text_[at_++];
    switch (c) {
      case '(':
        return group(depth);
      case '[':
        return bracket();
      case '.':
        return position(~Bytes{});
      case '^':
        return symbol(NamePattern::kTextBegin);
      case '$':
        return symbol(NamePattern::kTextEnd);
      case '*':
      case '+':
      case '?':
        return fail(msg::has_nothing_to_repeat);
      case '\\':
        return escape();
      default:
        return literal(c);
    }
  }

  Part group(int depth) {
    if (take('?') && !take(':')) return fail(msg::has_unsupported_group);
    const Part inside = alternatives(depth + 1);
    if (!take(')')) return fail(msg::is_missing_parenthesis);
    return inside;
  }

  /// Returns the part for a literal. A character beyond ASCII has several bytes, which are repeated together.
  Part literal(char c) {
    Bytes bytes;
    Part all = position(bytes.set(byte_of(c)));
    while (byte_of(c) >= 0xC0 && at_ < text_.size() && continues_character(text_[at_])) {
      Bytes next;
      all = joined(all, position(next.set(byte_of(text_[at_++]))));
    }
    return all;
  }

  Part escape() {
    if (at_ == text_.size()) return fail(msg::ends_with_single_backslash);
    const std::optional<Bytes> bytes = escaped_bytes();
    return bytes ? position(*bytes) : Part{};
  }

  /// Returns the bytes that an escape matches. If the escape is not supported, calls fail() and returns
  /// nullopt.
  std::optional<Bytes> escaped_bytes() {
    const char c = text_[at_++];
    if (auto bytes = class_of_escape(c)) return bytes;
    Bytes bytes;
    if (c == 't' || c == 'n') return bytes.set(c == 't' ? '\t' : '\n');
    if (!is_alphanumeric(c)) return bytes.set(byte_of(c));
    fail({msg::has_which_is_not_supported, std::string{'\\', c}});
    return std::nullopt;
  }

  Part bracket() {
    const bool complement = take('^');
    Bytes bytes;
    for (bool first = true; at_ < text_.size() && (first || text_[at_] != ']'); first = false) {
      const unsigned low = byte_of(text_[at_++]);
      if (low == '\\' && at_ < text_.size()) {
        const std::optional<Bytes> escaped = escaped_bytes();
        if (!escaped) return {};
        bytes |= *escaped;
      } else if (at_ + 1 < text_.size() && text_[at_] == '-' && text_[at_ + 1] != ']') {
        const unsigned high = byte_of(text_[at_ + 1]);
        if (high < low) return fail(msg::has_reversed_range);
        add_range(bytes, low, high);
        at_ += 2;
      } else {
        bytes.set(low);
      }
    }
    if (!take(']')) return fail(msg::is_missing_bracket);
    if (letters_ == LetterCase::either) fold_case(bytes);
    return position(complement ? ~bytes : bytes);
  }

  Part position(Bytes bytes) {
    if (letters_ == LetterCase::either) fold_case(bytes);
    const std::uint64_t bit = next_bit();
    for (std::size_t c = 0; c < bytes.size(); ++c) {
      if (bytes[c]) pattern_.accepting_[c] |= bit;
    }
    return {bit, bit, false};
  }

  Part symbol(std::size_t what) {
    const std::uint64_t bit = next_bit();
    pattern_.accepting_[what] |= bit;
    return {bit, bit, false};
  }

  std::uint64_t next_bit() {
    if (positions_ == NamePattern::kMaxPositions) {
      fail(msg::is_too_long);
      return 0;
    }
    return std::uint64_t{1} << positions_++;
  }

  std::string_view text_;
  LetterCase letters_;
  std::size_t at_ = 0;
  Message problem_;
  int positions_ = 0;
  int atoms_ = 0;
  NamePattern pattern_;
};

Result<NamePattern> NamePattern::compile(std::string_view pattern, LetterCase letters) {
  return NamePatternParser(pattern, letters).run();
}

std::uint64_t NamePattern::reached(std::uint64_t active) const {
  std::uint64_t next = first_;
  for (std::uint64_t rest = active; rest != 0; rest &= rest - 1)
    next |= following_[static_cast<std::size_t>(std::countr_zero(rest))];
  return next;
}

bool NamePattern::stand_at(std::uint64_t& active, std::uint64_t holding) const {
  for (;;) {
    const std::uint64_t next = reached(active) & holding;
    if ((next & last_) != 0) return true;
    if ((next & ~active) == 0) return false;
    active |= next;
  }
}

bool NamePattern::found_in(std::string_view text) const {
  if (matches_empty_) return true;
  const std::uint64_t at_begin = accepting_[kTextBegin];
  const std::uint64_t at_end = accepting_[kTextEnd];
  std::uint64_t active = 0;
  if (stand_at(active, text.empty() ? at_begin | at_end : at_begin)) return true;
  for (const char c : text) {
    active = reached(active) & accepting_[byte_of(c)];
    if ((active & last_) != 0) return true;
  }
  return stand_at(active, at_end);
}

}  // namespace kino
