#include "core/tables/compare/run_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/base/saturating.hpp"
#include "core/tables/compare/statistics.hpp"

namespace kino {
namespace {

__extension__ using Wide = __int128;  // a sum of 2^63 ns times 2^32 steps is below 2^95

constexpr double kMinRowChange = 0.01;
constexpr std::size_t kMinPairs = 6;
constexpr double kMinAgreement = 0.9;
constexpr double kMaxShare = 2;  // multiple of the step's change; if a cause exceeds it, no shares are shown

std::int64_t clamped(Wide value) {
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  return value > kMax ? kMax : value < -kMax ? -kMax : static_cast<std::int64_t>(value);
}

Wide floor_divided(Wide value, Wide by) {
  const Wide quotient = value / by;
  return value % by != 0 && (value < 0) != (by < 0) ? quotient - 1 : quotient;
}

std::vector<std::int64_t> lengths(const RunRecord& run) {
  std::vector<std::int64_t> out;
  for (const RunWindow& window : run.windows) out.push_back(window.length_ns());
  return out;
}

/// Adds the cells of `from` to `to`. Both lists are sorted by window.
void merge_cells(const std::vector<RunCell>& from, std::vector<RunCell>& to) {
  std::vector<RunCell> merged;
  merged.reserve(from.size() + to.size());
  auto a = to.begin();
  auto b = from.begin();
  while (a != to.end() || b != from.end()) {
    if (b == from.end() || (a != to.end() && a->window < b->window)) {
      merged.push_back(*a++);
    } else if (a == to.end() || b->window < a->window) {
      merged.push_back(*b++);
    } else {
      merged.push_back({a->window, a->ns + b->ns, a->instances + b->instances});
      ++a;
      ++b;
    }
  }
  to = std::move(merged);
}

constexpr std::string_view kLoaderPrefix = "enumerate(DataLoader)#";
constexpr std::string_view kLoaderSuffix = "__next__";

bool is_loader_call(std::string_view name) {
  return name.starts_with(kLoaderPrefix) && name.ends_with(kLoaderSuffix);
}

/// Returns the names of the iterators of the run's data loaders.
std::set<std::string_view> loader_calls(const RunRecord& run) {
  std::set<std::string_view> calls;
  for (const RunRow& row : run.rows) {
    if (is_loader_call(row.name)) calls.insert(row.name);
  }
  return calls;
}

/// Whether both runs load data, with different iterators.
bool have_other_loaders(const RunRecord& a, const RunRecord& b) {
  const std::set<std::string_view> calls_a = loader_calls(a);
  const std::set<std::string_view> calls_b = loader_calls(b);
  return !calls_a.empty() && !calls_b.empty() && calls_a != calls_b;
}

using RowsByKey = std::map<std::pair<std::string_view, std::string>, ComparedRow>;

/// Adds the cells of the run's rows to `rows`, by cause and key. `side` selects the cells of A or B.
void gather(const RunRecord& run, const RunComparison& by, std::vector<RunCell> ComparedRow::*side,
            RowsByKey& rows) {
  for (const RunRow& row : run.rows) {
    if (by.key == RunKey::step) {
      for (const RunCell& cell : row.cells) {
        ComparedRow& out =
            rows[{text_of(row.cause), Message(msg::row_step_pair, std::to_string(cell.window + 1)).str()}];
        out.cause = row.cause;
        merge_cells({cell}, out.*side);
      }
      continue;
    }
    std::string text = by.key_of(row);
    ComparedRow& out = rows[{text_of(row.cause), std::move(text)}];
    out.cause = row.cause;
    merge_cells(row.cells, out.*side);
  }
}

void sum_up(const std::vector<RunCell>& cells, std::int64_t& count, std::int64_t& sum) {
  for (const RunCell& cell : cells) {
    count += cell.instances;
    sum += cell.ns;
  }
}

/// Accumulates the share of equal work: sum of minima divided by sum of maxima of pairs (A, B) in one unit.
class Agreement {
 public:
  void add(Wide a, Wide b) {
    least_ += a < b ? a : b;
    most_ += a < b ? b : a;
  }
  double share() const { return most_ == 0 ? 1 : static_cast<double>(least_) / static_cast<double>(most_); }

