// Covers: capsule_bundle
#include "loaders/formats/capsule/capsule_bundle.hpp"

#include <doctest/doctest.h>

#include "tests/fixtures/capsule_fixture.hpp"

namespace {

namespace fs = std::filesystem;
using kino_test::TemporaryFolder;

}  // namespace

TEST_CASE("several capsules form one archive, in which each opens with its rank") {
  const TemporaryFolder folder;
  std::string other = kino_test::secretive_trace();
  other.replace(other.find("\"rank\": 3"), 9, "\"rank\": 5");
  const fs::path out = folder.path() / "job.kino";
  {
    kino::CapsuleBundle bundle(out);
    kino_test::pack(folder.write("a.json", kino_test::secretive_trace()), bundle.next("a.pt.trace.json.gz"));
    kino_test::pack(folder.write("b.json", other), bundle.next("a.pt.trace.json"));
    const auto bytes = bundle.finish();
    REQUIRE(bytes.ok());
    CHECK(bytes.value() == fs::file_size(out));
  }
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder.path())) files += entry.exists() ? 1 : 0;
  CHECK(files == 3);  // no temporary files remain
  kino::OpenOptions options;
  kino::ContainedTraces choices;
  options.choices = &choices;
  kino::LoadProgress progress;
  const auto opened = kino::open_trace(out, options, progress, {});
  REQUIRE(!opened.ok());
  CHECK(opened.error().kind == kino::Error::Kind::several_traces);
  REQUIRE(choices.traces.size() == 2);
  CHECK(choices.traces[0].name == "a.kino");
  CHECK(choices.traces[0].rank == 3);
  CHECK(choices.traces[1].name == "a_2.kino");
  CHECK(choices.traces[1].rank == 5);
  const auto one = kino_test::open(out.string() + "#a_2.kino");
  REQUIRE(one.ok());
  CHECK(one.value().trace->job.rank == 5);
  CHECK(one.value().details->arguments_json({kino::SliceId{0}}).ok());
}

TEST_CASE("an unfinished archive leaves nothing behind") {
  const TemporaryFolder folder;
  {
    kino::CapsuleBundle bundle(folder.path() / "job.kino");
    kino_test::pack(folder.write("a.json", kino_test::secretive_trace()), bundle.next("a.json"));
  }
  CHECK(!fs::exists(folder.path() / "job.kino"));
}
