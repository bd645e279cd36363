#include "loaders/query/sql_functions.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include <cxxabi.h>

#include "core/base/ascii.hpp"
#include "core/base/name_pattern.hpp"
#include "core/base/saturating.hpp"
#include "core/trace/name_text.hpp"
#include "loaders/query/argument_values.hpp"
#include "loaders/query/sql_aggregates.hpp"

namespace kino {
namespace {

using Values = sqlite3_value**;

/// Returns the model whose number is the argument at `place`. If the argument is absent, returns the first
/// model; if the number is unknown, null.
const QueryModel* model_of(sqlite3_context* out, int count, Values values, int place) {
  const auto& files = context_of(out).files;
  const std::int64_t file = count > place ? sqlite3_value_int64(values[place]) : 1;
  return file < 1 || static_cast<std::uint64_t>(file) > files.size()
             ? nullptr
             : files[static_cast<std::size_t>(file - 1)].get();
}

void trace_start(sqlite3_context* out, int count, Values values) {
  if (const QueryModel* const model = model_of(out, count, values, 0))
    sqlite3_result_int64(out, model->unix_ns(model->bounds().begin_ns));
}
void trace_end(sqlite3_context* out, int count, Values values) {
  if (const QueryModel* const model = model_of(out, count, values, 0))
    sqlite3_result_int64(out, model->unix_ns(model->bounds().end_ns));
}
void trace_dur(sqlite3_context* out, int count, Values values) {
  if (const QueryModel* const model = model_of(out, count, values, 0))
    sqlite3_result_int64(out, saturating_subtract(model->bounds().end_ns, model->bounds().begin_ns));
}

void give_argument(sqlite3_context* out, const ArgumentValue& value) {
  switch (value.type) {
    case ArgumentValue::Type::integer:
    case ArgumentValue::Type::boolean:
      return sqlite3_result_int64(out, value.integer);
    case ArgumentValue::Type::real:
      return sqlite3_result_double(out, value.real);
    case ArgumentValue::Type::text:
      return give_copy(out, value.text);
  }
}

void extract_arg(sqlite3_context* out, int count, Values values) {
  const QueryModel* const model = model_of(out, count, values, 2);
  if (model == nullptr || model->details() == nullptr) return;
  const EventNumber event = event_with_id(*model, values[0]);
  if (event == kNoEvent) return;
  QueryContext& context = context_of(out);
  if (context.arguments_of != event || context.arguments_in != model) {  // calls often read the same event
    context.arguments_in = nullptr;
    ++context.texts_read;
    Result<std::string> json = model->details()->arguments_json(model->event_ref(event));
    if (!json.ok()) return sqlite3_result_error(out, json.error().what.str().c_str(), -1);
    context.arguments = std::move(json.value());
    context.arguments_of = event;
    context.arguments_in = model;
  }
  ArgumentValue value;
  if (find_argument(context.arguments, text_of(values[1]), value)) give_argument(out, value);
}

/// Implements X REGEXP Y, which SQLite calls as regexp(Y, X). A constant pattern is compiled only once per
/// statement.
void regexp(sqlite3_context* out, int, Values values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL || sqlite3_value_type(values[1]) == SQLITE_NULL) return;
  auto* pattern = static_cast<NamePattern*>(sqlite3_get_auxdata(out, 0));
  std::unique_ptr<NamePattern> made;
  if (pattern == nullptr) {
    Result<NamePattern> compiled = NamePattern::compile(text_of(values[0]), LetterCase::exact);
    if (!compiled.ok()) return sqlite3_result_error(out, compiled.error().what.str().c_str(), -1);
    made = std::make_unique<NamePattern>(compiled.value());
    pattern = made.get();
  }
  sqlite3_result_int(out, pattern->found_in(text_of(values[1])) ? 1 : 0);
  if (made != nullptr) {
    sqlite3_set_auxdata(out, 0, made.release(),
                        [](void* stored) { delete static_cast<NamePattern*>(stored); });
  }
}

struct TimeUnit {
  std::string_view name;
  double ns;
};
constexpr TimeUnit kTimeUnits[] = {
    // Duration of each unit in ns; "m" is a minute.
    {"", 1},     {"ns", 1},     {"us", 1e3},   {"ms", 1e6},   {"s", 1e9},
    {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}, {"d", 86400e9}};

/// Parses a time: time_to_ns('1.5 ms') is 1500000. A number without a unit is in ns. NULL if the text is not
/// a time.
void time_to_ns(sqlite3_context* out, int, Values values) {
  if (sqlite3_value_type(values[0]) == SQLITE_INTEGER)
    return sqlite3_result_int64(out, sqlite3_value_int64(values[0]));
  const std::string_view text = text_of(values[0]);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  for (const TimeUnit& known : kTimeUnits) {
    const double ns = std::round(number * known.ns);
    if (known.name == unit && std::abs(ns) < 9.2e18)
      return sqlite3_result_int64(out, static_cast<std::int64_t>(ns));
  }
}

void short_name_of(sqlite3_context* out, int, Values values) {
  if (sqlite3_value_type(values[0]) != SQLITE_NULL) give_copy(out, short_name(text_of(values[0])));
}

void demangle(sqlite3_context* out, int, Values values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
  constexpr std::size_t kLongest = std::size_t{64} << 10;  // demangling can take more than linear time
  const std::string name(text_of(values[0]));
  int status = -1;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      name.starts_with("_Z") && name.size() < kLongest
          ? abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status)
          : nullptr,
      &std::free);
  give_copy(out, plain != nullptr && status == 0 ? std::string_view(plain.get()) : std::string_view(name));
}

