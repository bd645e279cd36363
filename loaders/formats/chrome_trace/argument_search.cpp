#include "loaders/formats/chrome_trace/argument_search.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "core/base/ascii.hpp"
#include "core/base/parallel.hpp"
#include "core/base/run_merge_sort.hpp"
#include "loaders/bytes/json_members.hpp"
#include "loaders/bytes/text_needle.hpp"
#include "loaders/formats/chrome_trace/event_blocks.hpp"

namespace kino {
namespace {

/// Spelled as it is in any JSON that people write.
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

/// A term made ready to be looked for in values.
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

  /// `value` as it is in the file.
  bool found_in(std::string_view value) const {
    const bool string = value.front() == '"';
    const std::string_view content = string ? value.substr(1, value.size() - 2) : value;
    if (content.find('\\') != std::string_view::npos) return in_text(unescape(content));
    return in_text(content);
  }

 private:
  bool in_text(std::string_view text) const {
    for (std::size_t at = needle_.find_in(text); at != std::string_view::npos;
         at = needle_.find_in(text, at + 1)) {
      if (stands_alone(text, at, needle_.size())) return true;
    }
    return packed_ && found_packed(without_spaces(text));
  }

  bool found_packed(std::string_view text) const {
    for (std::size_t at = packed_->find_in(text); at != std::string_view::npos;
         at = packed_->find_in(text, at + 1)) {
      if (stands_alone(text, at, packed_->size())) return true;
    }
    return false;
  }

  /// Numbers at the ends of what is looked for are found as a whole: 8,128 is not in [48,1280].
  bool stands_alone(std::string_view text, std::size_t at, std::size_t size) const {
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
      found = matcher.wants(key) && matcher.found_in(value);
      return !found;
    });
    return found;
  });
}

/// Longest runs of characters that JSON never spells differently, or what stands for them if there are none.
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
  // Only letters of other alphabets: they stand there themselves, or each of them escaped.
  for (const ArgumentTerm& term : terms) {
    const auto first = std::find_if(term.value.begin(), term.value.end(),
                                    [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
    if (first == term.value.end()) continue;
    const auto last =
        std::find_if(first, term.value.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    needles.emplace_back(std::string_view(first, last));
    needles.emplace_back("\\u");
    return needles;
  }
  return needles;
}

/// One search, shared by its workers.
class ArgumentScan {
 public:
  ArgumentScan(const Trace& trace, const TextSource& text, std::span<const std::uint32_t> order,
               std::span<const ArgumentTerm> terms, const std::function<bool(SliceId)>& wanted)
      : blocks_(trace, text, order),
        needles_(needles_of(terms)),
        wanted_(wanted),
        found_(trace.slice_count()) {
    for (const ArgumentTerm& term : terms) matchers_.emplace_back(term);
  }

  bool possible() const { return !needles_.empty(); }

  /// The events that begin in [begin, end) of the text.
  void scan_block(std::uint64_t begin, std::uint64_t end, std::string& buffer) {
    Result<EventBlocks::Block> block = blocks_.read(begin, end, buffer);
    if (!block.ok()) return fail(block.error());
    if (block->first == block->last) return;
    for (const TextNeedle& needle : needles_) scan_events(*block, needle);
    look_into_last(*block);
  }

  std::optional<Error> error() const { return error_; }
  SliceSet take() {
    SliceSet result = std::move(found_);
    return result;
  }

 private:
  void scan_events(const EventBlocks::Block& block, const TextNeedle& needle) {
    const std::string_view text = block.text;
    const auto begin_of = [&](std::size_t place) { return blocks_.offset_of(place) - block.from; };
    std::size_t place = block.first;
    for (std::size_t at = needle.find_in(text); at != std::string_view::npos;) {
      while (place + 1 < block.last && begin_of(place + 1) <= at) ++place;
      // One look at an event is enough, however often the literal stands in it.
      const std::size_t next =
          place + 1 < block.last ? static_cast<std::size_t>(begin_of(place + 1)) : text.size();
      if (next > begin_of(place)) {
        const auto begin = static_cast<std::size_t>(begin_of(place));
        look_into(text.substr(begin, next - begin), place);
      }
      at = next < text.size() ? needle.find_in(text, std::max(next, at + 1)) : std::string_view::npos;
    }
  }

  void look_into(std::string_view event, std::size_t place) {
    if (event.empty() || event.front() != '{') return;
    // Events may give several slices; they have one offset and stand side by side.
    std::size_t first = place;
    while (first > 0 && blocks_.offset_of(first - 1) == blocks_.offset_of(place)) --first;
    const auto wanted = [&](std::size_t i) { return wanted_(blocks_.slice_at(i)); };
    bool any = false;
    for (std::size_t i = first; i <= place && !any; ++i) any = wanted(i);
    if (!any || !event_matches(event, matchers_)) return;
    const std::lock_guard lock(mutex_);
    for (std::size_t i = first; i <= place; ++i) {
      if (wanted(i)) found_.insert(index_of(blocks_.slice_at(i)));
    }
  }

  /// The last event of a block may reach beyond what was read: then it is read by itself.
  void look_into_last(const EventBlocks::Block& block) {
    std::string whole;
    Result<std::string_view> event = blocks_.event(block, block.last - 1, whole);
    if (!event.ok()) return fail(event.error());
    if (!whole.empty()) look_into(*event, block.last - 1);
  }

  void fail(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = error;
  }

  EventBlocks blocks_;
  std::vector<TextNeedle> needles_;
  std::vector<ValueMatcher> matchers_;
  const std::function<bool(SliceId)>& wanted_;
  std::mutex mutex_;
  SliceSet found_;              // guarded by mutex_
  std::optional<Error> error_;  // guarded by mutex_
};

}  // namespace

std::vector<std::uint32_t> slices_by_offset(const Trace& trace, const std::stop_token& stop) {
  std::vector<std::uint32_t> order(trace.slice_count());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto& offsets = trace.slices.source_offset;
  run_merge_sort(
      order.data(), order.size(), [&](std::uint32_t a, std::uint32_t b) { return offsets[a] < offsets[b]; },
      [&] { return stop.stop_requested(); });
  if (stop.stop_requested()) order.clear();
  return order;
}

bool event_has_arguments(std::string_view event, std::span<const ArgumentTerm> terms) {
  std::vector<ValueMatcher> matchers;
  for (const ArgumentTerm& term : terms) matchers.emplace_back(term);
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
                 "arguments are searched for by letters and digits; the value has none"};
  }
  threads = thread_count_or_default(threads);
  const std::uint64_t size = text.size_bytes();
  progress.total_bytes = size;
  const std::vector<std::uint64_t> begins = text.cuts(EventBlocks::kBytes);
  const std::size_t blocks = begins.size();
  const std::size_t stride = std::max<std::size_t>(1, blocks / 50);
  std::vector<std::string> buffers(threads);
  parallel_for(threads, blocks, stop, [&](std::size_t block, unsigned worker) {
    const std::uint64_t begin = begins[block];
    const std::uint64_t end = block + 1 < blocks ? begins[block + 1] : size;
    scan.scan_block(begin, end, buffers[worker]);
    progress.bytes += end - begin;
    if (block % stride == 0) advanced();
  });
  if (stop.stop_requested()) return Error{Error::Kind::cancelled, "The search was cancelled"};
  if (auto error = scan.error()) return std::move(*error);
  return scan.take();
}

}  // namespace kino
