// The arguments of an event as Perfetto flattens JSON: a key with indexes, a key without, and one value.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>

namespace kino {

struct ArgumentValue {
  enum class Type : std::uint8_t { integer, real, text, boolean };
  Type type = Type::integer;
  std::int64_t integer = 0;  ///< of a boolean, too
  double real = 0;
  std::string text;
};

/// Calls body(key, flat_key, value) for each number, text and truth value of `json`, the object of arguments
/// of an event: "args.Input Dims[0][1]", "args.Input Dims". Integers beyond 64 bits with a sign are texts, so
/// that all their digits stay, and so are values without quotes that are no JSON, such as 0x7f00. null gives
/// none and takes no index; empty lists give none but take one. At most 64 levels deep. Stops when body says
/// false. O(length).
void flatten_arguments(std::string_view json,
                       const std::function<bool(const std::string& key, const std::string& flat_key,
                                                const ArgumentValue& value)>& body);

/// The value of `key`, as flatten_arguments() calls it; false without. O(length), without flattening the
/// rest.
bool find_argument(std::string_view json, std::string_view key, ArgumentValue& out);

/// "int", "real", "string", "bool".
std::string_view text_of(ArgumentValue::Type type);

}  // namespace kino
