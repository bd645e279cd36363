#include "loaders/query/argument_values.hpp"

#include <charconv>
#include <system_error>

#include "loaders/bytes/json_members.hpp"
#include "loaders/bytes/json_scan.hpp"

namespace kino {
namespace {

constexpr int kDeepest = 64;

/// Parses a number, text or boolean. Returns false for null, NaN and infinities. A number that fits no 64-bit
/// type, and an unquoted value that is not JSON, become a text.
bool read_scalar(std::string_view json, ArgumentValue& out) {
  if (json.empty()) return false;
  if (json.front() == '"') {
    if (json.size() < 2) return false;
    out.type = ArgumentValue::Type::text;
    out.text = unescape(json.substr(1, json.size() - 2));
    return true;
  }
  if (json == "true" || json == "false") {
    out.type = ArgumentValue::Type::boolean;
    out.integer = json == "true" ? 1 : 0;
    return true;
  }
  const auto take_text = [&] {
    out.type = ArgumentValue::Type::text;
    out.text = json;
    return true;
  };
  if (!is_json_word(json)) return take_text();
  const char* const end = json.data() + json.size();
  if (json.find_first_of(".eEnN") == std::string_view::npos) {
    out.type = ArgumentValue::Type::integer;
    const std::errc error = std::from_chars(json.data(), end, out.integer).ec;
    return error == std::errc{} || take_text();
  }
  if (json.find_first_of("nN") != std::string_view::npos) return false;
  out.type = ArgumentValue::Type::real;
  const std::errc error = std::from_chars(json.data(), end, out.real).ec;
  return error == std::errc{} || take_text();
}

/// Calls body(value) for each element of the list at the start of `text`, until `body` returns false or the
/// text is malformed.
template <class Body>
void for_each_element(std::string_view text, Body&& body) {
  std::size_t at = 1;
  while (true) {
    at = skip_space(text, at);
    while (at < text.size() && text[at] == ',') at = skip_space(text, at + 1);
    if (at >= text.size() || text[at] == ']') return;
    const std::size_t end = member_value_end(text, at);
    if (end == kIncomplete || end == at) return;
    if (!body(text.substr(at, end - at))) return;
    at = end;
  }
}

std::string key_text(std::string_view key) {
  return key.find('\\') == std::string_view::npos ? std::string(key) : unescape(key);
}

using Body = std::function<bool(const std::string&, const std::string&, const ArgumentValue&)>;

class Flattener {
 public:
  explicit Flattener(const Body& body) : body_(body) {}

  bool visit(std::string_view json, int depth) {
    if (depth > kDeepest || json.empty()) return true;
    bool goes_on = true;
    if (json.front() == '{') {
      for_each_member(json, [&](std::string_view name, std::string_view value) {
        const std::size_t key_size = key_.size();
        const std::size_t flat_size = flat_.size();
        const std::string text = key_text(name);
        key_ += '.' + text;
        flat_ += '.' + text;
        goes_on = visit(value, depth + 1);
        key_.resize(key_size);
        flat_.resize(flat_size);
        return goes_on;
      });
    } else if (json.front() == '[') {
      std::size_t index = 0;
      for_each_element(json, [&](std::string_view value) {
        if (value == "null") return true;
        const std::size_t key_size = key_.size();
        key_ += '[' + std::to_string(index++) + ']';
        goes_on = visit(value, depth + 1);
        key_.resize(key_size);
        return goes_on;
      });
    } else if (ArgumentValue value; read_scalar(json, value)) {
      goes_on = body_(key_, flat_, value);
    }
    return goes_on;
  }

 private:
  const Body& body_;
  std::string key_ = "args";
  std::string flat_ = "args";
};

/// Finds an argument. `rest` is the unread part of the key. Names can contain dots and brackets, so each name
/// is compared as a whole.
bool find_in(std::string_view json, std::string_view rest, int depth, ArgumentValue& out) {
  if (depth > kDeepest || json.empty()) return false;
  bool found = false;
  if (rest.empty()) return json.front() != '{' && json.front() != '[' && read_scalar(json, out);
  if (json.front() == '{' && rest.front() == '.') {
    rest.remove_prefix(1);
    for_each_member(json, [&](std::string_view name, std::string_view value) {
      const std::string escaped = name.find('\\') == std::string_view::npos ? std::string() : unescape(name);
      if (!escaped.empty()) name = escaped;
      const bool fits = rest.starts_with(name) &&
                        (rest.size() == name.size() || rest[name.size()] == '.' || rest[name.size()] == '[');
      found = fits && find_in(value, rest.substr(name.size()), depth + 1, out);
      return !found;
    });
  } else if (json.front() == '[' && rest.front() == '[') {
    std::size_t index = 0;
    for_each_element(json, [&](std::string_view value) {
      if (value == "null") return true;
      const std::string place = '[' + std::to_string(index++) + ']';
      if (!rest.starts_with(place)) return true;
      found = find_in(value, rest.substr(place.size()), depth + 1, out);
      return false;
    });
  }
  return found;
}

}  // namespace

void flatten_arguments(std::string_view json, const Body& body) { Flattener(body).visit(json, 0); }

bool find_argument(std::string_view json, std::string_view key, ArgumentValue& out) {
  constexpr std::string_view kPrefix = "args";
  return key.starts_with(kPrefix) && find_in(json, key.substr(kPrefix.size()), 0, out);
}

std::string_view text_of(ArgumentValue::Type type) {
  switch (type) {
    case ArgumentValue::Type::integer:
      return "int";
    case ArgumentValue::Type::real:
      return "real";
    case ArgumentValue::Type::text:
      return "string";
    case ArgumentValue::Type::boolean:
      return "bool";
  }
  return {};
}

}  // namespace kino
