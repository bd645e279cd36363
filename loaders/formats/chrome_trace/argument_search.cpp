#include "loaders/formats/chrome_trace/argument_search.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "core/base/ascii.hpp"
#include "core/base/parallel.hpp"
#include "core/base/run_merge_sort.hpp"
#include "loaders/bytes/json_members.hpp"
#include "loaders/bytes/text_needle.hpp"
#include "loaders/formats/chrome_trace/event_blocks.hpp"
#include "loaders/formats/chrome_trace/event_fields.hpp"

namespace kino {
namespace {

/// Returns whether JSON writers leave the character unescaped.
bool is_plain(char c) { return is_digit(c) || is_letter(c) || c == '_' || c == '-' || c == '.' || c == ':'; }

bool is_number(std::string_view text) {
  return !text.empty() && (is_digit(text.back()) || text.back() == '.') &&
         text.find_first_not_of("0123456789.-") == std::string_view::npos &&
         text.find_first_of("0123456789") != std::string_view::npos;
}

std::string without_spaces(std::string_view text) {
  std::string out;
  std::copy_if(text.begin(), text.end(), std::back_inserter(out), [](char c) { return !is_space(c); });
  return out;
}

bool key_matches(std::string_view key, std::string_view wanted) {
  std::size_t matched = 0;
  for (const char c : key) {
    if (!is_digit(c) && !is_letter(c)) continue;
    if (matched == wanted.size() || lower(c) != wanted[matched]) return false;
    ++matched;
  }
  return matched == wanted.size();
}

/// A term, prepared once for comparison with many values.
class ValueMatcher {
 public:
  explicit ValueMatcher(const ArgumentTerm& term)
      : key_(term.key), number_(is_number(term.value)), needle_(term.value) {
    const std::string packed = without_spaces(term.value);
    const bool in_arrays = term.value.find_first_of("[],") != std::string::npos;
    if (in_arrays && !packed.empty()) packed_.emplace(packed);
    whole_begin_ = number_ || (in_arrays && is_digit(term.value.front()));
    whole_end_ = number_ || (in_arrays && is_digit(term.value.back()));
  }

  bool wants(std::string_view key) const {
    if (key_ == kShapeKey) return is_shape_key(lowered(key));
    return key_.empty() || key_matches(key, key_);
  }

  /// `value` is raw JSON.
  bool matches(std::string_view value) const {
    const std::string_view content = unquoted(value);
    return contains(content, "\\") ? in_text(unescape(content)) : in_text(content);
  }

 private:
  bool in_text(std::string_view text) const {
    return occurs_in(text, needle_) || (packed_ && occurs_in(without_spaces(text), *packed_));
  }

  bool occurs_in(std::string_view text, const TextNeedle& needle) const {
    for (std::size_t at = needle.find_in(text); at != std::string_view::npos;
         at = needle.find_in(text, at + 1)) {
      if (is_whole(text, at, needle.size())) return true;
    }
    return false;
  }

  /// Returns whether a number at an end of the match is complete: the term "8,128" does not match [48,1280].
  bool is_whole(std::string_view text, std::size_t at, std::size_t size) const {
    const auto joins = [](char c) { return is_digit(c) || is_letter(c) || c == '_' || c == '.'; };
    const std::size_t end = at + size;
    return (!whole_begin_ || at == 0 || !joins(text[at - 1])) &&
           (!whole_end_ || end == text.size() || !joins(text[end]));
  }

  std::string key_;
  bool number_;
  TextNeedle needle_;
  std::optional<TextNeedle> packed_;
  bool whole_begin_ = false;
  bool whole_end_ = false;
};

bool event_matches(std::string_view event, std::span<const ValueMatcher> matchers) {
  const std::string_view args = args_of_event(event);
  if (args.empty()) return false;
  return std::all_of(matchers.begin(), matchers.end(), [&](const ValueMatcher& matcher) {
    bool found = false;
    for_each_member(args, [&](std::string_view key, std::string_view value) {
      found = matcher.wants(key) && matcher.matches(value);
      return !found;
    });
    return found;
  });
}

/// Returns literals, at least one of which occurs in every matching event. Usually, this is the longest run
/// of characters that JSON writers do not escape. If there is no such run, the literals are the first run of
/// non-ASCII characters, and "\u" for its escaped form. Empty if the terms have no such characters either.
std::vector<TextNeedle> needles_of(std::span<const ArgumentTerm> terms) {
  std::string_view longest;
  for (const ArgumentTerm& term : terms) {
    const std::string_view value = term.value;
    for (std::size_t begin = 0; begin < value.size();) {
      if (!is_plain(value[begin])) {
        ++begin;
        continue;
      }
      std::size_t end = begin;
      while (end < value.size() && is_plain(value[end])) ++end;
      if (end - begin > longest.size()) longest = value.substr(begin, end - begin);
      begin = end;
    }
  }
  std::vector<TextNeedle> needles;
  if (!longest.empty()) {
    needles.emplace_back(longest);
    return needles;
  }
  // JSON writers leave non-ASCII characters unescaped, or escape all of them.
  for (const ArgumentTerm& term : terms) {
    const auto is_other = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
    const auto first = std::ranges::find_if(term.value, is_other);
    if (first == term.value.end()) continue;
    const auto last = std::find_if_not(first, term.value.end(), is_other);
    needles.emplace_back(std::string_view(first, last));
    needles.emplace_back("\\u");
    return needles;
  }
  return needles;
}

/// State of a search, shared by its worker threads.
class ArgumentScan {
 public:
  ArgumentScan(const Trace& trace, const TextSource& text, std::span<const std::uint32_t> order,
               std::span<const ArgumentTerm> terms, const std::function<bool(SliceId)>& wanted)
      : blocks_(trace, text, order),
        matchers_(terms.begin(), terms.end()),
        needles_(needles_of(terms)),
        wanted_(wanted),
        found_(trace.slice_count()) {}

