// What lies below what on the page of a job.
#include "app/job/job_lines.hpp"

#include <map>
#include <vector>

#include <doctest/doctest.h>

using kino::JobLine;
using kino::JobLineParts;
using kino::JobLines;
using kino::RankTrackLine;

namespace {

RankTrackLine track(const char* title, std::uint32_t lanes, bool launches = false) {
  RankTrackLine line;
  line.title = title;
  line.lanes = lanes;
  line.launches = launches;
  return line;
}

/// Two ranks with a stream and a thread each.
std::map<std::uint32_t, kino::RankTrackList> two_lists() {
  std::map<std::uint32_t, kino::RankTrackList> lists;
  for (const std::uint32_t rank : {0U, 2U}) {
    kino::RankTrackList& list = lists[rank];
    list.state = kino::WantedTrace::State::ready;
    list.trace = std::make_shared<const kino::Trace>();
    list.lines = {track("stream 7", 1), track(rank == 0 ? "thread 10" : "thread 12", 9, true)};
  }
  return lists;
}

}  // namespace

TEST_CASE("tracks stand below their rank, groups above theirs, and each line is found at its place") {
  const auto lists = two_lists();
  const std::vector<std::uint32_t> ranks{2, 0, 1};
  const std::vector<kino::JobGroup> groups{{"pp 1", 0, 1}, {"pp 0", 1, 2}};
  JobLineParts parts;
  parts.ranks = ranks;
  parts.groups = groups;
  parts.tracks = &lists;
  parts.rank_px = 40;
  parts.header_px = 20;
  parts.lane_px = 10;
  const JobLines lines(parts);
  using Kind = JobLine::Kind;
  const std::vector<Kind> kinds{Kind::group, Kind::rank,  Kind::track, Kind::track, Kind::group,
                                Kind::rank,  Kind::track, Kind::track, Kind::rank};
  REQUIRE(lines.all().size() == kinds.size());
  for (std::size_t i = 0; i < kinds.size(); ++i) CHECK(lines.all()[i].kind == kinds[i]);
  REQUIRE(lines.of_rank(0) != nullptr);
  CHECK(lines.of_rank(0)->top == lines.all()[5].top);
  CHECK(lines.of_rank(7) == nullptr);
  for (const JobLine& line : lines.all()) {
    CHECK(lines.at(static_cast<double>(line.top) + 1) == &line);
  }
  CHECK(lines.at(-1) == nullptr);
  CHECK(lines.at(static_cast<double>(lines.height())) == nullptr);
  CHECK(lines.between(21, 59).size() == 1);
  CHECK(lines.between(0, 1e9).size() == kinds.size());
}

TEST_CASE("by stream, those of one title of all ranks stand together, and the threads that launch last") {
  const auto lists = two_lists();
  const std::vector<std::uint32_t> ranks{0, 1, 2};
  JobLineParts parts;
  parts.ranks = ranks;
  parts.tracks = &lists;
  parts.by_stream = true;
  parts.rank_px = parts.header_px = parts.lane_px = 10;
  const JobLines lines(parts);
  CHECK(lines.titles() == std::vector<std::string>{"stream 7", ""});
  REQUIRE(lines.all().size() == 9);
  CHECK(lines.all()[3].kind == JobLine::Kind::stream);
  CHECK(lines.all()[4].index == 0);
  CHECK(lines.all()[5].index == 2);
  CHECK(lines.all()[6].kind == JobLine::Kind::stream);
  CHECK(lines.all()[8].index == 2);
  CHECK(lines.all()[8].track == 1);
}

TEST_CASE("ranks that are named stand at the top once more, files that are still read at the end") {
  const std::vector<std::uint32_t> ranks{0, 1, 2};
  const std::vector<std::uint32_t> named{1};
  const std::vector<std::uint32_t> files{5};
  JobLineParts parts;
  parts.ranks = ranks;
  parts.named = named;
  parts.files = files;
  parts.rank_px = 0.5F;
  parts.named_px = parts.header_px = 20;
  const JobLines lines(parts);
  CHECK(lines.all()[1].named);
  CHECK(lines.of_rank(1)->top == doctest::Approx(40.5));
  CHECK(lines.all().back().kind == JobLine::Kind::file);
  CHECK(JobLines().height() == 0);
}
