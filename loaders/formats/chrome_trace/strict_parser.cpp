#include "loaders/formats/chrome_trace/strict_parser.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include <simdjson.h>

#include "loaders/bytes/json_scan.hpp"

namespace kino {
namespace {

using simdjson::ondemand::value;

/// Trims a raw token, and removes its quotes. Returns false if the token cannot start a value.
bool scalar_of(std::string_view token, std::string_view& out) {
  while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ') token.remove_suffix(1);
  if (token.empty()) return false;
  switch (token[0]) {
    case '"':
      if (token.size() < 2 || token.back() != '"') return false;
      out = token.substr(1, token.size() - 2);
      return true;
    case ',':
    case ':':
    case '}':
    case ']':
      return false;
    default:
      out = token;
      return true;
  }
}

/// Returns the value's token and the white space after it. Empty if the token would extend beyond the
/// document: in an incomplete document, simdjson can return a position after the last token.
std::string_view token_of(value element, const char* document_end) {
  const std::string_view token = element.raw_json_token();
  const char* const begin = token.data();
  if (begin >= document_end || token.size() > static_cast<std::size_t>(document_end - begin)) return {};
  return token;
}

/// Returns the raw key. Only a colon and white space separate it from its value, so searching backwards from
/// the value is faster than scanning the key.
std::string_view key_of(simdjson::ondemand::field& field, const char* value_begin) {
  const char* const begin = field.key().raw();
  const char* end = value_begin - 1;
  while (*end != '"') --end;
  return {begin, static_cast<std::size_t>(end - begin)};
}

/// Reads the whole text of an array.
bool array_of(value& element, const char* document_end, std::string_view& out) {
  simdjson::ondemand::array array;
  if (element.get_array().get(array) != simdjson::SUCCESS || array.raw_json().get(out) != simdjson::SUCCESS)
    return false;
  if (out.data() + out.size() > document_end) return false;
  while (!out.empty() && out.back() != ']') out.remove_suffix(1);
  return !out.empty();
}

constexpr int kDeepestWord = 64;

/// Checks the bare tokens in a list or object, down to kDeepestWord levels. Returns false if simdjson cannot
/// read the value.
bool check_words(value& element, const char* document_end, EventFields& fields, int depth) {
  if (depth > kDeepestWord) return true;
  const std::string_view token = token_of(element, document_end);
  if (token.empty()) return false;
  if (token[0] == '{') {
    simdjson::ondemand::object object;
    if (element.get_object().get(object) != simdjson::SUCCESS) return false;
    for (auto result : object) {
      if (result.error() != simdjson::SUCCESS) return false;
      if (!check_words(result.value_unsafe().value(), document_end, fields, depth + 1)) return false;
    }
  } else if (token[0] == '[') {
    simdjson::ondemand::array array;
    if (element.get_array().get(array) != simdjson::SUCCESS) return false;
    for (auto result : array) {
      if (result.error() != simdjson::SUCCESS) return false;
      if (!check_words(result.value_unsafe(), document_end, fields, depth + 1)) return false;
    }
  } else {
    fields.check_word(token);
  }
  return true;
}

bool walk_args(value& args, const char* document_end, EventFields& fields) {
  simdjson::ondemand::object object;
  if (args.get_object().get(object) != simdjson::SUCCESS) return false;
  ArgumentReceiver intake(fields);
  bool wanted = true;
  for (auto result : object) {
    if (result.error() != simdjson::SUCCESS) return false;
    simdjson::ondemand::field field = result.value_unsafe();
    const std::string_view token = token_of(field.value(), document_end);
    if (token.empty()) return false;
    fields.check_word(token);
    if (!wanted || token[0] == '{' || !intake.may_matter(field.key().raw())) continue;
    const std::string_view key = key_of(field, token.data());
    const char fact = intake.fact_of(key);
    if (token[0] == '[') {
      std::string_view text;
      if (fact != 0 && !array_of(field.value(), document_end, text)) return false;
      if (fact != 0) fields.add_fact(fact, text);
      continue;
    }
    std::string_view scalar;
    if (!scalar_of(token, scalar)) return false;
    wanted = intake.take_scalar(key, fact, scalar);
  }
  return true;
}

bool walk_event(value& event, const char* document_end, EventFields& fields) {
  simdjson::ondemand::object object;
  if (event.get_object().get(object) != simdjson::SUCCESS) return false;
  for (auto result : object) {
    if (result.error() != simdjson::SUCCESS) return false;
    simdjson::ondemand::field field = result.value_unsafe();
    fields.any = true;
    const std::string_view token = token_of(field.value(), document_end);
    if (token.empty()) return false;
    const std::string_view key = key_of(field, token.data());
    if (token[0] == '{') {
      if (key != "args") continue;
      if (fields.wants_args() && !walk_args(field.value(), document_end, fields)) return false;
      if (fields.checks_all_words() && !check_words(field.value(), document_end, fields, 0)) return false;
      continue;
    }
    if (token[0] == '[') continue;
    std::string_view scalar;
    if (!scalar_of(token, scalar)) return false;
    fields.check_word(token);
    fields.set(key, scalar);
  }
  return true;
}

/// Records events that contain escapes unknown to JSON, which simdjson accepts. O(length).
class EscapeNotes {
 public:
  EscapeNotes(std::string_view text, std::uint64_t base_offset, EventInterpreter& out)
      : text_(text), base_(base_offset), out_(out), next_(find_invalid_escape(text, 0)) {}

