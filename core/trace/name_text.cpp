#include "core/trace/name_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/base/ascii.hpp"

namespace kino {
namespace {

constexpr auto kNone = std::string_view::npos;

bool is_word(char c) { return is_digit(c) || is_letter(c) || c == '_' || c == '$'; }

/// Returns a Python frame without folder and line: "path/file.py(12): call" -> "file.py: call"; empty for
/// other formats.
std::string python_frame(std::string_view name) {
  const std::size_t close = name.find("): ");
  if (close == kNone || close + 3 >= name.size()) return {};
  std::size_t open = close;
  while (open > 0 && is_digit(name[open - 1])) --open;
  if (open == close || open < 2 || name[open - 1] != '(') return {};
  std::string_view file = name.substr(0, open - 1);
  const std::size_t slash = file.find_last_of("/\\");
  if (slash != kNone && slash + 1 < file.size()) file.remove_prefix(slash + 1);
  return std::string(file) + ": " + std::string(name.substr(close + 3));
}

/// Returns the name of a built-in function: "<built-in method mm of type object at 0x7f>" -> "mm"; empty for
/// other formats.
std::string_view python_builtin(std::string_view name) {
  for (const std::string_view prefix : {"<built-in method ", "<built-in function "}) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    return name.substr(0, std::min({name.find(" of "), name.find('>'), name.size()}));
  }
  return {};
}

/// Returns a trimmed name without the prefixes of modules and autograd wrappers, which may be repeated.
std::string_view without_wrappers(std::string_view name) {
  constexpr std::array<std::string_view, 2> kPrefixes{"nn.Module: ", "autograd::engine::evaluate_function: "};
  for (;;) {
    const auto prefix = std::find_if(kPrefixes.begin(), kPrefixes.end(), [&](std::string_view wrapper) {
      return name.size() > wrapper.size() && name.starts_with(wrapper);
    });
    if (prefix == kPrefixes.end()) return name;
    name = trimmed(name.substr(prefix->size()));
  }
}

/// Returns the index of the opening bracket that the bracket at index `close` closes; kNone if there is none.
std::size_t opening_of(std::string_view text, std::size_t close, char open_bracket, char close_bracket) {
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (close_bracket == '>' && text[i] == '>' && i > 0 && text[i - 1] == '-') {
      --i;  // an arrow, not a bracket
      continue;
    }
    if (text[i] == close_bracket) ++depth;
    if (text[i] == open_bracket && --depth == 0) return i;
  }
  return kNone;
}

/// Whether a name is meaningless without its context.
bool is_generic(std::string_view word) {
  constexpr std::array<std::string_view, 8> kGeneric{"kernel", "Kernel",   "Kernel2",       "device_kernel",
                                                     "run",    "operator", "static_kernel", "kentry"};
  return std::find(kGeneric.begin(), kGeneric.end(), word) != kGeneric.end();
}

/// Returns the identifier at the end of `text`; may be empty.
std::string_view last_word(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  return text.substr(begin);
}

/// Returns the first identifier of template arguments with at least 12 characters
/// ("cutlass_80_tensorop_..."); built-in types have fewer. Skips namespaces, and wrappers such as
/// "enable_sm90".
std::string_view telling_argument(std::string_view arguments) {
  std::size_t i = 0;
  while (i < arguments.size()) {
    std::size_t end = i;
    while (end < arguments.size() && is_word(arguments[end])) ++end;
    const std::string_view word = arguments.substr(i, end - i);
    const bool is_namespace = arguments.substr(end).starts_with("::");
    const bool is_wrapper =
        word.starts_with("__") || word.starts_with("enable_") || word == "integral_constant";
    if (word.size() >= 12 && !is_namespace && !is_wrapper) return word;
    i = end + 1;
  }
  return {};
}

