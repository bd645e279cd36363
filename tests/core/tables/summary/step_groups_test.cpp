// Covers: step_groups
// Groups of the rows of a step's ledger, and of the roles of the CPU.
#include "core/tables/summary/step_groups.hpp"

#include <set>
#include <string>

#include <doctest/doctest.h>

using namespace kino;

TEST_CASE("each row of the ledger belongs to one group, and the groups add up to the rows") {
  StepTimes rows;
  std::int64_t value = 1;
  for (std::size_t i = 0; i < kStepRowCount; ++i) rows[static_cast<StepRow>(i)] = value *= 2;
  const GroupTimes times = group_times(rows);
  CHECK(times.total() == rows.total());
  CHECK(times[StepGroup::copy] == rows[StepRow::copy]);
  CHECK(times[StepGroup::communication] == rows[StepRow::comm_waiting] + rows[StepRow::comm_moving] +
                                               rows[StepRow::comm_unsplit] + rows[StepRow::comm_p2p]);
  CHECK(times[StepGroup::idle_late] == rows[StepRow::idle_lock] + rows[StepRow::idle_dispatch] +
                                           rows[StepRow::idle_python] + rows[StepRow::idle_silent]);
  CHECK(times[StepGroup::operators] == 0);
  for (std::size_t i = 0; i < kStepRowCount; ++i) {
    const auto row = static_cast<StepRow>(i);
    CHECK(is_idle(group_of(row)) == is_idle(row));
  }
}

TEST_CASE("the roles of the CPU add up, too") {
  TimeBreakdown roles;
  std::int64_t value = 1;
  for (std::int64_t& ns : roles.role_ns) ns = value *= 2;
  const GroupTimes times = group_times(roles);
  std::int64_t sum = 0;
  for (const std::int64_t ns : roles.role_ns) sum += ns;
  CHECK(times.total() == sum);
  CHECK(times[StepGroup::copy] == roles[StepRole::memcpy] + roles[StepRole::memset]);
  CHECK(times[StepGroup::no_events] == roles[StepRole::idle]);
}

TEST_CASE("groups have different keys and titles") {
  std::set<std::string> keys;
  std::set<std::string> titles;
  for (std::size_t i = 0; i < kStepGroupCount; ++i) {
    keys.emplace(text_of(static_cast<StepGroup>(i)));
    titles.emplace(english(title_of(static_cast<StepGroup>(i))));
  }
  CHECK(keys.size() == kStepGroupCount);
  CHECK(titles.size() == kStepGroupCount);
}

TEST_CASE("findings about single rows name the row of the ledger") {
  CHECK(ledger_row_of(FindingKind::data_loading) == StepRow::idle_loader);
  CHECK(ledger_row_of(FindingKind::copies) == StepRow::copy);
  CHECK_FALSE(ledger_row_of(FindingKind::slow_step));
}