  void begin_event(std::size_t at, bool repaired) {
    end_event(at);
    begin_ = at;
    repaired_ = repaired;
  }
  /// Ends the event before `end`, if one has started. Repaired events are not recorded again.
  void end_event(std::size_t end) {
    if (next_ >= end) return;
    if (begin_ != std::string_view::npos && !repaired_)
      out_.note(DamageReason::invalid_escape, base_ + begin_);
    next_ = find_invalid_escape(text_, end);
  }
  void begin_other(std::size_t at) {
    end_event(at);
    begin_ = std::string_view::npos;
  }

 private:
  std::string_view text_;
  std::uint64_t base_;
  EventInterpreter& out_;
  std::size_t next_;
  std::size_t begin_ = std::string_view::npos;
  bool repaired_ = false;
};

/// Replaces a byte temporarily.
class Borrowed {
 public:
  Borrowed(char* at, char value) : at_(at), original_(*at) { *at = value; }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  ~Borrowed() { *at_ = original_; }

 private:
  char* at_;
  char original_;
};

/// Passes the elements of a unit to the interpreter.
class UnitReader {
 public:
  /// `text` is the unit between the added brackets. `end_offset` is the offset of the unit's end, including a
  /// trailing comma and white space.
  UnitReader(std::string_view text, std::uint64_t base_offset, std::uint64_t end_offset, EventFields& fields,
             EventInterpreter& out)
      : text_(text),
        base_(base_offset),
        end_offset_(end_offset),
        fields_(fields),
        out_(out),
        escapes_(text, base_offset, out) {}

  /// Adds an element. Returns false if the element cannot be read.
  bool take(value element) {
    const char* const document_end = text_.data() + text_.size() + 1;
    const std::string_view token = token_of(element, document_end);
    if (token.empty()) return false;
    const auto at = static_cast<std::size_t>(token.data() - text_.data());
    if (token[0] == '{') {
      fields_.clear();
      if (!walk_event(element, document_end, fields_)) return false;
      escapes_.begin_event(at, fields_.bare_text);
      if (fields_.bare_text) out_.note(DamageReason::repaired_event, base_ + at);
      out_.accept(fields_, base_ + at);
    } else {
      std::string_view scalar;
      if (!begins_value(token) || (token[0] != '[' && !scalar_of(token, scalar))) return false;
      escapes_.begin_other(at);
      out_.reject_element(base_ + at);
    }
    last_ = at;
    return true;
  }