 private:
  Wide least_ = 0;
  Wide most_ = 0;
};

/// Returns the smallest agreement of all pairs of steps.
double least_pair_agreement(const std::vector<ComparedRow>& rows, std::size_t pairs) {
  std::vector<Agreement> agreements(pairs);
  for (const ComparedRow& row : rows) {
    std::size_t a = 0;
    std::size_t b = 0;
    while (a < row.cells_a.size() || b < row.cells_b.size()) {
      const std::uint32_t of_a = a < row.cells_a.size() ? row.cells_a[a].window : ~0U;
      const std::uint32_t of_b = b < row.cells_b.size() ? row.cells_b[b].window : ~0U;
      const std::uint32_t window = std::min(of_a, of_b);
      agreements[window].add(of_a == window ? row.cells_a[a].instances : 0,
                             of_b == window ? row.cells_b[b].instances : 0);
      a += of_a == window ? 1 : 0;
      b += of_b == window ? 1 : 0;
    }
  }
  double least = 1;
  for (const Agreement& agreement : agreements) least = std::min(least, agreement.share());
  return least;
}

RowStatus status_of(const ComparedRow& row, std::size_t n_a, std::size_t n_b) {
  if (row.count_a == 0) return RowStatus::added;
  if (row.count_b == 0) return RowStatus::removed;
  if (!(row.q < kSignificant)) return RowStatus::same;
  const double mean_a = static_cast<double>(row.sum_a) / static_cast<double>(n_a);
  const double mean_b = static_cast<double>(row.sum_b) / static_cast<double>(n_b);
  if (std::abs(mean_b - mean_a) < kMinRowChange * mean_a) return RowStatus::same;
  return row.change < 0 ? RowStatus::faster : RowStatus::slower;
}

/// Returns the joined rows of both runs, with sums, effects and tests.
std::vector<ComparedRow> compared_rows(const RunRecord& a, const RunRecord& b, const RunComparison& by,
                                       const std::stop_token& stop) {
  RowsByKey by_key;
  gather(a, by, &ComparedRow::cells_a, by_key);
  gather(b, by, &ComparedRow::cells_b, by_key);
  const std::size_t n_a = a.windows.size();
  const std::size_t n_b = b.windows.size();
  const bool tested = by.key != RunKey::step && n_a >= 2 && n_b >= 2;
  std::vector<ComparedRow> rows;
  rows.reserve(by_key.size());
  std::vector<double> p;
  for (auto& [name, row] : by_key) {
    if (stop.stop_requested()) return rows;
    row.key = name.second;
    sum_up(row.cells_a, row.count_a, row.sum_a);
    sum_up(row.cells_b, row.count_b, row.sum_b);
    row.change = scaled_change(row.sum_a, n_a, row.sum_b, n_b);
    const Wide counts = static_cast<Wide>(row.count_b) * static_cast<Wide>(n_a) -
                        static_cast<Wide>(row.count_a) * static_cast<Wide>(n_b);
    row.count_effect =
        row.count_a == 0 ? row.change : clamped(floor_divided(counts * row.sum_a, row.count_a));
    if (tested) row.p = mann_whitney_p(dense_ns(row.cells_a, n_a), dense_ns(row.cells_b, n_b));
    p.push_back(row.p);
    rows.push_back(std::move(row));
  }
  if (tested) {
    const std::vector<double> q = false_discovery_rates(p);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].q = q[i];
  }
  for (ComparedRow& row : rows) row.status = status_of(row, n_a, n_b);
  std::ranges::stable_sort(rows, [](const ComparedRow& x, const ComparedRow& y) {
    return std::abs(x.change) > std::abs(y.change);
  });
  return rows;
}

/// Sets the sums, change and test of `out` to those of the values that `ns_of` returns for each window.
template <class Compared, class NsOf>
void compare_windows(std::span<const RunWindow> a, std::span<const RunWindow> b, Compared& out,
                     const NsOf& ns_of) {
  std::vector<std::int64_t> of_a;
  std::vector<std::int64_t> of_b;
  for (const RunWindow& window : a) add_saturating(out.sum_a, of_a.emplace_back(ns_of(window)));
  for (const RunWindow& window : b) add_saturating(out.sum_b, of_b.emplace_back(ns_of(window)));
  out.change = scaled_change(out.sum_a, of_a.size(), out.sum_b, of_b.size());
  if (of_a.size() >= 2 && of_b.size() >= 2) out.p = mann_whitney_p(of_a, of_b);
}

template <class NsOf>
ComparedCause compared_cause(const RunRecord& a, const RunRecord& b, TimeCategory which,
                             std::optional<HostCause> host, const NsOf& ns_of) {
  ComparedCause cause{which, 0, 0, 0, kNoRatio, host};
  compare_windows(a.windows, b.windows, cause, ns_of);
  return cause;
}

std::vector<ComparedCause> compared_causes(const RunRecord& a, const RunRecord& b) {
  std::vector<ComparedCause> causes;
  const bool gpu = a.facts.gpu_work > 0 || b.facts.gpu_work > 0;
  for (std::size_t i = 0; i < kTimeCategoryCount; ++i) {
    const auto which = static_cast<TimeCategory>(i);
    const ComparedCause cause =
        compared_cause(a, b, which, std::nullopt, [&](const RunWindow& window) { return window.causes[i]; });
    const bool always = gpu && (which == TimeCategory::idle_host || which == TimeCategory::idle_launch ||
                                which == TimeCategory::idle_loader);
    if (cause.sum_a != 0 || cause.sum_b != 0 || always) causes.push_back(cause);
  }
  return causes;
}

std::vector<ComparedCause> compared_host_causes(const RunRecord& a, const RunRecord& b) {
  const auto known = [](const RunWindow& window) { return window.host.has_value(); };
  if (!std::ranges::all_of(a.windows, known) || !std::ranges::all_of(b.windows, known)) return {};
  std::vector<ComparedCause> causes;
  for (std::size_t i = 0; i < kHostCauseCount; ++i) {
    const ComparedCause cause =
        compared_cause(a, b, TimeCategory::idle_host, static_cast<HostCause>(i),
                       [&](const RunWindow& window) { return window.host ? (*window.host)[i] : 0; });
    if (cause.sum_a != 0 || cause.sum_b != 0) causes.push_back(cause);
  }
  const bool known_parts =
      std::ranges::any_of(causes, [](const ComparedCause& cause) { return cause.host != HostCause::other; });
  return known_parts ? causes : std::vector<ComparedCause>();
}

void compare_steps(RunComparison& out) {
  const std::vector<std::int64_t>& a = out.steps_a;
  const std::vector<std::int64_t>& b = out.steps_b;
  if (a.empty() || b.empty()) return;
  const std::int64_t sum_a = std::accumulate(a.begin(), a.end(), std::int64_t{0});
  const std::int64_t sum_b = std::accumulate(b.begin(), b.end(), std::int64_t{0});
  out.step_change = scaled_change(sum_a, a.size(), sum_b, b.size());
  StepChange& step = out.step;
  step.mean_a = static_cast<double>(sum_a) / static_cast<double>(a.size());
  step.mean_b = static_cast<double>(sum_b) / static_cast<double>(b.size());
  step.change = change_of_means(a, b);
  step.p = mann_whitney_p(a, b);
  if (a.size() < 2 || b.size() < 2 || sum_a <= 0) return;
  const ChangeInterval interval = bootstrap_change(a, b);
  step.low = interval.low;
  step.high = interval.high;
  step.detectable = detectable_change(a, b);
  if (a.size() != b.size() || least_pair_agreement(out.rows, a.size()) < kMinAgreement) return;
  const ChangeInterval pairs = bootstrap_pairs(a, b);
  out.paired = step;
  out.paired->p = sign_flip_p(a, b);
  out.paired->low = pairs.low;
  out.paired->high = pairs.high;
  if (a.size() < kMinPairs) return;
  out.step_correlation = correlation(a, b);
  out.by_pairs = *out.step_correlation >= kMinAgreement;
}

RunVerdict verdict_of(const RunComparison& comparison) {
  if (comparison.refused() && !comparison.forced) return RunVerdict::not_comparable;
  if (std::min(comparison.steps_a.size(), comparison.steps_b.size()) < kMinVerdictSamples)
    return RunVerdict::cannot_tell;
  const StepChange& step = comparison.decisive();
  const bool changed =
      step.p < kSignificant && (step.low > 0 || step.high < 0) && std::abs(step.change) >= comparison.noise;
  if (!changed) return RunVerdict::no_change;
  return step.change < 0 ? RunVerdict::faster : RunVerdict::slower;
}

/// Kernels of one operator and shapes that only one side has, with their summed times (negated, for sorting).
struct OneSided {
  std::vector<std::pair<std::int64_t, std::string>> a;
  std::vector<std::pair<std::int64_t, std::string>> b;
};

std::vector<Replacement> replacements_of(const RunRecord& a, const RunRecord& b) {
  using Kernel = std::tuple<std::string_view, std::string_view, std::string_view>;
  using Sums = std::pair<std::int64_t, std::int64_t>;
  std::map<Kernel, Sums> sums;
  const auto add = [&](const RunRecord& run, std::int64_t Sums::*side) {
    for (const RunRow& row : run.rows) {
      if (row.cause != TimeCategory::compute || row.op == english(msg::row_no_operator)) continue;
      std::int64_t& sum = sums[{row.op, row.input_dims, row.name}].*side;
      for (const RunCell& cell : row.cells) sum += cell.ns;
    }
  };
  add(a, &Sums::first);
  add(b, &Sums::second);
  std::map<std::pair<std::string_view, std::string_view>, OneSided> groups;
  for (const auto& [kernel, sum] : sums) {
    OneSided& group = groups[{std::get<0>(kernel), std::get<1>(kernel)}];
    if (sum.second == 0 && sum.first > 0) group.a.emplace_back(-sum.first, std::get<2>(kernel));
    if (sum.first == 0 && sum.second > 0) group.b.emplace_back(-sum.second, std::get<2>(kernel));
  }
  std::vector<Replacement> out;
  for (auto& [operation, group] : groups) {
    std::ranges::sort(group.a);
    std::ranges::sort(group.b);
    for (std::size_t i = 0; i < std::min(group.a.size(), group.b.size()); ++i) {
      const double mean_a = -static_cast<double>(group.a[i].first) / static_cast<double>(a.windows.size());
      const double mean_b = -static_cast<double>(group.b[i].first) / static_cast<double>(b.windows.size());
      out.push_back({std::string(operation.first), std::string(operation.second), group.a[i].second,
                     group.b[i].second, -group.a[i].first, -group.b[i].first, mean_b / mean_a - 1});
    }
  }
  std::ranges::stable_sort(out, std::ranges::greater(),
                           [](const Replacement& row) { return row.sum_a + row.sum_b; });
  return out;
}

}  // namespace

