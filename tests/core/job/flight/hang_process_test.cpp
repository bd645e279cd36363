// Covers: hang_process
// The processes to inspect in a hung job, and the commands for their stacks.
#include "core/job/flight/hang_process.hpp"

#include <doctest/doctest.h>

namespace hang_processes {
namespace {

using kino::FlightDump;
using kino::FlightEntry;
using kino::FlightState;
using kino::RankProcess;

FlightDump dump_of(std::int64_t rank, std::int64_t last) {
  FlightDump dump;
  dump.rank = rank;
  dump.groups.push_back({"0", "default_pg", {0, 1, 2}, -1, -1, -1});
  for (std::int64_t i = 1; i <= last; ++i) {
    FlightEntry entry;
    entry.sequence = i;
    entry.operation = "nccl:all_reduce";
    entry.state = i < 2 ? FlightState::completed : FlightState::started;
    entry.created_ns = i;
    dump.entries.push_back(entry);
  }
  return dump;
}

kino::HangRecording hang_of(std::vector<FlightDump> dumps) {
  kino::HangRecording hang;
  hang.dumps = std::move(dumps);
  hang.analysis = kino::analyze_hang(hang.dumps);
  return hang;
}

}  // namespace

TEST_CASE("a command contains the pid and the host only if the dump does") {
  CHECK(kino::stack_command({3, "node07", 4242}) == "ssh node07 py-spy dump --pid 4242");
  CHECK(kino::stack_command({3, "", 4242}) == "py-spy dump --pid 4242");
  const std::string search = kino::stack_command({3, "", -1});
  CHECK(search ==
        "for p in $(grep -slzx RANK=3 /proc/[0-9]*/environ | cut -d/ -f3); do py-spy dump --pid $p; done");
  CHECK(kino::stack_command({3, "node07", -1}) == "ssh node07 '" + search + "'");
  CHECK(kino::stack_command({-1, "node07", 4242}).empty());
}

TEST_CASE("a host that a shell or ssh could interpret is not part of a command") {
  for (const char* host : {"", "-oProxyCommand=x", "a b", "a;reboot", "$(reboot)", "a'b", "a\nb",
                           "n\xc3\xb6"
                           "de"}) {
    CHECK_FALSE(kino::is_plain_host(host));
    CHECK(kino::stack_command({0, host, 7}) == "py-spy dump --pid 7");
  }
  CHECK_FALSE(kino::is_plain_host(std::string(254, 'a')));
  CHECK(kino::is_plain_host("gpu-node_07.cluster"));
}

TEST_CASE("a sentence names rank, host and process as far as the dump names them") {
  CHECK(kino::process_text({3, "node07", 42}) == "Rank 3 is process 42 on host node07.");
  CHECK(kino::process_text({3, "", 42}) == "Rank 3 is process 42. Its dump does not name the host.");
  CHECK(kino::process_text({3, "node07", -1}) ==
        "Rank 3 runs on host node07. Its dump does not contain a process id.");
  CHECK(kino::process_text({3, "", -1}) == "No dump names the host or the process id of rank 3.");
}

TEST_CASE("the processes to inspect are those of the ranks that hold up the others") {
  std::vector<FlightDump> dumps{dump_of(0, 2), dump_of(1, 1), dump_of(2, 2)};
  dumps[1].host = "node01";
  dumps[1].pid = 77;
  const kino::HangRecording hang = hang_of(std::move(dumps));
  const std::vector<RankProcess> processes = kino::processes_to_inspect(hang);
  REQUIRE(processes.size() == 1);
  CHECK(processes[0].rank == 1);
  CHECK(processes[0].host == "node01");
  CHECK(processes[0].pid == 77);
  CHECK(kino::processes_text(hang, 3) == "Rank 1 is process 77 on host node01.");
  CHECK(kino::processes_text(hang, 0) == "Further ranks to inspect: 1.");
}

TEST_CASE("if no rank with a dump holds up the others, the ranks without a dump are inspected") {
  const kino::HangRecording hang = hang_of({dump_of(0, 2), dump_of(2, 2)});
  const std::vector<RankProcess> processes = kino::processes_to_inspect(hang);
  REQUIRE(processes.size() == 1);
  CHECK(processes[0].rank == 1);
  CHECK(processes[0].pid == -1);
}

TEST_CASE("a job that does not hang has no processes to inspect") {
  CHECK(kino::processes_to_inspect(hang_of({dump_of(0, 1), dump_of(1, 1)})).empty());
  CHECK(kino::processes_text(kino::HangRecording{}, 3).empty());
}

}  // namespace hang_processes
