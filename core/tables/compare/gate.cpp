#include "core/tables/compare/gate.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/base/ascii.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/compare/statistics.hpp"

namespace kino {
namespace {

constexpr std::size_t kMinGateSamples = 4;
constexpr double kNsPerMs = 1e6;
constexpr double kBytesPerMb = 1e6;
constexpr std::string_view kLedgerPrefix = "ledger:";

Error unreadable(Message what, std::size_t at) { return {Error::Kind::unknown_format, std::move(what), at}; }

/// Returns the position of the filter's closing brace. Braces in quotes or in a /regex/ are ignored.
std::size_t closing_brace(std::string_view text, std::size_t open) {
  char quote = 0;
  for (std::size_t i = open + 1; i < text.size(); ++i) {
    if (quote != 0) {
      if (text[i] == quote) quote = 0;
    } else if (text[i] == '"' ||
               (text[i] == '/' && (text[i - 1] == '{' || text[i - 1] == ' ' || text[i - 1] == ':'))) {
      quote = text[i];
    } else if (text[i] == '}') {
      return i;
    }
  }
  return std::string_view::npos;
}

std::int64_t cause_ns(const RunWindow& window, TimeCategory cause) {
  return window.causes[static_cast<std::size_t>(cause)];
}

/// Returns the window's time of this host cause; -1 if unknown.
std::int64_t host_ns(const RunWindow& window, HostCause cause) {
  return window.host ? (*window.host)[static_cast<std::size_t>(cause)] : -1;
}

bool is_of(GateMetric metric, TimeCategory cause) {
  switch (metric) {
    case GateMetric::compute:
      return cause == TimeCategory::compute;
    case GateMetric::comm:
      return cause == TimeCategory::comm;
    case GateMetric::copy:
      return cause == TimeCategory::copy;
    case GateMetric::busy:
      return !is_idle(cause);
    default:
      return cause == TimeCategory::compute || cause == TimeCategory::comm;
  }
}

/// Returns one sample per window: the sum over matching rows of their time, or of their instances for
/// GateMetric::kernels.
std::vector<std::int64_t> row_samples(const RunRecord& run, GateMetric metric, const RowFilter& filter) {
  std::vector<std::int64_t> out(run.windows.size());
  for (const RunRow& row : run.rows) {
    if (!is_of(metric, row.cause) || !filter.matches(row)) continue;
    for (const RunCell& cell : row.cells)
      out[cell.window] += metric == GateMetric::kernels ? cell.instances : cell.ns;
  }
  return out;
}

/// Returns the value of a metric that needs_ledger(); -1 if unknown.
std::int64_t ledger_sample(const RunWindow& window, const GateCondition& condition) {
  if (!window.ledger) return -1;
  if (condition.metric == GateMetric::hfu) return window.counts.hfu_ppm;
  return condition.metric == GateMetric::ceiling ? step_ceiling(*window.ledger).at_roof_ns
                                                 : (*window.ledger)[condition.row];
}

std::int64_t window_sample(const RunWindow& window, GateMetric metric) {
  switch (metric) {
    case GateMetric::step:
      return window.length_ns();
    case GateMetric::idle:
      return cause_ns(window, TimeCategory::idle_host) + cause_ns(window, TimeCategory::idle_launch) +
             cause_ns(window, TimeCategory::idle_loader) + cause_ns(window, TimeCategory::idle_tail);
    case GateMetric::idle_host:
      return cause_ns(window, TimeCategory::idle_host);
    case GateMetric::idle_launch:
      return cause_ns(window, TimeCategory::idle_launch);
    case GateMetric::idle_loader:
      return cause_ns(window, TimeCategory::idle_loader);
    case GateMetric::idle_sync:
      return host_ns(window, HostCause::synchronize);
    case GateMetric::idle_malloc:
      return host_ns(window, HostCause::allocate);
    case GateMetric::idle_gc:
      return host_ns(window, HostCause::collect);
    case GateMetric::idle_lock:
      return host_ns(window, HostCause::lock);
    case GateMetric::launches:
      return window.counts.launches;
    case GateMetric::syncs:
      return window.counts.syncs;
    case GateMetric::graph_launches:
      return window.counts.graph_launches;
    case GateMetric::bytes_comm:
      return window.counts.bytes_comm;
    case GateMetric::mfu:
      return window.counts.mfu_ppm;
    default:
      return window.counts.memory_peak;
  }
}

bool takes_filter(GateMetric metric) {
  return metric == GateMetric::compute || metric == GateMetric::comm || metric == GateMetric::copy ||
         metric == GateMetric::kernel_time || metric == GateMetric::kernels || metric == GateMetric::busy;
}

std::vector<std::int64_t> samples_of(const RunRecord& run, const GateCondition& condition) {
  if (takes_filter(condition.metric)) {
    const Result<RowFilter> filter = RowFilter::compile(condition.filter, kWorkFields);
    return filter.ok() ? row_samples(run, condition.metric, filter.value()) : std::vector<std::int64_t>();
  }
  std::vector<std::int64_t> out;
  const bool of_ledger = needs_ledger(condition.metric);
  for (const RunWindow& window : run.windows) {
    out.push_back(of_ledger ? ledger_sample(window, condition) : window_sample(window, condition.metric));
  }
  if (condition.metric == GateMetric::memory_peak && !out.empty()) out = {*std::ranges::max_element(out)};
  return out;
}

double mean_of_samples(const std::vector<std::int64_t>& samples) {
  double sum = 0;
  for (const std::int64_t sample : samples) sum += static_cast<double>(sample);
  return samples.empty() ? 0 : sum / static_cast<double>(samples.size());
}

double change_in(const GateCondition& condition, double a, double b) {
  switch (condition.unit) {
    case GateUnit::percent:
      return a == 0 ? (b == 0 ? 0 : std::copysign(HUGE_VAL, b)) : (b / a - 1) * 100;
    case GateUnit::ms:
      return (b - a) / kNsPerMs;
    case GateUnit::megabytes:
      return (b - a) / kBytesPerMb;
    case GateUnit::count:
      break;
  }
  return b - a;
}

std::string change_text(double change, GateUnit unit) {
  switch (unit) {
    case GateUnit::percent:
      return formatted("%+.2f %%", change);
    case GateUnit::ms:
      return formatted("%+.3f ms", change);
    case GateUnit::megabytes:
      return formatted("%+.3f MB", change);
    case GateUnit::count:
      break;
  }
  return formatted("%+.6g", change);
}

/// Sets the metric of the condition. Fails if the name is not the name of a metric or of a ledger row.
std::optional<Error> set_metric(std::string_view name, GateCondition& condition) {
  if (name.starts_with(kLedgerPrefix)) {
    const std::optional<StepRow> row = step_row_named(name.substr(kLedgerPrefix.size()));
    if (!row) {
      std::vector<Message> rows;
      rows.reserve(kStepRowCount);
      for (std::size_t i = 0; i < kStepRowCount; ++i) rows.emplace_back(text_of(static_cast<StepRow>(i)));
      return unreadable({msg::condition_row_unknown, comma_list(rows)}, 0);
    }
    condition.metric = GateMetric::ledger;
    condition.row = *row;
    return std::nullopt;
  }
  const auto found = std::ranges::find(kGateMetricNames, name);
  if (found == kGateMetricNames.end()) {
    return unreadable(
        {msg::condition_metric_unknown, comma_list({kGateMetricNames.begin(), kGateMetricNames.end()})}, 0);
  }
  condition.metric = static_cast<GateMetric>(found - kGateMetricNames.begin());
  return std::nullopt;
}

}  // namespace

Result<GateParts> parse_gate_parts(std::string_view text, std::span<const std::string_view> fields) {
  GateParts parts;
  GateCondition& condition = parts.condition;
  condition.text = text;
  std::size_t at = text.find_first_of("{<>");
  if (at == std::string_view::npos) return unreadable(msg::condition_needs_parts, 0);
  parts.metric = trimmed(text.substr(0, at));
  if (text[at] == '{') {
    const std::size_t close = closing_brace(text, at);
    if (close == std::string_view::npos) return unreadable(msg::condition_missing_brace, at);
    condition.filter = text.substr(at + 1, close - at - 1);
    at = text.find_first_not_of(' ', close + 1);
    if (at == std::string_view::npos || (text[at] != '<' && text[at] != '>'))
      return unreadable(msg::condition_needs_relation, close + 1);
  }
  condition.above = text[at] == '>';
  ++at;
  if (at < text.size() && text[at] == '=') {
    condition.equal_too = true;
    ++at;
  }
  std::string_view rest = trimmed(text.substr(at));
  if (rest.starts_with("+")) rest.remove_prefix(1);
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), condition.value);
  if (error != std::errc() || !std::isfinite(condition.value))
    return unreadable(msg::condition_value_not_a_number, at);
  const std::string_view unit = trimmed(rest.substr(static_cast<std::size_t>(end - rest.data())));
  if (unit == "%") {
    condition.unit = GateUnit::percent;
  } else if (unit == "ms") {
    condition.unit = GateUnit::ms;
  } else if (unit == "MB") {
    condition.unit = GateUnit::megabytes;
  } else if (!unit.empty()) {
    return unreadable(msg::condition_unit_unknown, at);
  }
  const Result<RowFilter> filter = RowFilter::compile(condition.filter, fields);
  if (!filter.ok()) return filter.error();
  return parts;
}

