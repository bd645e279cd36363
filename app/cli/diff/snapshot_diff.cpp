#include "app/cli/diff/snapshot_diff.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/cli/command_line/command_output.hpp"
#include "app/cli/command_line/cut_file.hpp"
#include "app/cli/diff/diff_report.hpp"
#include "app/cli/diff/diff_sides.hpp"
#include "app/cli/diff/diff_text.hpp"
#include "app/shell/settings/category_rules.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/memory/snapshot_summary.hpp"
#include "core/memory/tables/snapshot_table_kinds.hpp"
#include "core/tables/compare/gate.hpp"
#include "core/tables/compare/row_filter.hpp"
#include "loaders/formats/open.hpp"

namespace kino {
namespace {

using Json = nlohmann::ordered_json;
/// Bytes live at the peak, keyed by name.
using BytesByName = std::map<std::string, std::int64_t, std::less<>>;

constexpr std::size_t kShownRows = 8;

struct MemoryRun {
  std::string name;
  std::int64_t peak = 0;  ///< requested bytes live at the peak
  std::int64_t reserved = 0;
  BytesByName lines;
  BytesByName categories;
};

struct MemorySide {
  std::string name;
  std::vector<MemoryRun> runs;
};

Result<BytesByName> live_by(const Snapshot& snapshot, const char* group, const CategoryRuleSet& rules) {
  TableRequest request;
  request.name = kLiveTable.name;
  request.group = group;
  request.units = byte_units();
  const Result<Table> made = compute_snapshot_table(snapshot, request, rules);
  if (!made.ok()) return made.error();
  const TableColumn* const places = made.value().find("place");
  const TableColumn* const bytes = made.value().find("bytes");
  BytesByName out;
  if (places == nullptr || bytes == nullptr) return out;
  const auto& names = std::get<TableColumn::Texts>(places->values);
  const auto& sizes = std::get<TableColumn::Integers>(bytes->values);
  for (std::size_t i = 0; i < names.size(); ++i) out[names[i]] += sizes[i];
  return out;
}

Result<MemoryRun> memory_run(const DiffCommand& command, const std::filesystem::path& path,
                             const CategoryRuleSet& rules) {
  LoadProgress progress;
  const Result<OpenedSnapshot> opened = open_snapshot(path, command.opening.open_options(), progress, {});
  if (!opened.ok()) return opened.error();
  const Snapshot& snapshot = *opened.value().snapshot;
  rejects_truncated(snapshot.damage, path.string(), false);
  MemoryRun run;
  run.name = path.filename().string();
  Result<BytesByName> lines = live_by(snapshot, "line", rules);
  if (!lines.ok()) return lines.error();
  Result<BytesByName> categories = live_by(snapshot, "category", rules);
  if (!categories.ok()) return categories.error();
  run.lines = std::move(lines).value();
  run.categories = std::move(categories).value();
  for (const auto& [line, bytes] : run.lines) run.peak += bytes;
  for (const SnapshotDevice& device : snapshot.devices) {
    if (!device.host) run.reserved += static_cast<std::int64_t>(summarize_segments(device).reserved);
  }
  return run;
}

Result<MemorySide> memory_side(const DiffCommand& command, const std::string& side, std::string& straggler) {
  straggler = side;
  const CategoryRules rules = read_category_rules(category_rules_path());
  const Result<std::vector<std::filesystem::path>> files = files_of_side(side);
  if (!files.ok()) return files.error();
  MemorySide out{std::filesystem::path(side).filename().string(), {}};
  for (const std::filesystem::path& file : files.value()) {
    straggler = file.string();
    Result<MemoryRun> run = memory_run(command, file, rules.rules);
    if (!run.ok()) return run.error();
    out.runs.push_back(std::move(run).value());
  }
  return out;
}

/// A condition, and the quantity it applies to.
struct MemoryCondition {
  GateParts parts;
  bool reserved = false;
};

Result<MemoryCondition> memory_condition(const std::string& text) {
  Result<GateParts> parts = parse_gate_parts(text, kMemoryFields);
  if (!parts.ok()) return parts.error();
  const std::string& metric = parts.value().metric;
  if (metric != "peak" && metric != "reserved") {
    return Error{Error::Kind::unknown_format, "Conditions on snapshots need the metric peak or reserved"};
  }
  if (metric == "reserved" && !parts.value().condition.filter.empty())
    return Error{Error::Kind::unknown_format, "The metric reserved does not support filters"};
  if (parts.value().condition.unit == GateUnit::ms)
    return Error{Error::Kind::unknown_format, "Conditions on memory do not support ms"};
  return MemoryCondition{std::move(parts).value(), metric == "reserved"};
}

/// Returns the bytes that a condition applies to, one value per run.
std::vector<std::int64_t> samples(const MemorySide& side, const MemoryCondition& condition) {
  std::vector<std::int64_t> out;
  const std::string& text = condition.parts.condition.filter;
  const Result<RowFilter> filter = RowFilter::compile(text, kMemoryFields);
  const bool by_category = text.find("category:") != std::string::npos;
  for (const MemoryRun& run : side.runs) {
    std::int64_t bytes = condition.reserved ? run.reserved : text.empty() ? run.peak : 0;
    if (!condition.reserved && !text.empty() && filter.ok()) {
      for (const auto& [name, size] : by_category ? run.categories : run.lines)
        bytes += filter.value().matches_text(name, by_category ? "category" : "line") ? size : 0;
    }
    out.push_back(bytes);
  }
  return out;
}

struct Growth {
  std::string name;
  std::int64_t a = 0;  ///< mean over the runs of side A
  std::int64_t b = 0;
};

std::vector<Growth> growths(const MemorySide& a, const MemorySide& b, BytesByName MemoryRun::*bytes_by_name) {
  std::map<std::string, Growth> by_name;
  for (const auto& [side, sum] : {std::pair(&a, &Growth::a), {&b, &Growth::b}}) {
    for (const MemoryRun& run : side->runs) {
      for (const auto& [name, bytes] : run.*bytes_by_name) by_name[name].*sum += bytes;
    }
  }
  std::vector<Growth> out;
  for (auto& [name, growth] : by_name) {
    growth.name = name;
    growth.a /= static_cast<std::int64_t>(a.runs.size());
    growth.b /= static_cast<std::int64_t>(b.runs.size());
    out.push_back(growth);
  }
  std::ranges::stable_sort(out, std::ranges::greater(),
                           [](const Growth& growth) { return std::abs(growth.b - growth.a); });
  return out;
}

std::int64_t mean_peak(const MemorySide& side) {
  std::int64_t sum = 0;
  for (const MemoryRun& run : side.runs) sum += run.peak;
  return sum / static_cast<std::int64_t>(side.runs.size());
}

std::string bytes_text(std::int64_t bytes) {
  return (bytes < 0 ? "-" : "") + text_from_bytes(std::abs(bytes));
}

std::string change_of(const Growth& growth) {
  std::string text = (growth.b >= growth.a ? "+" : "") + bytes_text(growth.b - growth.a);
  const double percent = (static_cast<double>(growth.b) / static_cast<double>(growth.a) - 1) * 100;
  return growth.a > 0 ? text + formatted(" (%+.2f %%)", percent) : text;
}

std::string as_text(const MemorySide& a, const MemorySide& b, const DiffReport& report, bool markdown) {
  const Growth whole{"peak", mean_peak(a), mean_peak(b)};
  std::string out = (markdown ? "### " : "") + escaped(a.name) + " -> " + escaped(b.name) + ": peak " +
                    bytes_text(whole.a) + " -> " + bytes_text(whole.b) + ", " + change_of(whole) + ", n " +
                    std::to_string(a.runs.size()) + ", " + std::to_string(b.runs.size()) + "\n";
  const auto list = [&](const char* title, BytesByName MemoryRun::*bytes_by_name) {
    out += markdown ? std::string("\n| ") + title + " | A | B | change |\n|---|--:|--:|--:|\n"
                    : std::string("  by ") + title + "\n";
    std::size_t shown = 0;
    for (const Growth& growth : growths(a, b, bytes_by_name)) {
      if (growth.a == growth.b || ++shown > kShownRows) break;
      const std::string name = escaped(growth.name);
      out += markdown ? "| `" + name + "` | " + bytes_text(growth.a) + " | " + bytes_text(growth.b) + " | " +
                            change_of(growth) + " |\n"
                      : "    " + change_of(growth) + "  " + bytes_text(growth.a) + " -> " +
                            bytes_text(growth.b) + "  " + name + "\n";
    }
    if (shown == 0 && !markdown) out += "    no change\n";
  };
  list("category", &MemoryRun::categories);
  list("line", &MemoryRun::lines);
  if (markdown) out += "\n";
  for (const GateOutcome& outcome : report.outcomes) {
    out += std::string(markdown ? "- " : "  ") +
           (outcome.result == GateResult::passed ? "passed: " : "FAILED: ") +
           escaped(outcome.sentence.str()) + "\n";
  }
  return out;
}

std::string as_json(const MemorySide& a, const MemorySide& b, const DiffReport& report) {
  const auto list = [&](BytesByName MemoryRun::*bytes_by_name) {
    Json rows = Json::array();
    for (const Growth& growth : growths(a, b, bytes_by_name)) {
      if (growth.a != growth.b)
        rows.push_back({{"key", growth.name}, {"bytes_a", growth.a}, {"bytes_b", growth.b}});
    }
    return rows;
  };
  Json gate = Json::array();
  for (const GateOutcome& outcome : report.outcomes) {
    gate.push_back({{"result", outcome.result == GateResult::passed ? "passed" : "failed"},
                    {"sentence", outcome.sentence.str()}});
  }
  const Json json = {{"schema", "kinetoscope-memory-diff/1"},
                     {"a", a.name},
                     {"b", b.name},
                     {"peak_a", mean_peak(a)},
                     {"peak_b", mean_peak(b)},
                     {"n", {a.runs.size(), b.runs.size()}},
                     {"by_category", list(&MemoryRun::categories)},
                     {"by_line", list(&MemoryRun::lines)},
                     {"gate", gate}};
  return json.dump(1, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::optional<int> run_snapshot_diff(const DiffCommand& command) {
  const DiffOptions& request = command.options;
  const Result<std::vector<std::filesystem::path>> files = files_of_side(request.sides.front());
  if (!files.ok() || !is_snapshot_file(files.value().front())) return std::nullopt;
  if (request.sides.size() < 2) {
    return fail_with({Error::Kind::not_found, "A comparison of snapshots needs two files"},
                     request.sides.front());
  }
  std::vector<MemoryCondition> conditions;
  for (const std::string& text : request.fail_if) {
    Result<MemoryCondition> condition = memory_condition(text);
    if (!condition.ok()) return fail_with(condition.error(), text);
    conditions.push_back(std::move(condition).value());
  }
  std::string straggler;
  const Result<MemorySide> a = memory_side(command, request.sides.front(), straggler);
  if (!a.ok()) return fail_with(a.error(), straggler);
  const Result<MemorySide> b = memory_side(command, request.sides.back(), straggler);
  if (!b.ok()) return fail_with(b.error(), straggler);
  DiffReport report;
  report.name_a = a.value().name;
  report.name_b = b.value().name;
  report.comparison.verdict = RunVerdict::no_change;
  for (const MemoryCondition& condition : conditions) {
    report.conditions.push_back(condition.parts.condition);
    report.outcomes.push_back(check_gate_samples(condition.parts.condition, samples(a.value(), condition),
                                                 samples(b.value(), condition), true));
  }
  const std::string text =
      request.format == DiffFormat::json ? as_json(a.value(), b.value(), report)
      : request.format == DiffFormat::junit
          ? diff_junit(report)
          : as_text(a.value(), b.value(), report, request.format == DiffFormat::markdown);
  if (!print_output(text, "comparison")) return 1;
  return report.exit_code(request.strict);
}

}  // namespace kino