void base64_encode(sqlite3_context* out, int, Values values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto* const bytes = static_cast<const unsigned char*>(sqlite3_value_blob(values[0]));
  const auto size = static_cast<std::size_t>(sqlite3_value_bytes(values[0]));
  std::string text;
  text.reserve((size + 2) / 3 * 4);
  for (std::size_t i = 0; i < size; i += 3) {
    const std::size_t count = std::min<std::size_t>(3, size - i);
    unsigned bits = static_cast<unsigned>(bytes[i]) << 16U;
    if (count > 1) bits |= static_cast<unsigned>(bytes[i + 1]) << 8U;
    if (count > 2) bits |= bytes[i + 2];
    for (std::size_t digit = 0; digit < 4; ++digit)
      text += digit <= count ? kDigits[(bits >> (18 - 6 * digit)) & 63U] : '=';
  }
  give_copy(out, text);
}

/// Hashes all arguments with FNV-1a: their texts, each followed by a terminator.
void hash(sqlite3_context* out, int count, Values values) {
  std::uint64_t state = 0xcbf29ce484222325U;
  const auto take = [&state](unsigned char byte) { state = (state ^ byte) * 0x100000001b3U; };
  for (int i = 0; i < count; ++i) {
    for (const char c : text_of(values[i])) take(static_cast<unsigned char>(c));
    take(0);
  }
  sqlite3_result_int64(out, static_cast<std::int64_t>(state));
}

/// Returns its argument: `ts` already is Unix time, as far as the file contains the date.
void to_realtime(sqlite3_context* out, int, Values values) { sqlite3_result_value(out, values[0]); }

struct Function {
  std::string_view name;
  int arguments;
  void (*call)(sqlite3_context*, int, Values);
};
constexpr Function kFunctions[] = {
    // Name, number of arguments (-1: any number), and implementation.
    {"trace_start", 0, trace_start},
    {"trace_start", 1, trace_start},
    {"trace_end", 0, trace_end},
    {"trace_end", 1, trace_end},
    {"trace_dur", 0, trace_dur},
    {"trace_dur", 1, trace_dur},
    {"extract_arg", 2, extract_arg},
    {"extract_arg", 3, extract_arg},
    {"regexp", 2, regexp},
    {"time_to_ns", 1, time_to_ns},
    {"ns", 1, time_to_ns},
    {"short_name", 1, short_name_of},
    {"demangle", 1, demangle},
    {"base64_encode", 1, base64_encode},
    {"hash", -1, hash},
    {"to_realtime", 1, to_realtime}};

/// Other permitted functions, between spaces.
constexpr std::string_view kAllowed =
    " -> ->> abs acos acosh asin asinh atan atan2 atanh avg ceil ceiling char coalesce cos cosh count "
    "cume_dist date datetime degrees dense_rank exp first_value floor format glob group_concat hex ifnull "
    "iif instr json json_array json_array_length json_each json_extract json_group_array json_group_object "
    "json_insert json_object json_patch json_quote json_remove json_replace json_set json_tree json_type "
    "json_valid julianday lag last_value lead length like likelihood likely ln log log10 log2 lower ltrim "
    "max min mod nth_value ntile nullif percent_rank pi pow power printf quote radians random randomblob "
    "rank replace round row_number rtrim sign sin sinh sqlite_version sqrt strftime substr substring sum "
    "tan tanh time total trim trunc typeof unicode unixepoch unlikely upper zeroblob ";

}  // namespace

int register_functions(sqlite3* database, QueryContext& context) {
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  for (const Function& function : kFunctions) {
    const int code = sqlite3_create_function_v2(database, function.name.data(), function.arguments, kFlags,
                                                &context, function.call, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return code;
  }
  return register_aggregates(database, context);
}

bool function_allowed(std::string_view name) {
  const std::string lower_name = lowered(name);
  return std::ranges::find(kFunctions, lower_name, &Function::name) != std::end(kFunctions) ||
         (!contains(lower_name, " ") && contains(kAllowed, " " + lower_name + " ")) || aggregate_known(name);
}

}  // namespace kino