Result<GateCondition> parse_gate(std::string_view text) {
  Result<GateParts> parts = parse_gate_parts(text, kWorkFields);
  if (!parts.ok()) return parts.error();
  GateCondition condition = parts.value().condition;
  if (std::optional<Error> problem = set_metric(parts.value().metric, condition)) return std::move(*problem);
  const GateMetric metric = condition.metric;
  const bool bytes = metric == GateMetric::bytes_comm || metric == GateMetric::memory_peak;
  if (!condition.filter.empty() && !takes_filter(metric))
    return unreadable(msg::condition_takes_no_filter, 0);
  if ((metric == GateMetric::mfu || metric == GateMetric::hfu) && condition.unit != GateUnit::percent)
    return unreadable({msg::condition_share_needs_percent, parts.value().metric}, 0);
  if (condition.unit == GateUnit::ms && is_exact(metric))
    return unreadable(msg::condition_metric_not_a_time, 0);
  if (condition.unit == GateUnit::megabytes && !bytes)
    return unreadable(msg::condition_metric_not_in_bytes, 0);
  if (condition.unit == GateUnit::count && !is_exact(metric) && condition.value != 0)
    return unreadable(msg::condition_time_needs_unit, 0);
  return condition;
}

GateOutcome check_gate_samples(const GateCondition& condition, const std::vector<std::int64_t>& a,
                               const std::vector<std::int64_t>& b, bool exact) {
  GateOutcome out;
  out.a = mean_of_samples(a);
  out.b = mean_of_samples(b);
  out.change = change_in(condition, out.a, out.b);
  const bool beyond = condition.beyond(out.change);
  const bool enough = a.size() >= kMinGateSamples && b.size() >= kMinGateSamples;
  if (!exact) out.p = mann_whitney_p(a, b);
  out.result = !beyond                                     ? GateResult::passed
               : exact || (enough && out.p < kSignificant) ? GateResult::failed
                                                           : GateResult::inconclusive;
  std::vector<Message> figures{change_text(out.change, condition.unit)};
  if (!exact) figures.emplace_back("p " + formatted("%.3g", out.p));
  if (out.result == GateResult::inconclusive)
    figures.emplace_back(enough ? msg::gate_not_significant : msg::gate_too_few_samples);
  out.sentence = {msg::with_colon, condition.text, comma_list(figures)};
  return out;
}

