// Covers: capsule_details
#include "loaders/formats/capsule/capsule_details.hpp"

#include <doctest/doctest.h>

#include "tests/fixtures/capsule_fixture.hpp"

namespace {

namespace fs = std::filesystem;
using kino::ArgumentTerm;
using kino_test::TemporaryFolder;

struct Both {
  TemporaryFolder folder;
  kino::OpenedTrace original;
  kino::OpenedTrace capsule;
};

void open_both(const std::string& text, Both& both) {
  const fs::path trace = both.folder.write("t.json", text);
  kino_test::pack(trace, both.folder.path() / "t.kino");
  both.original = kino_test::open(trace).value();
  both.capsule = kino_test::open(both.folder.path() / "t.kino").value();
}

std::vector<std::string> names(const kino::ArgumentFields& fields) {
  std::vector<std::string> all;
  for (const auto& field : fields.all()) all.push_back(field.name + "=" + field.key);
  return all;
}

}  // namespace

TEST_CASE("an event of a capsule has its times, track and arguments") {
  Both both;
  open_both(kino_test::secretive_trace(), both);
  for (std::uint32_t i = 0; i < both.original.trace->slice_count(); ++i) {
    const auto was = both.original.details->read({kino::SliceId{i}});
    const auto is = both.capsule.details->read({kino::SliceId{i}});
    REQUIRE(is.ok());
    for (const char* const key : {"ph", "cat", "name", "pid", "tid"}) {
      CAPTURE(key);
      CHECK(is.value().find(key)->text == was.value().find(key)->text);
    }
    CHECK(std::stod(is.value().find("ts")->text) == std::stod(was.value().find("ts")->text));
    CHECK(std::stod(is.value().find("dur")->text) == std::stod(was.value().find("dur")->text));
    const kino::ArgNode* const args = was.value().find("args");
    CHECK((is.value().find("args") == nullptr) == (args == nullptr));
    if (args != nullptr) CHECK(is.value().find("args")->children.size() == args->children.size());
  }
  const auto point = both.capsule.details->read({kino::kNoSlice, 0});
  REQUIRE(point.ok());
  CHECK(point.value().find("ph")->text == "i");
  CHECK(point.value().find("name")->text == "saved /SECRET_POINT/x.pt");
  CHECK(point.value().find("args")->children[0].text == "/SECRET_ARGUMENT/y");
}

TEST_CASE("a search in a capsule finds the same slices as in the trace") {
  Both both;
  open_both(kino_test::secretive_trace(), both);
  const auto all = [](kino::SliceId) { return true; };
  const auto kernels = [&](kino::SliceId slice) {
    return both.original.trace->kind(slice) == kino::SliceKind::compute;
  };
  for (const std::vector<ArgumentTerm>& terms :
       std::vector<std::vector<ArgumentTerm>>{{{"correlation", "117"}},
                                              {{"", "117"}},
                                              {{"shape", "8, 3"}},
                                              {{"stream", "7"}, {"externalid", "120"}},
                                              {{"callstack", "secret_stack"}},
                                              {{"nothing", "1"}}}) {
    for (const std::function<bool(kino::SliceId)>& wanted :
         {std::function<bool(kino::SliceId)>(all), std::function<bool(kino::SliceId)>(kernels)}) {
      kino::ArgumentProgress progress;
      const auto was = both.original.details->find(terms, wanted, progress, [] {}, {});
      kino::ArgumentProgress other;
      const auto is = both.capsule.details->find(terms, wanted, other, [] {}, {});
      REQUIRE(is.ok());
      CHECK(is.value() == was.value());
      CHECK(other.bytes == other.total_bytes);
    }
  }
  kino::ArgumentProgress progress;
  const auto none =
      both.capsule.details->find(std::vector<ArgumentTerm>{{"k", "--"}}, all, progress, [] {}, {});
  REQUIRE(!none.ok());
  CHECK(none.error().kind == kino::Error::Kind::unknown_format);
}

TEST_CASE("a capsule lists the names of arguments") {
  Both both;
  open_both(kino_test::secretive_trace(), both);
  kino::ArgumentProgress progress;
  const auto all = both.capsule.details->all_fields(progress, [] {}, {});
  REQUIRE(all.ok());
  kino::ArgumentProgress other;
  CHECK(names(all.value()) == names(both.original.details->all_fields(other, [] {}, {}).value()));
  CHECK(names(both.capsule.details->sampled_fields({})) == names(all.value()));
}

TEST_CASE("a capsule returns an error when it is trimmed") {
  Both both;
  open_both(kino_test::secretive_trace(), both);
  std::atomic<std::uint64_t> bytes{0};
  const auto part = both.capsule.details->write_part({0, 10}, both.folder.path() / "part.json", bytes, {});
  REQUIRE(!part.ok());
  CHECK(!fs::exists(both.folder.path() / "part.json"));
}

TEST_CASE("damaged blocks of arguments only affect requests for them") {
  Both both;
  open_both(kino_test::secretive_trace(), both);
  std::string content = kino_test::file_content(both.folder.path() / "t.kino");
  const std::size_t first = content.find("\x28\xb5\x2f\xfd");
  content[first + 20] = static_cast<char>(content[first + 20] ^ 1);
  const auto opened = kino_test::open(both.folder.write("damaged.kino", content));
  REQUIRE(opened.ok());
  const auto json = opened.value().details->arguments_json({kino::SliceId{0}});
  REQUIRE(!json.ok());
  CHECK(json.error().kind == kino::Error::Kind::corrupt);
  const auto all = [](kino::SliceId) { return true; };
  kino::ArgumentProgress progress;
  CHECK(!opened.value().details->find(std::vector<ArgumentTerm>{{"", "1"}}, all, progress, [] {}, {}).ok());
}