/// Returns the unqualified function name of a C++ signature; empty if `name` is not a signature.
std::string_view cpp_function(std::string_view name) {
  std::string_view rest = name;
  bool signature = false;
  for (const std::string_view prefix : {"void ", "__global__ ", "static "}) {
    if (rest.starts_with(prefix)) {
      rest.remove_prefix(prefix.size());
      signature = true;
    }
  }
  if (const std::size_t clone = rest.rfind(" [clone"); clone != kNone) rest = trimmed(rest.substr(0, clone));
  if (rest.ends_with(" const")) rest.remove_suffix(6);
  if (rest.ends_with(')')) {
    const std::size_t open = opening_of(rest, rest.size() - 1, '(', ')');
    const bool attached = open != kNone && open > 0 &&
                          (is_word(rest[open - 1]) || rest[open - 1] == '>' || rest[open - 1] == ')');
    if (attached) {
      rest = rest.substr(0, open);
      signature = true;
    }
  }
  std::string_view arguments;
  if (rest.ends_with('>')) {
    const std::size_t open = opening_of(rest, rest.size() - 1, '<', '>');
    if (open != kNone && open > 0 && is_word(rest[open - 1])) {
      arguments = rest.substr(open + 1, rest.size() - open - 2);
      rest = rest.substr(0, open);
      signature = true;
    }
  }
  for (const std::string_view prefix : {"at::native::", "torch::autograd::"}) {
    if (rest.starts_with(prefix)) signature = true;
  }
  if (!signature) return {};
  const std::string_view word = last_word(rest);
  if (word.empty()) return {};
  if (!is_generic(word)) return word;
  if (const std::string_view argument = telling_argument(arguments); !argument.empty()) return argument;
  // A generic name keeps one namespace: "gemvx::kernel".
  std::string_view outer = rest.substr(0, rest.size() - word.size());
  if (!outer.ends_with("::")) return word;
  outer.remove_suffix(2);
  const std::string_view scope = last_word(outer);
  if (scope.empty()) return word;
  return rest.substr(rest.size() - word.size() - 2 - scope.size());
}

/// Returns the unqualified function of an Itanium-mangled name, found by length prefixes alone; empty if
/// there is none. If the function is generic, returns the last identifier of its first template argument.
std::string_view mangled_function(std::string_view name) {
  if (!name.starts_with("_Z")) return {};
  std::size_t i = 2;
  while (i < name.size() && (name[i] == 'N' || name[i] == 'K' || name[i] == 'L')) ++i;
  std::string_view word;
  while (i < name.size()) {
    if (name[i] == 'I' && is_generic(word)) {  // continue with the template arguments of cutlass::Kernel2
      ++i;
      if (i < name.size() && name[i] == 'N') ++i;
      if (i < name.size() && name[i] == 'S') i = std::min(name.find('_', i), name.size() - 1) + 1;
    }
    std::size_t length = 0;
    const std::size_t digits = i;
    while (i < name.size() && is_digit(name[i]) && length < name.size()) {
      length = length * 10 + static_cast<std::size_t>(name[i++] - '0');
    }
    if (i == digits || length == 0 || length > name.size() - i) break;
    word = name.substr(i, length);
    i += length;
  }
  return word;
}

constexpr std::string_view kGap = "...";
constexpr std::size_t kExcerpt = 28;  // characters

/// The start of a text, and its number of characters.
struct Head {
  std::string_view text;
  std::size_t characters = 0;
};
Head first_characters(std::string_view text, std::size_t most) {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (continues_character(text[i])) continue;
    if (characters == most) return {text.substr(0, i), most};
    ++characters;
  }
  return {text, characters};
}

/// Returns the last characters of a text, at most `most`.
std::string_view last_characters(std::string_view text, std::size_t most) {
  std::size_t begin = text.size();
  for (; begin > 0 && most > 0; --begin) {
    if (!continues_character(text[begin - 1])) --most;
  }
  return text.substr(begin);
}

std::vector<std::size_t> all_numbers(std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return numbers;
}

/// Different names with the same displayed text.
struct Alike {
  static constexpr std::size_t kNone = std::string_view::npos;
  std::vector<std::size_t> members;
  std::size_t common = 0;             ///< bytes of the common prefix
  std::size_t common_before = kNone;  ///< `common` of the group from which this one was split
};

