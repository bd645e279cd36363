#include "app/cli/command_line/option_groups.hpp"

#include <charconv>
#include <cmath>

#include <CLI/CLI.hpp>

#include "app/cli/command_line/command_output.hpp"
#include "core/base/platform/new_file.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr int kMostJobs = 1'000'000;

std::string range_problem(const std::string& text) {
  return range_from_text(text)
             ? std::string()
             : "needs BEGIN..END, with BEGIN before END, in ns, us, ms or s, or without a unit";
}

std::string rows_problem(const std::string& text) {
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return digits ? std::string() : "needs a number of rows, 0 for all";
}

}  // namespace

void FileArgument::add_to(CLI::App& app, const std::string& about, const std::string& name) {
  app.add_option(name, file, about)->required()->type_name("");
}

CLI::Option* FilesArgument::add_to(CLI::App& app, const std::string& about) {
  return app.add_option("FILE", files, about)->required()->type_name("");
}

void OutputArgument::add_to(CLI::App& app, const std::string& about) {
  app.add_option("OUT", file, about)->required()->type_name("");
}

bool folder_missing(const std::filesystem::path& output, const std::filesystem::path& shown) {
  const std::optional<Error> missing = missing_folder(output);
  if (missing) fail_with(*missing, shown.empty() ? output : shown);
  return missing.has_value();
}

void StrictOption::add_to(CLI::App& app) {
  app.add_flag("--strict", on, "Treat a truncated file as an error: exit code 1, no output");
}

void JobOption::add_to(CLI::App& app) {
  app.add_option("--job", number,
                 "Number of the job if a folder contains several, in order of descending rank count")
      ->capture_default_str()
      ->type_name("N")
      ->check(CLI::Range(1, kMostJobs).description(""));
}

CLI::Option* RangeOption::add_to(CLI::App& app, const std::string& about) {
  return app
      .add_option_function<std::string>(
          "--range", [this](const std::string& text) { range = range_from_text(text); }, about)
      ->type_name("A..B")
      ->check(range_problem);
}

std::optional<Error> outside_trace(const TimeRange& range, const TimeRange& trace) {
  if (range.begin_ns <= trace.end_ns && range.end_ns > trace.begin_ns) return std::nullopt;
  return Error{Error::Kind::not_found, "the range is outside of the trace, which covers " +
                                           exact_text_from_ns(trace.begin_ns) + " to " +
                                           exact_text_from_ns(trace.end_ns)};
}

void LimitOption::add_to(CLI::App& app, const std::string& preset) {
  app.add_option("--limit", rows, "Maximum number of rows (default " + preset + "; 0 = all)")
      ->type_name("N")
      ->check(rows_problem);
}

void MomentOptions::add_to(CLI::App& app) {
  app.add_option(
         "--at", at,
         "For snapshots: the moment to show: peak, start, end, oom or an event's number (default peak)")
      ->type_name("MOMENT");
  app.add_option("--device", device,
                 "For snapshots: number of the device (default: the device with the highest peak)")
      ->type_name("N");
}

std::optional<std::int64_t> ns_from_text(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const double factor = unit.empty() || unit == "ns" ? 1
                        : unit == "us"               ? 1e3
                        : unit == "ms"               ? 1e6
                        : unit == "s"                ? 1e9
                                                     : 0;
  constexpr double kMost = 9e18;
  if (factor == 0 || !(std::abs(number * factor) < kMost)) return std::nullopt;
  return std::llround(number * factor);
}

std::optional<TimeRange> range_from_text(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  const auto begin = ns_from_text(text.substr(0, dots));
  const auto end = ns_from_text(text.substr(dots + 2));
  if (!begin || !end || *end <= *begin) return std::nullopt;
  return TimeRange{*begin, *end};
}

}  // namespace kino