  ParseOutcome broken() {
    if (!last_) return {ParseOutcome::State::broken, base_};
    // The added bracket is excluded: if the last element is an array that is not closed, it extends to the
    // end of the text.
    const std::size_t end = value_end(text_, *last_);
    escapes_.end_event(std::min(end, text_.size()));
    return {ParseOutcome::State::broken, end == kIncomplete ? end_offset_ : base_ + end, true};
  }
  /// Returns the outcome for an array that ended within the text. `next` follows its bracket, which is not
  /// the added one.
  ParseOutcome closed(const char* next) {
    const char* const document_begin = text_.data() - 1;
    const char* close = next - 1;
    while (close > document_begin && *close != ']') --close;
    escapes_.end_event(static_cast<std::size_t>(std::max(close, text_.data()) - text_.data()));
    return {ParseOutcome::State::closed, base_ + static_cast<std::uint64_t>(close - text_.data())};
  }
  ParseOutcome complete(bool ends_with_comma) {
    escapes_.end_event(text_.size());
    return {ParseOutcome::State::complete, end_offset_, last_ && !ends_with_comma};
  }

 private:
  std::string_view text_;
  std::uint64_t base_;
  std::uint64_t end_offset_;
  EventFields& fields_;
  EventInterpreter& out_;
  EscapeNotes escapes_;
  std::optional<std::size_t> last_;  // index of the last element that was taken
};

}  // namespace

static_assert(StrictParser::kRoomAfter >= simdjson::SIMDJSON_PADDING);

struct StrictParser::State {
  simdjson::ondemand::parser parser;
  EventFields fields;
  std::string event;  // copied by parse_event()
};

StrictParser::StrictParser() : state_(std::make_unique<State>()) {}
StrictParser::~StrictParser() = default;
StrictParser::StrictParser(StrictParser&&) noexcept = default;
StrictParser& StrictParser::operator=(StrictParser&&) noexcept = default;

ParseOutcome StrictParser::parse(std::span<char> text, std::uint64_t base_offset, EventInterpreter& out) {
  std::string_view unit(text.data(), text.size());
  while (!unit.empty() && static_cast<unsigned char>(unit.back()) <= ' ') unit.remove_suffix(1);
  const bool ends_with_comma = unit.ends_with(',');
  if (ends_with_comma) unit.remove_suffix(1);
  // Turns the unit into a JSON document in place: brackets temporarily replace the bytes around it.
  const Borrowed open_bracket(text.data() - 1, '[');
  const Borrowed close_bracket(text.data() + unit.size(), ']');
  const std::size_t size = unit.size() + 2;
  UnitReader reader(unit, base_offset, base_offset + text.size(), state_->fields, out);
  simdjson::ondemand::document document;
  simdjson::ondemand::array array;
  if (state_->parser.iterate(unit.data() - 1, size, size + simdjson::SIMDJSON_PADDING).get(document) !=
          simdjson::SUCCESS ||
      document.get_array().get(array) != simdjson::SUCCESS) {
    return reader.broken();
  }
  for (auto result : array) {
    if (result.error() != simdjson::SUCCESS || !reader.take(result.value_unsafe())) return reader.broken();
  }
  const char* next = nullptr;
  if (document.current_location().get(next) == simdjson::SUCCESS) return reader.closed(next);
  return reader.complete(ends_with_comma);
}

bool StrictParser::parse_event(std::string_view event, EventFields& fields) {
  std::string& text = state_->event;
  text.assign("[").append(event).append("]");
  const std::size_t size = text.size();
  text.append(kRoomAfter, '\0');
  const char* const end = text.data() + size;
  simdjson::ondemand::document document;
  simdjson::ondemand::array array;
  if (state_->parser.iterate(text.data(), size, text.size()).get(document) != simdjson::SUCCESS ||
      document.get_array().get(array) != simdjson::SUCCESS) {
    return false;
  }
  std::size_t elements = 0;
  for (auto result : array) {
    if (result.error() != simdjson::SUCCESS || ++elements > 1) return false;
    value element = result.value_unsafe();
    if (!token_of(element, end).starts_with('{')) return false;
    fields.clear();
    if (!walk_event(element, end, fields)) return false;
  }
  const char* next = nullptr;
  return elements == 1 && document.current_location().get(next) != simdjson::SUCCESS;
}

}  // namespace kino
