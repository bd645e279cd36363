#include "loaders/formats/chrome_trace/tolerant_parser.hpp"

#include <algorithm>

#include "core/base/ascii.hpp"
#include "core/base/damage.hpp"
#include "loaders/bytes/json_scan.hpp"
#include "loaders/formats/chrome_trace/lenient_event.hpp"

namespace kino {
namespace {

/// Maximum length of an event that contains separators: every broken event costs a search of this length.
constexpr std::size_t kLargestList = std::size_t{64} << 10;

constexpr std::size_t kShortReach = std::size_t{4} << 10;

/// Returns whether a string contains a raw line break, which is invalid JSON. `text` must start outside of
/// strings.
bool breaks_line_in_string(std::string_view text) {
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' && inside) return true;
    if (text[i] == '"') inside = !inside;
    if (text[i] == '\\' && inside) ++i;
  }
  return false;
}

/// Returns the end of the first line that is followed by another event, or npos.
std::size_t end_before_next_event(std::string_view text) {
  for (std::size_t line = text.find('\n'); line != std::string_view::npos; line = text.find('\n', line + 1)) {
    std::size_t next = skip_space(text, line);
    if (next < text.size() && text[next] == ',') next = skip_space(text, next + 1);
    if (next >= text.size()) break;
    if (text[next] == '{') return line;
  }
  return std::string_view::npos;
}

}  // namespace

/// Parses one text.
class TolerantParser::Run {
 public:
  Run(TolerantParser& parser, std::string_view text, std::uint64_t base, const TolerantOptions& options,
      EventInterpreter& out)
      : parser_(parser),
        text_(text),
        base_(base),
        options_(options),
        out_(out),
        after_event_(options.after_event) {
    if (!options.separator.empty()) separator_ = text.find(options.separator);
  }

  ParseOutcome read() {
    while (true) {
      skip_commas();
      if (at_ >= text_.size()) return {ParseOutcome::State::complete, offset(), comma_due()};
      if (text_[at_] == ']') {
        if (comma_) out_.note(DamageReason::repaired_document, comma_offset_);
        return {ParseOutcome::State::closed, offset()};
      }
      if (!(text_[at_] == '{' ? take_event() : take_stray()))
        return {ParseOutcome::State::complete, offset(), comma_due()};
      after_event_ = true;
    }
  }

 private:
  std::uint64_t offset() const { return base_ + at_; }
  bool comma_due() const { return after_event_ && !comma_; }

  void skip_commas() {
    comma_ = false;
    for (; at_ < text_.size() && (is_space(text_[at_]) || text_[at_] == ','); ++at_) {
      if (text_[at_] != ',') continue;
      if (comma_) out_.reject_element(offset());
      if (!comma_) comma_offset_ = offset();
      comma_ = true;
    }
  }

  /// Skips text that is not an event. A value is reported as a rejected element, other text as an unreadable
  /// event. Returns false if more text is needed.
  bool take_stray() {
    const std::size_t line_end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view line = text_.substr(at_, line_end - at_);
    const bool value = begins_value(line);
    const std::size_t length = std::min(value ? value_end(line, 0) : line.find('{'), line.size());
    if (at_ + length >= text_.size() && options_.more_follows) return false;
    if (value) {
      out_.reject_element(offset());
    } else {
      out_.note(DamageReason::unreadable_event, offset());
    }
    at_ += std::max<std::size_t>(length, 1);
    return true;
  }

  /// Reads the next event. Returns false if more text is needed.
  bool take_event() {
    const std::string_view rest = text_.substr(at_);
    const std::string_view near = rest.substr(0, parser_.reach());
    std::size_t end = value_end(near, 0);
    if (end == kIncomplete) parser_.wasted_bytes_ += near.size();
    const bool endless = end == kIncomplete && (near.size() < rest.size() || (options_.endless && at_ == 0));
    bool valid = false;
    if (!ends_by_separator(near, endless, end, valid)) return false;
    if (end == kIncomplete && options_.separator.empty() && (endless || !options_.more_follows))
      end = end_before_next_event(near);
    if (end == kIncomplete && !endless && options_.more_follows) return false;
    const bool cut_off = end == kIncomplete;
    const std::string_view event = near.substr(0, end);
    valid = valid || (!cut_off && parser_.strict_.parse_event(event, fields_));
    LenientEvent read{true, event.size()};
    if (!valid) {
      fields_.clear();
      read = read_lenient_event(event, fields_);
    }
    if (cut_off && read.end >= event.size()) {
      drop_beginning(rest, endless, near.size());
      return true;
    }
    if (!read.readable) {
      out_.drop(DamageReason::unreadable_event, offset());
    } else {
      note_repairs(event, valid);
      out_.accept(fields_, offset());
      parser_.read_bytes_ += cut_off ? read.end : end;
    }
    at_ += cut_off ? read.end : end;
    return true;
  }

  /// Records at most one reason of repair per event.
  void note_repairs(std::string_view event, bool valid) {
    if (!valid || fields_.bare_text || (comma_due() && !options_.lines)) {
      out_.note(DamageReason::repaired_event, offset());
    } else if (find_invalid_escape(event, 0) != std::string_view::npos) {
      out_.note(DamageReason::invalid_escape, offset());
    } else if (comma_due()) {
      out_.note(DamageReason::event_lines, offset());
    }
  }

  /// Decides whether the event ends where its brackets do (`end`) or at the separator. Returns false if more
  /// text is needed to decide.
  bool ends_by_separator(std::string_view near, bool endless, std::size_t& end, bool& valid) {
    if (separator_ != std::string_view::npos && separator_ < at_)
      separator_ = text_.find(options_.separator, at_);
    if (separator_ == std::string_view::npos) return true;
    const std::size_t separator_end = separator_ - at_ + options_.separator.find('}') + 1;
    if (end <= separator_end) return true;
    // Either the separator is within a nested list of the event, or the brackets are wrong.
    const std::size_t known = std::min(end, near.size());
    if (end == kIncomplete && options_.more_follows && !endless && known < kLargestList &&
        !breaks_line_in_string(near)) {
      return false;
    }
    valid = end != kIncomplete && known < kLargestList &&
            parser_.strict_.parse_event(near.substr(0, known), fields_);
    if (!valid) end = separator_end;
    return true;
  }

  /// Drops an event that has no end. In a truncated file it is the last event. Otherwise parsing continues at
  /// the next possible event after the searched text, or within this event if all of the text was searched.
  void drop_beginning(std::string_view rest, bool endless, std::size_t searched) {
    out_.drop(endless ? DamageReason::unreadable_event : DamageReason::truncated_event, offset());
    const std::size_t from = searched < rest.size() ? searched : 1;
    at_ += endless ? std::min(rest.find("{\"", from), rest.size()) : rest.size();
  }

  TolerantParser& parser_;
  std::string_view text_;
  std::uint64_t base_;
  const TolerantOptions& options_;
  EventInterpreter& out_;
  EventFields fields_;
  std::size_t at_ = 0;
  bool after_event_;
  bool comma_ = false;
  std::uint64_t comma_offset_ = 0;  // valid if comma_
  std::size_t separator_ = std::string_view::npos;
};

ParseOutcome TolerantParser::parse(std::string_view text, std::uint64_t base_offset,
                                   const TolerantOptions& options, EventInterpreter& out) {
  return Run(*this, text, base_offset, options, out).read();
}

std::size_t TolerantParser::reach() const {
  return wasted_bytes_ < kMostWasted + kMostWastedShare * read_bytes_ ? std::string_view::npos : kShortReach;
}

}  // namespace kino