msg::Id text_of(RowStatus status) {
  constexpr std::array<msg::Id, kRowStatusCount> kNames{msg::same, msg::faster, msg::slower, msg::added,
                                                        msg::removed};
  return kNames[static_cast<std::size_t>(status)];
}

std::int64_t scaled_change(std::int64_t sum_a, std::size_t n_a, std::int64_t sum_b, std::size_t n_b) {
  return clamped(static_cast<Wide>(sum_b) * static_cast<Wide>(n_a) -
                 static_cast<Wide>(sum_a) * static_cast<Wide>(n_b));
}

std::string text_of(const ComparedCause& cause) {
  std::string text(text_of(cause.cause));
  if (cause.host) text += ":" + std::string(text_of(*cause.host));
  return text;
}

std::vector<std::int64_t> dense_ns(const std::vector<RunCell>& cells, std::size_t windows) {
  std::vector<std::int64_t> out(windows);
  for (const RunCell& cell : cells) out[cell.window] += cell.ns;
  return out;
}

std::vector<ComparedCause> RunComparison::fine_causes() const {
  constexpr std::int64_t kMinParts = 100;  // inverse of the minimum known share, a hundredth; below it the
                                           // parts are not shown
  std::int64_t all = 0;
  std::int64_t known = 0;
  for (const ComparedCause& cause : host) {
    all += cause.sum_a + cause.sum_b;
    if (cause.host != HostCause::other) known += cause.sum_a + cause.sum_b;
  }
  if (known == 0 || known < all / kMinParts) return waterfall;
  std::vector<ComparedCause> causes = waterfall;
  const auto idle_host = std::ranges::find(causes, TimeCategory::idle_host, &ComparedCause::cause);
  if (idle_host != causes.end()) causes.insert(causes.erase(idle_host), host.begin(), host.end());
  return causes;
}

