#include "loaders/formats/chrome_trace/strict_parser.hpp"

#include <algorithm>
#include <string>

#include <simdjson.h>

#include "loaders/bytes/json_scan.hpp"

namespace kino {
namespace {

using simdjson::ondemand::value;

/// A raw token without its trailing white space; strings without quotes. False when it can start no value.
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

/// The value's token as far as the document reaches, white space behind it included; empty when the document
/// ends where a value should stand: simdjson's table of tokens has no length for what lies behind the last
/// one.
std::string_view token_of(value it, const char* document_end) {
  const std::string_view token = it.raw_json_token();
  const char* const begin = token.data();
  if (begin >= document_end || token.size() > static_cast<std::size_t>(document_end - begin)) return {};
  return token;
}

/// The key's text between its quotes, as written. Between its closing quote and the value there is only a
/// colon and white space, so the way back from there is shorter than the way through the key.
std::string_view key_of(simdjson::ondemand::field& field, const char* value_begin) {
  const char* const begin = field.key().raw();
  const char* end = value_begin - 1;
  while (*end != '"') --end;
  return {begin, static_cast<std::size_t>(end - begin)};
}

/// The whole text of an array.
bool array_of(value& it, const char* document_end, std::string_view& out) {
  simdjson::ondemand::array array;
  if (it.get_array().get(array) != simdjson::SUCCESS || array.raw_json().get(out) != simdjson::SUCCESS)
    return false;
  if (out.data() + out.size() > document_end) return false;
  while (!out.empty() && out.back() != ']') out.remove_suffix(1);
  return !out.empty();
}

constexpr int kDeepestWord = 64;

/// Checks the bare tokens within a list or an object, down to kDeepestWord levels. False when simdjson cannot
/// read it.
bool check_words(value& it, const char* document_end, EventFields& fields, int depth) {
  if (depth > kDeepestWord) return true;
  const std::string_view token = token_of(it, document_end);
  if (token.empty()) return false;
  if (token[0] == '{') {
    simdjson::ondemand::object object;
    if (it.get_object().get(object) != simdjson::SUCCESS) return false;
    for (auto result : object) {
      if (result.error() != simdjson::SUCCESS) return false;
      if (!check_words(result.value_unsafe().value(), document_end, fields, depth + 1)) return false;
    }
  } else if (token[0] == '[') {
    simdjson::ondemand::array array;
    if (it.get_array().get(array) != simdjson::SUCCESS) return false;
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
  ArgumentIntake intake(fields);
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

/// Notes the events that contain an escape unknown to JSON, which simdjson passes over. O(length).
class EscapeNotes {
 public:
  EscapeNotes(std::string_view text, std::uint64_t base_offset, EventInterpreter& out)
      : text_(text), base_(base_offset), out_(out), next_(find_invalid_escape(text, 0)) {}

  void begin_event(std::size_t at, bool repaired) {
    end_event(at);
    begin_ = at;
    repaired_ = repaired;
  }
  /// The event that began last, if any, ends before `end`. A repaired event is noted as such only.
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

/// Puts another byte somewhere for a while.
class Borrowed {
 public:
  Borrowed(char* at, char value) : at_(at), kept_(*at) { *at = value; }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  ~Borrowed() { *at_ = kept_; }

 private:
  char* at_;
  char kept_;
};

}  // namespace

static_assert(StrictParser::kRoomAfter >= simdjson::SIMDJSON_PADDING);

struct StrictParser::State {
  simdjson::ondemand::parser parser;
  EventFields fields;
  std::string event;  // of parse_event()
};

StrictParser::StrictParser() : state_(std::make_unique<State>()) {}
StrictParser::~StrictParser() = default;
StrictParser::StrictParser(StrictParser&&) noexcept = default;
StrictParser& StrictParser::operator=(StrictParser&&) noexcept = default;

ParseOutcome StrictParser::parse(std::span<char> text, std::uint64_t base_offset, EventInterpreter& out) {
  const char* const origin = text.data();
  const std::uint64_t end_offset = base_offset + text.size();
  std::size_t length = text.size();
  while (length > 0 && static_cast<unsigned char>(origin[length - 1]) <= ' ') --length;
  const bool ends_with_comma = length > 0 && origin[length - 1] == ',';
  if (ends_with_comma) --length;
  // Between brackets the events are a document of their own; nothing is copied.
  const Borrowed open_bracket(text.data() - 1, '[');
  const Borrowed close_bracket(text.data() + length, ']');
  const char* const document_begin = origin - 1;
  const std::size_t document_size = length + 2;
  const char* const document_end = document_begin + document_size;
  const auto offset_of = [&](const char* at) {
    return base_offset + static_cast<std::uint64_t>(at - origin);
  };

  EscapeNotes escapes({origin, length}, base_offset, out);
  const char* last = nullptr;  // the last element taken
  const auto broken = [&]() -> ParseOutcome {
    if (last == nullptr) return {ParseOutcome::State::broken, base_offset};
    // Without the bracket that is not the text's own: an array that has no other end reaches as far as the
    // text.
    const std::size_t end = value_end({last, static_cast<std::size_t>(origin + length - last)}, 0);
    escapes.end_event(end == kIncomplete ? length : static_cast<std::size_t>(last - origin) + end);
    return {ParseOutcome::State::broken, end == kIncomplete ? end_offset : offset_of(last) + end, true};
  };
  simdjson::ondemand::document document;
  simdjson::ondemand::array array;
  if (state_->parser.iterate(document_begin, document_size, document_size + simdjson::SIMDJSON_PADDING)
              .get(document) != simdjson::SUCCESS ||
      document.get_array().get(array) != simdjson::SUCCESS) {
    return broken();
  }
  for (auto result : array) {
    if (result.error() != simdjson::SUCCESS) return broken();
    value element = result.value_unsafe();
    const std::string_view token = token_of(element, document_end);
    if (token.empty()) return broken();
    if (token[0] == '{') {
      state_->fields.clear();
      if (!walk_event(element, document_end, state_->fields)) return broken();
      escapes.begin_event(static_cast<std::size_t>(token.data() - origin), state_->fields.bare_text);
      if (state_->fields.bare_text) out.note(DamageReason::repaired_event, offset_of(token.data()));
      out.accept(state_->fields, offset_of(token.data()));
    } else {
      std::string_view scalar;
      if (!begins_value(token) || (token[0] != '[' && !scalar_of(token, scalar))) return broken();
      escapes.begin_other(static_cast<std::size_t>(token.data() - origin));
      out.reject_element(offset_of(token.data()));
    }
    last = token.data();
  }
  const char* next = nullptr;
  if (document.current_location().get(next) == simdjson::SUCCESS) {
    // Something follows the bracket that closed the array: it was not ours, so the event array ends here.
    const char* close = next - 1;
    while (close > document_begin && *close != ']') --close;
    escapes.end_event(static_cast<std::size_t>(std::max(close, origin) - origin));
    return {ParseOutcome::State::closed, offset_of(close)};
  }
  escapes.end_event(length);
  return {ParseOutcome::State::complete, end_offset, last != nullptr && !ends_with_comma};
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
  const char* behind = nullptr;
  return elements == 1 && document.current_location().get(behind) != simdjson::SUCCESS;
}

}  // namespace kino
