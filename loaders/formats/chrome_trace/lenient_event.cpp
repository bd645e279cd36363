#include "loaders/formats/chrome_trace/lenient_event.hpp"

#include <algorithm>

#include "core/base/ascii.hpp"
#include "loaders/bytes/json_scan.hpp"

namespace kino {
namespace {

class LenientReader {
 public:
  explicit LenientReader(std::string_view text) : text_(text) {}

  /// Reads the event into `fields`. Returns false if the text is not an object, or ends before a readable
  /// member.
  bool read(EventFields& fields) {
    if (text_.empty() || text_[0] != '{') return false;
    at_ = 1;
    return members(fields, false, 0);
  }

  /// Index after the closing brace.
  std::size_t end() const { return at_; }

 private:
  static constexpr int kDeepest = 64;

  void skip() {
    while (at_ < text_.size() && (is_space(text_[at_]) || text_[at_] == ',')) ++at_;
  }

  /// Returns the content of the string that starts at at_. A quote ends the string only if the text after it
  /// can follow a string; other unescaped quotes remain part of it.
  std::string_view string(bool key) {
    const std::size_t begin = ++at_;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\\' && at_ + 1 < text_.size()) {
        // A backslash before the closing quote ends a Windows path, and does not escape the quote.
        if (text_[at_ + 1] == '"' && ends_string(at_ + 2, key) && !closes_later(at_ + 2, key)) continue;
        ++at_;
        continue;
      }
      if (c != '"') continue;
      if (ends_string(at_ + 1, key)) {
        const std::string_view content = text_.substr(begin, at_ - begin);
        ++at_;
        return content;
      }
    }
    return text_.substr(begin);
  }

  bool ends_string(std::size_t at, bool key) const {
    at = skip_space(text_, at);
    if (at >= text_.size()) return true;
    if (key) return text_[at] == ':';
    if (text_[at] == '}' || text_[at] == ']') return true;
    if (text_[at] == '"') return false;
    if (text_[at] != ',') return false;
    // A quote before a comma ends the string only if a member or an element follows the comma.
    at = skip_space(text_, at + 1);
    return at >= text_.size() ||
           std::string_view("\"{[}]-0123456789tfnNI").find(text_[at]) != std::string_view::npos;
  }

  /// Returns whether an unescaped quote later in the line can end the string and has no space before it. Only
  /// this line is searched, since writers put at least one whole member on a line.
  bool closes_later(std::size_t at, bool key) {
    if (at > later_ || key != later_key_) {
      later_key_ = key;
      for (later_ = at; later_ < text_.size() && text_[later_] != '\n'; ++later_) {
        if (text_[later_] == '"' && text_[later_ - 1] != '\\' && ends_string(later_ + 1, key)) break;
      }
    }
    return later_ < text_.size() && text_[later_] == '"' && text_[later_ - 1] != ' ';
  }

  std::string_view bare() {
    const std::size_t begin = at_;
    at_ = std::min(member_value_end(text_, at_), text_.size());
    return text_.substr(begin, at_ - begin);
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
      if (text_[at_] == '}') return;  // missing bracket
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
      if (at_ >= text_.size()) return any;
      if (text_[at_] == '}') {
        ++at_;
        return true;
      }
      std::string_view key;
      if (text_[at_] == '"') {
        key = string(true);
      } else {
        // Reads a key whose opening quote is missing.
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
        if (at_ == before) ++at_;
        if (at_ >= text_.size()) return any;
        continue;
      }
      at_ = skip_space(text_, at_ + 1);
      if (at_ >= text_.size()) return any;
      any = true;
      if (!args) fields.any = true;
      value(fields, key, args, depth);
    }
  }

  static void set_fact(EventFields& fields, std::string_view key, std::string_view value) {
    if (!fields.wants_facts()) return;
    if (const char fact = fields.wanted_fact(key); fact != 0) fields.add_fact(fact, value);
  }

  static void set_arg(EventFields& fields, std::string_view key, std::string_view value) {
    fields.set_arg(key, value);
    set_fact(fields, key, value);
  }

  void value(EventFields& fields, std::string_view key, bool args, int depth) {
    EventFields ignored;
    if (text_[at_] == '"') {
      const std::string_view content = string(false);
      if (depth == 0) fields.set(key, content);
      if (args && depth == 1) set_arg(fields, key, content);
    } else if (text_[at_] == '{' && depth < kDeepest) {
      ++at_;
      const bool event_args = depth == 0 && key == "args";
      members(event_args ? fields : ignored, true, depth + 1);
    } else if (text_[at_] == '[' && depth < kDeepest) {
      const std::size_t begin = at_;
      skip_array(depth + 1);
      if (args && depth == 1) set_fact(fields, key, text_.substr(begin, at_ - begin));
    } else {
      const std::string_view token = bare();
      if (depth == 0) fields.set(key, token);
      if (args && depth == 1) set_arg(fields, key, token);
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t later_ = 0;  // index of the quote that closes_later() found last, or the end of the line
  bool later_key_ = false;
};

}  // namespace

LenientEvent read_lenient_event(std::string_view text, EventFields& fields) {
  LenientReader reader(text);
  const bool readable = reader.read(fields);
  return {readable, reader.end()};
}

}  // namespace kino
