#include "core/trace/search/name_search.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <utility>
#include <variant>

#include "core/base/ascii.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/name_pattern.hpp"
#include "core/base/parallel.hpp"

namespace kino {
namespace {

constexpr std::size_t kPieceNames = 1024;  // a multiple of 64, so that pieces share no word of the bitmap

/// A word or phrase in lower case, or a regular expression. The text to search must be in lower case.
using TextMatcher = std::variant<std::string, NamePattern>;

bool matches_text(const TextMatcher& matcher, std::string_view lower_text) {
  if (const auto* word = std::get_if<std::string>(&matcher))
    return lower_text.find(*word) != std::string_view::npos;
  return std::get<NamePattern>(matcher).found_in(lower_text);
}

/// Returns the bits of the kinds that "kernels", or the start of this word, or "gpu" denotes; 0 for other
/// words.
std::uint32_t kinds_of_alias(const TextMatcher& matcher) {
  const auto* const word = std::get_if<std::string>(&matcher);
  if (word == nullptr) return 0;
  const bool kernels = !word->empty() && std::string_view("kernels").starts_with(*word);
  if (!kernels && *word != "gpu") return 0;
  std::uint32_t kinds = 0;
  for (int kind = 0; kind < kSliceKindCount; ++kind) {
    const auto is = static_cast<SliceKind>(kind);
    const bool kernel = is == SliceKind::compute || is == SliceKind::communication;
    const bool gpu = is_on_gpu(is) || is == SliceKind::gpu_annotation;
    if (kernels ? kernel : gpu) kinds |= 1U << kind;
  }
  return kinds;
}

}  // namespace

std::optional<double> duration_ns_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value) || value < 0) return std::nullopt;
  const std::string unit = lowered(text.substr(static_cast<std::size_t>(end - text.data())));
  constexpr std::array<std::pair<std::string_view, double>, 7> kUnits{
      {{"", 1e3}, {"ns", 1}, {"us", 1e3}, {"\xc2\xb5s", 1e3}, {"\xce\xbcs", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
  for (const auto& [name, factor] : kUnits) {
    if (unit == name && value * factor < 9e18) return value * factor;
  }
  return std::nullopt;
}

// ---- The index

SearchIndex::SearchIndex(const Trace& trace) : trace_(&trace) {
  const std::size_t names = trace.names.size();
  name_begin_.reserve(names + 1);
  for (std::uint32_t i = 0; i < names; ++i) {
    name_begin_.push_back(lower_names_.size());
    lower_names_.append(trace.names[i]);
  }
  name_begin_.push_back(lower_names_.size());
  std::transform(lower_names_.begin(), lower_names_.end(), lower_names_.begin(), lower);
}

std::string_view SearchIndex::lower_name(NameId name) const {
  const std::uint64_t begin = name_begin_[index_of(name)];
  return std::string_view(lower_names_).substr(begin, name_begin_[index_of(name) + 1] - begin);
}

// ---- From text to query

/// Compiles a query by parsing its terms from left to right.
class SearchCompiler {
 public:
  SearchCompiler(std::string_view text, const SearchIndex& index, unsigned threads,
                 const SearchQuery::FieldLookup& fields)
      : text_(text), index_(index), fields_(fields) {
    query_.index_ = &index;
    query_.threads_ = thread_count_or_default(threads);
  }

  Result<SearchQuery> run() {
    while (skip_spaces()) {
      term_begin_ = at_;
      if (auto problem = read_term()) return std::move(*problem);
    }
    match_names();
    query_.only_names_ = query_.argument_terms_.empty() && query_.categories_.empty() &&
                         (query_.kinds_ & SearchQuery::kAllKinds) == SearchQuery::kAllKinds &&
                         query_.min_duration_ns_ == std::numeric_limits<std::int64_t>::min() &&
                         query_.max_duration_ns_ == std::numeric_limits<std::int64_t>::max();
    return std::move(query_);
  }

 private:
  bool skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size();
  }

  std::optional<Error> read_term() {
    for (const std::string_view key : {"name", "cat", "track", "kind"}) {
      if (!lower_starts_with(key) || at_ + key.size() >= text_.size() || text_[at_ + key.size()] != ':')
        continue;
      if (text_.substr(at_ + key.size() + 1).starts_with(':')) continue;  // "name::f" is a C++ name
      at_ += key.size() + 1;
      return read_text_term(key);
    }
    if (lower_starts_with("dur") && at_ + 3 < text_.size() &&
        (text_[at_ + 3] == '<' || text_[at_ + 3] == '>')) {
      at_ += 3;
      return read_duration();
    }
    if (text_[at_] == '[' && !in_a_name(word())) return read_shape();
    if (const std::size_t key_end = word_key_end(); compares(key_end) && !in_a_name(word()))
      return unreadable({msg::cannot_be_compared_with_a_number, text_.substr(at_, key_end - at_)});
    if (const std::size_t colon = argument_key_end(); colon != std::string_view::npos)
      return read_argument(colon);
    return read_text_term("name");
  }

  Error unreadable(Message what) const { return {Error::Kind::unknown_format, std::move(what), term_begin_}; }
  Error unknown_field(const std::string& key, const std::string& nearest) const {
    return unreadable(nearest.empty() ? Message(msg::there_is_no_field, key)
                                      : Message(msg::there_is_no_field_did_you, key, nearest));
  }

  Error unknown_kind() const {
    std::vector<Message> known;
    known.reserve(kSliceKindCount);
    for (int kind = 0; kind < kSliceKindCount; ++kind)
      known.emplace_back(text_of(static_cast<SliceKind>(kind)));
    const std::string_view written = text_.substr(term_begin_, at_ - term_begin_);
    return unreadable(
        {msg::there_is_no_kind_kinds_are, written.substr(written.find(':') + 1), comma_list(known)});
  }

  /// Returns the text up to the next space.
  std::string_view word() const {
    return text_.substr(at_, std::min(text_.find_first_of(" \t", at_), text_.size()) - at_);
  }
  /// Whether a name of the trace contains the text. O(bytes of names).
  bool in_a_name(std::string_view words) const {
    const std::string wanted = lowered(words);
    for (std::uint32_t i = 0; i < index_.trace().names.size(); ++i) {
      if (index_.lower_name(NameId{i}).find(wanted) != std::string_view::npos) return true;
    }
    return false;
  }
  /// Whether the word before `key_end` is compared with a number: "duration>5ms".
  bool compares(std::size_t key_end) const {
    if (key_end < at_ + 2 || key_end + 1 >= text_.size()) return false;
    if (text_[key_end] != '<' && text_[key_end] != '>') return false;
    const std::size_t number = key_end + (text_[key_end + 1] == '=' ? 2 : 1);
    return number < text_.size() && is_digit(text_[number]);
  }

  /// Returns the position of the colon of "key:value"; npos for an ordinary word.
  std::size_t argument_key_end() const {
    const std::size_t at = word_key_end();
    if (at - at_ < 2 || at + 1 >= text_.size() || text_[at] != ':') return std::string_view::npos;
    const std::string_view value = text_.substr(at + 1);
    const bool word = value.starts_with(':') || value.starts_with(' ') || value.starts_with("//");
    return word ? std::string_view::npos : at;
  }
  static bool is_key_part(char c) { return (c >= '0' && c <= '9') || c == '_' || c == '-'; }
  /// Returns the end of a possible field key, which is a letter followed by letters, digits, '_' and '-'.
  std::size_t word_key_end() const {
    std::size_t at = at_;
    while (at < text_.size() && (is_letter(text_[at]) || (at > at_ && is_key_part(text_[at])))) ++at;
    return at;
  }
  /// Removes the text up to the next space and returns it.
  std::string_view take_word() {
    const std::string_view taken = word();
    at_ += taken.size();
    return taken;
  }

  /// Converts a shape as typed, "8x128", to the form in files, "8,128".
  static std::string shape_text(std::string value) {
    const auto at = [&](std::size_t i) { return i < value.size() && is_digit(value[i]); };
    for (std::size_t i = 1; i + 1 < value.size(); ++i) {
      if (value[i] == 'x' && at(i - 1) && at(i + 1)) value[i] = ',';
    }
    return value;
  }

  /// Parses a copied shape such as "[8192, 6144]".
  std::optional<Error> read_shape() {
    std::size_t depth = 0;
    std::size_t end = at_;
    while (end < text_.size()) {
      const char c = text_[end++];
      if (c == '[') ++depth;
      if (c == ']' && --depth == 0) break;
    }
    // If the closing bracket is missing, the user is still typing the shape.
    std::string value = lowered(text_.substr(at_, end - at_));
    while (!value.empty() && value.back() == ' ') value.pop_back();
    at_ = end;
    if (value.find_first_of("0123456789") != std::string::npos)
      query_.argument_terms_.push_back({std::string(kShapeKey), std::move(value)});
    return std::nullopt;
  }

  std::optional<Error> read_argument(std::size_t colon) {
    const std::size_t word_begin = at_;
    const std::string_view whole = word();
    ArgumentTerm term{argument_key(text_.substr(at_, colon - at_)), {}};
    at_ = colon + 1;
    const bool any = term.key == "arg" || term.key == "args";
    if (any) {
      term.key.clear();
      const std::size_t end = std::min(text_.find_first_of(" \t\"=", at_), text_.size());
      if (end < text_.size() && text_[end] == '=' && end > at_) {
        term.key = argument_key(text_.substr(at_, end - at_));
        at_ = end + 1;
      }
    }
    if (term.key == "dims" || term.key == "dim" || term.key == "shapes") term.key = kShapeKey;
    if (!term.key.empty() && term.key != kShapeKey && fields_) {
      if (const SearchQuery::Field field = fields_(term.key); !field.known) {
        at_ = word_begin;
        if (in_a_name(whole)) return read_text_term("name");
        return unknown_field(term.key, field.nearest);
      }
    }
    if (term.key == kShapeKey && at_ < text_.size() && text_[at_] == '[') return read_shape();
    if (at_ < text_.size() && text_[at_] == '/' && regex_end() != std::string_view::npos)
      return unreadable(msg::arguments_cannot_be_searched_for_with);
    Result<TextMatcher> value = read_matcher();
    if (!value) return std::move(value.error());
    term.value = std::get<std::string>(std::move(*value));
    if (term.key == kShapeKey) term.value = shape_text(std::move(term.value));
    if (!term.value.empty()) query_.argument_terms_.push_back(std::move(term));
    return std::nullopt;
  }

  bool lower_starts_with(std::string_view key) const { return lowered(text_.substr(at_, key.size())) == key; }

  std::optional<Error> read_text_term(std::string_view key) {
    Result<TextMatcher> read = read_matcher();
    if (!read) return std::move(read.error());
    TextMatcher matcher = std::move(*read);
    if (key == "name") {
      names_.push_back(std::move(matcher));
    } else if (key == "kind") {
      std::uint32_t named = kinds_of_alias(matcher);
      for (int kind = 0; kind < kSliceKindCount; ++kind) {
        const std::string text = lowered(text_of(static_cast<SliceKind>(kind)));
        if (matches_text(matcher, text)) named |= 1U << kind;
      }
      if (named == 0) return unknown_kind();
      query_.kinds_ &= named;
    } else if (key == "cat") {
      const StringTable& categories = index_.trace().categories;
      restrict(query_.categories_, categories.size(),
               [&](std::uint32_t i) { return matches_text(matcher, lowered(categories[i])); });
    } else {
      const std::vector<Track>& tracks = index_.trace().tracks;
      restrict(query_.tracks_, tracks.size(),
               [&](std::size_t i) { return matches_text(matcher, lowered(tracks[i].name)); });
    }
    return std::nullopt;
  }

  template <class Matches>
  static void restrict(std::vector<bool>& set, std::size_t size, Matches&& matches) {
    if (set.empty()) set.assign(size, true);
    for (std::size_t i = 0; i < size; ++i) set[i] = set[i] && matches(static_cast<std::uint32_t>(i));
  }

  /// Reads a "phrase", a /regex/ or a word. An unclosed phrase or regex is an error, unless a name contains
  /// it. A lone quotation mark or slash is a term that is still being typed.
  Result<TextMatcher> read_matcher() {
    if (at_ < text_.size() && text_[at_] == '"') {
      const std::size_t close = text_.find('"', at_ + 1);
      if (close == std::string_view::npos && at_ + 1 < text_.size() && !in_a_name(word()))
        return Error{Error::Kind::unknown_format, msg::quotation_not_closed, at_};
      const std::size_t end = std::min(close, text_.size());
      TextMatcher phrase = lowered(text_.substr(at_ + 1, end - at_ - 1));
      at_ = std::min(end + 1, text_.size());
      return phrase;
    }
    if (at_ < text_.size() && text_[at_] == '/') {
      if (const std::size_t close = regex_end(); close != std::string_view::npos) {
        Result<NamePattern> pattern = NamePattern::compile(text_.substr(at_ + 1, close - at_ - 1));
        if (!pattern) return unreadable(pattern.error().what);
        at_ = close + 1;
        return TextMatcher(*pattern);
      }
      if (at_ + 1 < text_.size() && !in_a_name(word()))
        return Error{Error::Kind::unknown_format, msg::regular_expression_not_closed, at_};
    }
    return TextMatcher(lowered(take_word()));
  }

  /// Returns the position of the slash that ends the expression: it is not escaped, and a space or the end
  /// follows. Returns npos if there is none.
  std::size_t regex_end() const {
    for (std::size_t i = at_ + 1; i < text_.size(); ++i) {
      if (text_[i] == '\\') {
        ++i;
      } else if (text_[i] == '/' && i > at_ + 1 && (i + 1 == text_.size() || text_[i + 1] == ' ')) {
        return i;
      }
    }
    return std::string_view::npos;
  }

  std::optional<Error> read_duration() {
    const bool above = text_[at_++] == '>';
    const bool or_equal = at_ < text_.size() && text_[at_] == '=';
    at_ += or_equal ? 1 : 0;
    const std::string_view text = take_word();
    if (text.empty()) return std::nullopt;  // still being typed
    const std::optional<double> ns = duration_ns_of(text);
    if (!ns) return unreadable({msg::is_not_a_duration, text});
    if (above) {
      const double bound = or_equal ? std::ceil(*ns) : std::floor(*ns) + 1;
      query_.min_duration_ns_ = std::max(query_.min_duration_ns_, static_cast<std::int64_t>(bound));
    } else {
      const double bound = or_equal ? std::floor(*ns) : std::ceil(*ns) - 1;
      query_.max_duration_ns_ = std::min(query_.max_duration_ns_, static_cast<std::int64_t>(bound));
    }
    return std::nullopt;
  }

  void match_names() {
    const std::size_t count = index_.trace().names.size();
    query_.names_.assign(count / 64 + 1, 0);
    std::atomic<bool> all = true;
    const std::size_t pieces = (count + kPieceNames - 1) / kPieceNames;
    // For a few thousand names (some 100,000 bytes), starting threads costs more than matching.
    const unsigned threads = names_.empty() || count < 4 * kPieceNames ? 1 : query_.threads_;
    parallel_for(threads, pieces, {}, [&](std::size_t piece, unsigned) {
      for (std::size_t i = piece * kPieceNames; i < std::min(count, (piece + 1) * kPieceNames); ++i) {
        const std::string_view name = index_.lower_name(NameId{static_cast<std::uint32_t>(i)});
        const bool hit = std::all_of(names_.begin(), names_.end(), [name](const TextMatcher& matcher) {
          return matches_text(matcher, name);
        });
        if (hit) {
          query_.names_[i / 64] |= std::uint64_t{1} << (i % 64);
        } else {
          all.store(false, std::memory_order_relaxed);
        }
      }
    });
    query_.some_names_ = !all;
  }

  std::string_view text_;
  const SearchIndex& index_;
  const SearchQuery::FieldLookup& fields_;
  std::size_t at_ = 0;
  std::size_t term_begin_ = 0;
  std::vector<TextMatcher> names_;
  SearchQuery query_;
};

Result<SearchQuery> SearchQuery::compile(std::string_view text, const SearchIndex& index, unsigned threads,
                                         const FieldLookup& fields) {
  return SearchCompiler(text, index, threads, fields).run();
}

}  // namespace kino
