// Arguments of an event, flattened from JSON like in Perfetto: a key with indices, a key without, and one
// value.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace kino {

struct ArgumentValue {
  enum class Type : std::uint8_t { integer, real, text, boolean };
  Type type = Type::integer;
  std::int64_t integer = 0;  ///< also the value of a boolean
  double real = 0;
  std::string text;
};

/// Calls body(key, flat_key, value) for each number, text and boolean in `json`, the arguments of an event.
/// Keys are "args.Input Dims[0][1]" and "args.Input Dims". Integers beyond int64 become texts with all
/// digits, and so do unquoted values that are not JSON, such as 0x7f00. null gives no value and uses no
/// index; empty lists give no value but use one. At most 64 levels deep. Stops if body returns false.
/// O(length).
void flatten_arguments(std::string_view json,
                       const std::function<bool(const std::string& key, const std::string& flat_key,
                                                const ArgumentValue& value)>& body);

/// Finds the value of `key`, as named by flatten_arguments(). Returns false if there is none. O(length),
/// without flattening other values.
bool find_argument(std::string_view json, std::string_view key, ArgumentValue& out);

/// Returns "int", "real", "string" or "bool".
std::string_view text_of(ArgumentValue::Type type);

}  // namespace kino
