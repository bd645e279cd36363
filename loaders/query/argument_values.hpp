// Arguments of an event, flattened from JSON as in Perfetto: each has a key with indices, a key without
// indices, and one value.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace kino {

struct ArgumentValue {
  enum class Type : std::uint8_t { integer, real, text, boolean };
  Type type = Type::integer;
  std::int64_t integer = 0;  ///< also holds the value of a boolean
  double real = 0;
  std::string text;
};

/// Calls body(key, flat_key, value) for each number, text and boolean in `json`, the arguments of an event.
/// Keys are "args.Input Dims[0][1]" and "args.Input Dims". Integers beyond int64, and unquoted values that
/// are not JSON such as 0x7f00, become texts with all characters. In a list, a null gives no value and uses
/// no index; NaN and an empty list give no value but use an index. At most 64 levels deep. Stops if body
/// returns false. O(length).
void flatten_arguments(std::string_view json,
                       const std::function<bool(const std::string& key, const std::string& flat_key,
                                                const ArgumentValue& value)>& body);

/// Finds the value of `key`, as named by flatten_arguments(). Returns false if there is none. O(length);
/// other values are not flattened.
bool find_argument(std::string_view json, std::string_view key, ArgumentValue& out);

/// Returns the name of a type: "int", "real", "string" or "bool".
std::string_view text_of(ArgumentValue::Type type);

}  // namespace kino