std::optional<double> RunComparison::share_of_change(std::int64_t cause_change) const {
  if (!(std::abs(decisive().change) >= noise) || step_change == 0) return std::nullopt;
  const auto share = [&](std::int64_t change) {
    return static_cast<double>(change) / static_cast<double>(step_change);
  };
  for (const ComparedCause& cause : waterfall) {
    if (std::abs(share(cause.change)) > kMaxShare) return std::nullopt;
  }
  return share(cause_change);
}

std::int64_t RunComparison::own_change() const {
  const auto comm = std::ranges::find(waterfall, TimeCategory::comm, &ComparedCause::cause);
  return comm == waterfall.end() ? step_change : step_change - comm->change;
}

bool RunComparison::refused() const {
  return std::ranges::any_of(checks,
                             [](const RunCheck& check) { return check.result == CheckResult::refuses; });
}

std::vector<Message> RunComparison::lines(CheckResult result) const {
  std::vector<Message> out;
  for (const RunCheck& check : checks) {
    if (check.result == result && !check.line.empty()) out.push_back(check.line);
  }
  return out;
}

Message RunComparison::verdict_text() const {
  switch (verdict) {
    case RunVerdict::faster:
      return msg::faster;
    case RunVerdict::slower:
      return msg::slower;
    case RunVerdict::no_change:
      return msg::no_significant_change;
    case RunVerdict::cannot_tell:
      return of_runs ? msg::undecided_runs : msg::undecided_steps;
    case RunVerdict::not_comparable:
      break;
  }
  return msg::runs_not_comparable;
}