Message reason_without_ledger(const RunRecord& a, const RunRecord& b) {
  for (const auto& [run, side] : {std::pair(&a, msg::a), {&b, msg::b}}) {
    const bool known =
        std::ranges::all_of(run->windows, [](const RunWindow& window) { return window.ledger.has_value(); });
    if (!known)
      return {run->facts.gpu_work > 0 ? msg::gate_ledger_not_stored : msg::gate_ledger_without_gpu, side};
  }
  return {};
}

GateOutcome check_gate(const GateCondition& condition, const RunRecord& a, const RunRecord& b,
                       const RunComparison& comparison) {
  const std::vector<std::int64_t> samples_a = samples_of(a, condition);
  const std::vector<std::int64_t> samples_b = samples_of(b, condition);
  const GateMetric metric = condition.metric;
  GateOutcome out = check_gate_samples(condition, samples_a, samples_b, is_exact(metric));
  const bool of_host = metric >= GateMetric::idle_sync && metric <= GateMetric::idle_lock;
  Message if_unknown;
  if (needs_ledger(metric)) if_unknown = reason_without_ledger(a, b);
  if (metric == GateMetric::memory_peak) if_unknown = msg::gate_no_memory;
  if (metric == GateMetric::mfu || (metric == GateMetric::hfu && if_unknown.empty()))
    if_unknown = msg::gate_no_operations;
  if (of_host) if_unknown = msg::gate_no_host;
  const auto unknown = [](std::int64_t sample) { return sample < 0; };
  if (!if_unknown.empty() &&
      (std::ranges::any_of(samples_a, unknown) || std::ranges::any_of(samples_b, unknown))) {
    out.result = GateResult::inconclusive;
    out.sentence = {msg::with_colon, condition.text, if_unknown};
  }
  if (metric == GateMetric::step) {
    // Uses the test of the verdict, which may compare pairs of steps.
    const StepChange& step = comparison.decisive();
    out.p = step.p;
    if (out.result == GateResult::failed && !(out.p < kSignificant)) out.result = GateResult::inconclusive;
    const bool enough = samples_a.size() >= kMinGateSamples && samples_b.size() >= kMinGateSamples;
    if (out.result == GateResult::inconclusive && enough && out.p < kSignificant)
      out.result = GateResult::failed;
    if (condition.unit == GateUnit::percent && std::abs(condition.value) < step.detectable * 100) {
      const Message below(msg::gate_below_detectable, formatted("%.1f", step.detectable * 100));
      out.sentence = {msg::with_semicolon, out.sentence, below};
    }
  }
  return out;
}

}  // namespace kino
