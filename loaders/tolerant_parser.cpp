#include "loaders/tolerant_parser.hpp"

#include <algorithm>

#include "core/damage.hpp"
#include "loaders/json_scan.hpp"

namespace kino {
namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

/// Reads one event leniently.
class LenientEvent {
 public:
  explicit LenientEvent(std::string_view text) : text_(text) {}

  /// Fills `fields`. False when the text is no object with at least one member that can be read.
  bool read(EventFields& fields) {
    if (text_.empty() || text_[0] != '{') return false;
    at_ = 1;
    return members(fields, false, 0);
  }

  bool repaired() const { return repaired_; }
  /// Behind the closing brace.
  std::size_t end() const { return at_; }

 private:
  static constexpr int kDeepest = 64;

  void skip() {
    while (at_ < text_.size() && (is_space(text_[at_]) || text_[at_] == ',')) ++at_;
  }

  /// Content of the string whose opening quote is at at_. A quote ends it only when what follows can follow a
  /// string; so unescaped quotes inside stay inside.
  std::string_view string(bool key) {
    const std::size_t begin = ++at_;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\\' && at_ + 1 < text_.size()) {
        // A backslash before the quote that ends the string is a Windows path, not an escape.
        if (text_[at_ + 1] == '"' && ends_string(at_ + 2, key) && !closes_later(at_ + 2, key)) {
          repaired_ = true;
          continue;
        }
        if (std::string_view("\"\\/bfnrtu").find(text_[at_ + 1]) == std::string_view::npos) repaired_ = true;
        ++at_;
        continue;
      }
      if (static_cast<unsigned char>(c) < ' ') repaired_ = true;
      if (c != '"') continue;
      if (ends_string(at_ + 1, key)) {
        const std::string_view content = text_.substr(begin, at_ - begin);
        ++at_;
        return content;
      }
      repaired_ = true;
    }
    repaired_ = true;
    return text_.substr(begin);
  }

  bool ends_string(std::size_t at, bool key) const {
    at = skip_space(text_, at);
    if (at >= text_.size()) return true;
    if (key) return text_[at] == ':';
    if (text_[at] == '}' || text_[at] == ']') return true;
    if (text_[at] == '"') return false;
    if (text_[at] != ',') return false;
    // A comma ends the string only before another member or element.
    at = skip_space(text_, at + 1);
    return at >= text_.size() ||
           std::string_view("\"{[}]-0123456789tfnNI").find(text_[at]) != std::string_view::npos;
  }

  bool closes_later(std::size_t at, bool key) const {
    // Only the rest of the line counts: writers put a member a line or an event a line.
    for (; at < text_.size() && text_[at] != '\n'; ++at) {
      if (text_[at] == '"' && text_[at - 1] != '\\' && ends_string(at + 1, key)) return text_[at - 1] != ' ';
    }
    return false;
  }

  std::string_view bare() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_space(text_[at_]) && text_[at_] != ',' && text_[at_] != '}' &&
           text_[at_] != ']') {
      ++at_;
    }
    const std::string_view token = text_.substr(begin, at_ - begin);
    if (token == "NaN" || token == "Infinity" || token == "-Infinity") repaired_ = true;
    return token;
  }

  void skip_array(int depth) {
    ++at_;
    while (true) {
      skip();
      if (at_ >= text_.size()) return;
      if (text_[at_] == ']') {
        ++at_;
        return;
      }
      if (text_[at_] == '}') return;  // a bracket is missing
      EventFields ignored;
      skip_value(ignored, depth);
    }
  }

  void skip_value(EventFields& ignored, int depth) {
    const std::size_t before = at_;
    if (text_[at_] == '"') {
      string(false);
    } else if (text_[at_] == '[' && depth < kDeepest) {
      skip_array(depth + 1);
    } else if (text_[at_] == '{' && depth < kDeepest) {
      ++at_;
      members(ignored, true, depth + 1);
    } else {
      bare();
    }
    if (at_ == before) ++at_;
  }

  bool members(EventFields& fields, bool args, int depth) {
    bool any = false;
    while (true) {
      const std::size_t before = at_;
      skip();
      if (at_ >= text_.size()) {
        repaired_ = true;
        return any;
      }
      if (text_[at_] == '}') {
        ++at_;
        return true;
      }
      std::string_view key;
      if (text_[at_] == '"') {
        key = string(true);
      } else {
        // The opening quote of a key is missing.
        repaired_ = true;
        const std::size_t begin = at_;
        while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != ':' && text_[at_] != '}' &&
               text_[at_] != '\n') {
          ++at_;
        }
        key = text_.substr(begin, at_ - begin);
        if (at_ < text_.size() && text_[at_] == '"') ++at_;
      }
      at_ = skip_space(text_, at_);
      if (at_ >= text_.size() || text_[at_] != ':') {
        repaired_ = true;
        if (at_ == before) ++at_;
        if (at_ >= text_.size()) return any;
        continue;
      }
      at_ = skip_space(text_, at_ + 1);
      if (at_ >= text_.size()) {
        repaired_ = true;
        return any;
      }
      any = true;
      if (!args) fields.any = true;
      value(fields, key, args, depth);
    }
  }

  void value(EventFields& fields, std::string_view key, bool args, int depth) {
    EventFields ignored;
    if (text_[at_] == '"') {
      const std::string_view content = string(false);
      if (depth == 0) fields.set(key, content);
      if (args && depth == 1) fields.set_arg(key, content);
    } else if (text_[at_] == '{' && depth < kDeepest) {
      ++at_;
      const bool event_args = depth == 0 && key == "args";
      members(event_args ? fields : ignored, true, depth + 1);
    } else if (text_[at_] == '[' && depth < kDeepest) {
      skip_array(depth + 1);
    } else {
      const std::string_view token = bare();
      if (depth == 0) fields.set(key, token);
      if (args && depth == 1) fields.set_arg(key, token);
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool repaired_ = false;
};

std::string_view sample_of(std::string_view text, std::size_t at) {
  return text.substr(at, Damage::kSampleBytes);
}

}  // namespace

