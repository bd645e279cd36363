// Covers: hang_tables
// Tables of a hung job.
#include "core/job/flight/hang_tables.hpp"

#include <doctest/doctest.h>

namespace {

kino::HangRecording two_ranks() {
  kino::HangRecording hang;
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    kino::FlightDump& dump = hang.dumps.emplace_back();
    dump.rank = rank;
    dump.file = "rank" + std::to_string(rank);
    dump.groups.push_back({"0", "TP", {0, 1}, -1, -1, -1});
  }
  kino::FlightEntry entry;
  entry.sequence = 5;
  entry.operation = "nccl:all_reduce";
  entry.created_ns = 1000;
  entry.frames = {{"step", "train.py", 7}, {"main", "train.py", 1}};
  hang.dumps[0].entries.push_back(entry);
  entry.sequence = 4;
  entry.state = kino::FlightState::completed;
  entry.created_ns = 3000;
  hang.dumps[1].entries.push_back(entry);
  hang.analysis = kino::analyze_hang(hang.dumps);
  return hang;
}

std::string cell(const kino::Table& table, const char* key) {
  return std::get<kino::TableColumn::Texts>(table.find(key)->values).front();
}

}  // namespace

TEST_CASE("tables list outstanding operations and waiting ranks") {
  const kino::HangRecording hang = two_ranks();
  kino::TableRequest request;
  request.name = "outstanding";
  const auto outstanding = kino::hang_table(hang, request);
  REQUIRE(outstanding.ok());
  REQUIRE(outstanding.value().row_count() == 1);
  CHECK(cell(outstanding.value(), "operation") == "nccl:all_reduce");
  CHECK(cell(outstanding.value(), "stack") == "train.py:7:step;train.py:1:main");
  CHECK(cell(outstanding.value(), "blamed").empty());
  CHECK(cell(outstanding.value(), "state") == "scheduled");
  CHECK(outstanding.value().find("state")->words.front().id() == kino::msg::scheduled);
  const auto number = [&](const char* key) {
    return std::get<kino::TableColumn::Integers>(outstanding.value().find(key)->values).front();
  };
  CHECK(number("before_newest_ns") == 2000);
  CHECK(number("age_ns") == 2000);
  request.name = "hang-groups";
  const auto groups = kino::hang_table(hang, request);
  REQUIRE(groups.ok());
  CHECK(cell(groups.value(), "ranks") == "0 1");
  CHECK(cell(groups.value(), "missing") == "1");
  CHECK(cell(groups.value(), "waiting") == "0");
  CHECK(groups.value().notes.empty());
  request.name = "kernels";
  CHECK_FALSE(kino::hang_table(hang, request).ok());
  request.name = "outstanding";
  request.step = 3;
  CHECK_FALSE(kino::hang_table(hang, request).ok());
  request.step.reset();
  CHECK(kino::hang_table({}, request).value().row_count() == 0);
}

TEST_CASE("the table of waiting groups refers to messages, which it omits") {
  kino::HangRecording hang = two_ranks();
  kino::FlightEntry message;
  message.message = true;
  message.operation = "nccl:send 0->1";
  hang.dumps[0].entries.push_back(message);
  hang.analysis = kino::analyze_hang(hang.dumps);
  kino::TableRequest request;
  request.name = "hang-groups";
  const auto groups = kino::hang_table(hang, request);
  REQUIRE(groups.ok());
  CHECK(groups.value().row_count() == 1);
  REQUIRE(groups.value().notes.size() == 1);
  CHECK(groups.value().notes[0].str().find("messages between two ranks") != std::string::npos);
}