/// Returns the length of the common prefix of the names, in bytes; Alike::kNone if all names are equal. Their
/// first `known` bytes must be equal. Beyond these, reads at most about twice the common bytes of each name.
std::size_t common_length(std::span<const std::string_view> names, const std::vector<std::size_t>& members,
                          std::size_t known) {
  const std::string_view first = names[members.front()];
  for (std::size_t step = 64;; step *= 2) {
    const std::string_view piece = first.substr(std::min(known, first.size()), step);
    std::size_t common = piece.size();
    bool differ = false;
    for (const std::size_t i : members) {
      const std::string_view other = names[i].substr(std::min(known, names[i].size()), step);
      const auto [at, other_at] = std::mismatch(piece.begin(), piece.end(), other.begin(), other.end());
      common = std::min(common, static_cast<std::size_t>(at - piece.begin()));
      differ = differ || at != piece.end() || other_at != other.end();
    }
    if (differ) return known + common;
    if (piece.size() < step) return Alike::kNone;
    known += step;
  }
}

/// Returns the groups of `members` that have the same text but different names. The first `known` bytes of
/// all names in a group must be equal.
std::vector<Alike> alike(std::span<const std::string_view> names, const std::vector<std::string>& texts,
                         const std::vector<std::size_t>& members, std::size_t known) {
  std::unordered_map<std::string_view, std::vector<std::size_t>> by_text;
  for (const std::size_t i : members) by_text[texts[i]].push_back(i);
  std::vector<Alike> groups;
  for (auto& [text, group] : by_text) {
    if (group.size() < 2) continue;
    const std::size_t common = common_length(names, group, known);
    if (common != Alike::kNone) groups.push_back({std::move(group), common, Alike::kNone});
  }
  return groups;
}

/// Returns an excerpt of the name from the word at `from`, or from a little before `from` in a long word. If
/// `most` is not 0, the excerpt follows the start of the name, together at most `most` characters. O(most +
/// word).
std::string with_excerpt(std::string_view name, std::size_t from, std::size_t most) {
  constexpr std::size_t kBefore = 6;
  std::size_t begin = std::min(from, name.size());
  while (begin > 0 && from - begin < kBefore && is_word(name[begin - 1])) --begin;
  while (begin > 0 && begin < name.size() && continues_character(name[begin])) --begin;
  const std::size_t excerpt_length = most == 0 ? kExcerpt : std::min(kExcerpt, most / 2);
  const Head excerpt = first_characters(name.substr(begin), excerpt_length);
  if (most == 0) return std::string(excerpt.text);
  const std::size_t head = most - std::min(most, excerpt.characters + kGap.size());
  return std::string(first_characters(name, head).text) + std::string(kGap) + std::string(excerpt.text);
}

/// Adds excerpts to the displayed texts of groups until they differ, where possible. `first` contains the
/// texts before any excerpt was added.
void tell_groups_apart(std::span<const std::string_view> names, const std::vector<std::string>& first,
                       std::vector<std::string>& shown, std::vector<Alike> groups, std::size_t most) {
  std::vector<std::string> excerpts(names.size());
  std::vector<std::uint8_t> excerpted(names.size());
  while (!groups.empty()) {
    const Alike group = std::move(groups.back());
    groups.pop_back();
    // If texts are still equal, their names usually share a longer prefix, and the next excerpt starts later.
    // If the prefix is not longer, the texts have no space for the difference.
    if (group.common <= group.common_before && group.common_before != Alike::kNone) continue;
    for (const std::size_t i : group.members) {
      excerpts[i] = with_excerpt(names[i], group.common, most);
      excerpted[i] = 1;
    }
    for (Alike& part : alike(names, excerpts, group.members, group.common)) {
      part.common_before = group.common;
      groups.push_back(std::move(part));
    }
  }
  for (std::size_t i = 0; i < excerpts.size(); ++i) {
    if (excerpted[i] == 0) continue;
    shown[i] = most == 0 ? first[i] + std::string(kExcerptMark) + excerpts[i] : std::move(excerpts[i]);
  }
}