ParseOutcome parse_tolerant(std::string_view text, std::uint64_t base_offset, const TolerantOptions& options,
                            EventInterpreter& out) {
  EventFields fields;
  std::size_t at = 0;
  bool after_event = options.after_event;
  std::size_t separator = options.separator.empty() ? std::string_view::npos : text.find(options.separator);
  while (true) {
    bool comma = false;
    while (at < text.size() && (is_space(text[at]) || text[at] == ',')) {
      if (text[at] == ',' && comma) out.reject_element(base_offset + at, sample_of(text, at));
      comma = comma || text[at] == ',';
      ++at;
    }
    if (at >= text.size()) return {ParseOutcome::State::complete, base_offset + text.size()};
    const std::uint64_t offset = base_offset + at;
    if (text[at] == ']') {
      if (comma) out.note(DamageReason::repaired_document, offset, sample_of(text, at));
      return {ParseOutcome::State::closed, offset};
    }
    if (text[at] != '{') {
      // Another value is an element that is no event; anything else is a line that does not belong here.
      const std::size_t line_end = std::min(text.find('\n', at), text.size());
      const std::size_t brace = text.find('{', at);
      std::size_t end = std::min(line_end, brace);
      const bool value = text[at] == '"' || text[at] == '[' || text[at] == '-' ||
                         (text[at] >= '0' && text[at] <= '9') || text.substr(at).starts_with("null") ||
                         text.substr(at).starts_with("true") || text.substr(at).starts_with("false");
      if (value) end = std::min(value_end(text, at), line_end);
      if (end >= text.size() && options.more_follows) return {ParseOutcome::State::complete, offset};
      if (value) {
        out.reject_element(offset, sample_of(text, at));
      } else {
        out.note(DamageReason::unreadable_event, offset, sample_of(text, at));
      }
      at = std::max(end, at + 1);
      after_event = true;
      continue;
    }
    // Where the event ends by its brackets, and where the next separator says so.
    std::size_t end = value_end(text, at);
    if (!options.separator.empty() && separator != std::string_view::npos && separator < at) {
      separator = text.find(options.separator, at);
    }
    if (separator != std::string_view::npos) {
      const std::size_t separator_end = separator + options.separator.find('}') + 1;
      // Brackets that pass a separator were misled by a quote: a line break cannot be inside a valid string.
      if (end == kIncomplete || end > separator_end) end = separator_end;
    }
    if (end == kIncomplete && options.more_follows) return {ParseOutcome::State::complete, offset};
    const bool cut_off = end == kIncomplete;
    const std::string_view event = text.substr(at, cut_off ? std::string_view::npos : end - at);
    fields.clear();
    LenientEvent reader(event);
    const bool readable = reader.read(fields);
    if (cut_off && reader.end() >= event.size()) {
      // The last event of a file whose writer was killed.
      out.drop(DamageReason::truncated_event, offset, sample_of(text, at));
      return {ParseOutcome::State::complete, base_offset + text.size()};
    }
    if (!readable) {
      out.drop(DamageReason::unreadable_event, offset, sample_of(text, at));
    } else {
      if (reader.repaired() || (after_event && !comma)) {
        out.note(DamageReason::repaired_event, offset, sample_of(text, at));
      }
      out.accept(fields, offset, sample_of(text, at));
    }
    at = cut_off ? at + reader.end() : end;
    after_event = true;
  }
}

}  // namespace kino