std::vector<ComparedLedgerRow> compare_ledgers(std::span<const RunWindow> a, std::span<const RunWindow> b) {
  const auto known = [](const RunWindow& window) { return window.ledger.has_value(); };
  if (!std::ranges::all_of(a, known) || !std::ranges::all_of(b, known)) return {};
  std::vector<ComparedLedgerRow> rows;
  for (std::size_t i = 0; i < kStepRowCount; ++i) {
    ComparedLedgerRow row{static_cast<StepRow>(i)};
    compare_windows(a, b, row,
                    [&](const RunWindow& window) { return window.ledger ? (*window.ledger)[row.row] : 0; });
    if (row.sum_a != 0 || row.sum_b != 0) rows.push_back(row);
  }
  return rows;
}

std::string RunComparison::key_of(const RunRow& row) const {
  if (key == RunKey::module) return modules.key(row.module);
  std::string text = key_text(row, key);
  if (!loaders_joined || !is_loader_call(text)) return text;
  text.assign(kLoaderPrefix);
  return text.append(kLoaderSuffix);
}

RunComparison compare_runs(const RunRecord& a, const RunRecord& b, const CompareOptions& options,
                           const std::stop_token& stop) {
  RunComparison out;
  out.key = options.key;
  out.noise = options.noise;
  out.of_runs = a.of_runs || b.of_runs;
  out.steps_a = lengths(a);
  out.steps_b = lengths(b);
  out.loaders_joined = options.join_loaders && have_other_loaders(a, b);
  out.modules = ModuleAlignment(a, b);
  out.rows = compared_rows(a, b, out, stop);
  for (const ComparedRow& row : out.rows) ++out.statuses[static_cast<std::size_t>(row.status)];
  out.waterfall = compared_causes(a, b);
  out.host = compared_host_causes(a, b);
  out.ledger = compare_ledgers(a.windows, b.windows);
  if (a.layers && b.layers) out.layers = compare_layers(*a.layers, *b.layers);
  Agreement agreement;
  for (const ComparedRow& row : out.rows) {
    agreement.add(static_cast<Wide>(row.count_a) * static_cast<Wide>(b.windows.size()),
                  static_cast<Wide>(row.count_b) * static_cast<Wide>(a.windows.size()));
  }
  out.similarity = agreement.share();
  compare_steps(out);
  out.replacements = replacements_of(a, b);
  out.shapes = shared_shapes(a.facts, b.facts);
  out.checks = run_checks(a, b, out.similarity, options.same_file,
                          options.key == RunKey::module ? &out.modules : nullptr);
  out.forced = options.force && out.refused();
  out.verdict = verdict_of(out);
  return out;
}

}  // namespace kino