/// Numbers texts that no excerpt distinguishes: "...(anonymous #2".
void number_alike(std::span<const std::string_view> names, std::vector<std::string>& shown,
                  std::size_t most) {
  std::unordered_set<std::string> taken(shown.begin(), shown.end());
  for (const Alike& group : alike(names, shown, all_numbers(names.size()), 0)) {
    std::unordered_map<std::string_view, std::string> numbered;
    std::size_t number = 0;
    const std::string text = shown[group.members.front()];
    for (const std::size_t i : group.members) {
      std::string& own = numbered[names[i]];
      while (own.empty()) {
        const std::string mark = " #" + std::to_string(++number);
        const std::size_t room = most == 0 ? text.size() : most - std::min(most, mark.size());
        std::string candidate = std::string(first_characters(text, room).text) + mark;
        if (taken.insert(candidate).second) own = std::move(candidate);
      }
      shown[i] = own;
    }
  }
}

}  // namespace

std::string short_name(std::string_view name) {
  const std::string_view whole = trimmed(name);
  if (whole.empty()) return std::string(name);
  // The wrappers contain no ")", so the rest is not a frame unless the whole text is one.
  if (std::string frame = python_frame(whole); !frame.empty()) return frame;
  const std::string_view text = without_wrappers(whole);
  if (const std::string_view builtin = trimmed(python_builtin(text)); !builtin.empty()) {
    return std::string(builtin);
  }
  if (text.size() > 6 && text.starts_with("## ") && text.ends_with(" ##")) {
    const std::string_view framed = trimmed(text.substr(3, text.size() - 6));
    if (!framed.empty()) return std::string(framed);
  }
  if (text.starts_with("Memcpy ") || text.starts_with("Memset")) {
    const std::string_view head = trimmed(text.substr(0, std::min(text.find('('), text.size())));
    return std::string(head.empty() ? text : head);
  }
  if (const std::string_view word = mangled_function(text); !word.empty()) return std::string(word);
  if (const std::string_view word = cpp_function(text); !word.empty()) return std::string(word);
  return std::string(text);
}

std::string_view head_of(std::string_view text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return text;
  while (most_bytes > 0 && continues_character(text[most_bytes])) --most_bytes;
  return text.substr(0, most_bytes);
}

std::string cut_text(std::string_view text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return std::string(text);
  return std::string(head_of(text, most_bytes)) + " ...";
}

std::string shortened_text(std::string_view text, std::size_t most) {
  if (first_characters(text, most).text.size() == text.size()) return std::string(text);
  const std::size_t tail = most / 4;
  const std::size_t head = most - std::min(most, tail + kGap.size());
  return std::string(first_characters(text, head).text) + std::string(kGap) +
         std::string(last_characters(text, tail));
}

std::vector<std::string> disambiguated(std::span<const std::string_view> names,
                                       std::vector<std::string> shown, std::size_t most) {
  const std::vector<std::string> first = shown;
  // An excerpt may make texts of two groups equal, so the groups are formed again.
  constexpr int kRounds = 3;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Alike> groups = alike(names, shown, all_numbers(names.size()), 0);
    if (groups.empty()) return shown;
    tell_groups_apart(names, first, shown, std::move(groups), most);
  }
  number_alike(names, shown, most);
  return shown;
}

std::vector<std::string> disambiguated_if_cut(std::span<const std::string_view> names,
                                              std::vector<std::string> shown, std::size_t most) {
  std::unordered_map<std::string, std::vector<std::size_t>> by_ends;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (first_characters(shown[i], most).text.size() < shown[i].size())
      by_ends[shortened_text(shown[i], most)].push_back(i);
  }
  for (const auto& [ends, group] : by_ends) {
    const std::string first = shown[group.front()];
    if (std::ranges::all_of(group, [&](std::size_t i) { return shown[i] == first; })) continue;
    const std::string start(first_characters(first, most / 2).text);
    for (const std::size_t i : group) shown[i] = start;
  }
  return disambiguated(names, std::move(shown));
}

}  // namespace kino