  bool possible() const { return !needles_.empty(); }

  const EventBlocks& blocks() const { return blocks_; }

  std::optional<Error> scan_block(const EventBlocks::Block& block) {
    if (block.first == block.last) return std::nullopt;
    for (const TextNeedle& needle : needles_) scan_events(block, needle);
    return examine_last(block);
  }

  SliceSet take() { return std::move(found_); }

 private:
  void scan_events(const EventBlocks::Block& block, const TextNeedle& needle) {
    const std::string_view text = block.text;
    const auto begin_of = [&](std::size_t index) {
      return static_cast<std::size_t>(blocks_.offset_of(index) - block.from);
    };
    std::size_t index = block.first;
    for (std::size_t at = needle.find_in(text); at != std::string_view::npos;) {
      while (index + 1 < block.last && begin_of(index + 1) <= at) ++index;
      // Each event is examined once, however often the needle occurs in it.
      const std::size_t begin = begin_of(index);
      const std::size_t next = index + 1 < block.last ? begin_of(index + 1) : text.size();
      if (next > begin) examine(text.substr(begin, next - begin), index);
      at = next < text.size() ? needle.find_in(text, std::max(next, at + 1)) : std::string_view::npos;
    }
  }

  void examine(std::string_view event, std::size_t index) {
    if (event.empty() || event.front() != '{') return;
    // Several slices of one event have the same offset, and are adjacent in the order.
    std::size_t first = index;
    while (first > 0 && blocks_.offset_of(first - 1) == blocks_.offset_of(index)) --first;
    const auto wanted = [&](std::size_t i) { return wanted_(blocks_.slice_at(i)); };
    bool any = false;
    for (std::size_t i = first; i <= index && !any; ++i) any = wanted(i);
    if (!any || !event_matches(event, matchers_)) return;
    const std::lock_guard lock(mutex_);
    for (std::size_t i = first; i <= index; ++i) {
      if (wanted(i)) found_.insert(index_of(blocks_.slice_at(i)));
    }
  }

  /// Examines the last event of a block if the block contains only a part of it.
  std::optional<Error> examine_last(const EventBlocks::Block& block) {
    std::string whole;
    Result<std::string_view> event = blocks_.event(block, block.last - 1, whole);
    if (!event.ok()) return event.error();
    if (!whole.empty()) examine(*event, block.last - 1);
    return std::nullopt;
  }

  EventBlocks blocks_;
  std::vector<ValueMatcher> matchers_;
  std::vector<TextNeedle> needles_;
  const std::function<bool(SliceId)>& wanted_;
  std::mutex mutex_;
  SliceSet found_;  // guarded by mutex_
};

}  // namespace

std::vector<std::uint32_t> slices_by_offset(const Trace& trace, const std::stop_token& stop) {
  std::vector<std::uint32_t> order(trace.slice_count());
  std::iota(order.begin(), order.end(), 0U);
  const auto& offsets = trace.slices.source_offset;
  run_merge_sort(
      order.data(), order.size(), [&](std::uint32_t a, std::uint32_t b) { return offsets[a] < offsets[b]; },
      [&] { return stop.stop_requested(); });
  if (stop.stop_requested()) order.clear();
  return order;
}

bool event_has_arguments(std::string_view event, std::span<const ArgumentTerm> terms) {
  const std::vector<ValueMatcher> matchers(terms.begin(), terms.end());
  return !event.empty() && event.front() == '{' && event_matches(event, matchers);
}

Result<SliceSet> find_arguments(const Trace& trace, const TextSource& text,
                                std::span<const std::uint32_t> order, std::span<const ArgumentTerm> terms,
                                const std::function<bool(SliceId)>& wanted, ArgumentProgress& progress,
                                const std::function<void()>& advanced, const std::stop_token& stop,
                                unsigned threads) {
  ArgumentScan scan(trace, text, order, terms, wanted);
  if (!scan.possible()) {
    return Error{Error::Kind::unknown_format,
                 "arguments are searched by letters and digits, but the value has none"};
  }
  threads = thread_count_or_default(threads);
  const auto scan_block = [&](const EventBlocks::Block& block, unsigned) { return scan.scan_block(block); };
  if (auto error = scan.blocks().for_each(threads, progress, advanced, stop, scan_block))
    return std::move(*error);
  return scan.take();
}

}  // namespace kino
