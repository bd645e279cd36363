// Covers: capsule_reader, capsule_format, trace_check
#include "loaders/formats/capsule/capsule_reader.hpp"

#include <random>

#include <doctest/doctest.h>

#include "core/trace/trace_check.hpp"
#include "loaders/bytes/zstd_frame.hpp"
#include "tests/fixtures/capsule_fixture.hpp"
#include "tests/fixtures/same_trace.hpp"

namespace {

namespace fs = std::filesystem;
using kino::Error;
using kino_test::TemporaryFolder;

std::string small_capsule(const std::string& text) {
  const TemporaryFolder folder;
  kino_test::pack(folder.write("t.json", text), folder.path() / "out.kino");
  return kino_test::file_content(folder.path() / "out.kino");
}

kino::Result<kino::ReadCapsule> read_content(const std::string& content) {
  return kino::read_capsule(kino::TextInMemory(content), 1, {});
}

kino::CapsuleFooter footer_of(const std::string& content) {
  kino::CapsuleFooter footer;
  std::memcpy(&footer, content.data() + content.size() - sizeof footer, sizeof footer);
  return footer;
}

/// Replaces the catalog of a capsule, with valid checksums.
std::string with_catalog(const std::string& content, const std::string& catalog) {
  kino::CapsuleFooter footer = footer_of(content);
  const std::string frame = kino::zstd_packed(catalog, 1);
  std::string out = content.substr(0, footer.catalog.offset) + frame;
  footer.catalog.bytes = catalog.size();
  out.append(reinterpret_cast<const char*>(&footer), sizeof footer);
  kino::update_capsule_checksums(out);
  return out;
}

std::string catalog_of(const std::string& content) {
  auto catalog = kino::read_part(kino::TextInMemory(content), footer_of(content).catalog);
  REQUIRE(catalog.ok());
  return catalog.value();
}

}  // namespace

TEST_CASE("a capsule truncated at any byte is refused with a message") {
  const std::string whole = small_capsule(R"([{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1,
    "args": {"k": 1}}])");
  REQUIRE(read_content(whole).ok());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto cut = read_content(whole.substr(0, size));
    REQUIRE(!cut.ok());
    CHECK(cut.error().kind == Error::Kind::corrupt);
    CHECK(cut.error().what.str().starts_with("The capsule is truncated or damaged"));
  }
}

TEST_CASE("a changed byte is detected wherever it matters") {
  const std::string whole =
      small_capsule(R"([{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1}])");
  const auto right = read_content(whole);
  const std::size_t head = whole.find("\x28\xb5\x2f\xfd");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    const auto opened = read_content(changed);
    // The second line is only for searches by rank, not part of the trace.
    if (at >= kino::kCapsuleMagic.size() + 2 && at < head) continue;
    // Arguments are verified on demand.
    const kino::CapsulePart& arguments = right.value().facts.slice_arguments.front();
    if (at >= arguments.offset && at < arguments.offset + arguments.stored_bytes) {
      CHECK(!kino::read_part(kino::TextInMemory(changed), arguments).ok());
      continue;
    }
    CHECK_MESSAGE(!opened.ok(), at);
  }
}

TEST_CASE("hostile catalogs are refused or read as consistent traces" * doctest::test_suite("serial")) {
  const std::string whole = small_capsule(kino_test::secretive_trace());
  const std::string catalog = catalog_of(whole);
  REQUIRE(read_content(with_catalog(whole, catalog)).ok());
  std::mt19937 random(17);
  const int rounds = kino_test::kSanitized ? 300 : 3000;
  int accepted = 0;
  for (int round = 0; round < rounds; ++round) {
    std::string changed = catalog;
    switch (random() % 3) {
      case 0:
        changed[random() % changed.size()] = static_cast<char>(random());
        break;
      case 1: {
        const std::uint64_t huge =
            random() % 2 == 0 ? ~std::uint64_t{0} : std::uint64_t{1} << (random() % 63);
        const std::size_t at = random() % (changed.size() - sizeof huge);
        std::memcpy(changed.data() + at, &huge, sizeof huge);
        break;
      }
      default:
        changed.resize(random() % changed.size());
    }
    const auto opened = read_content(with_catalog(whole, changed));
    if (!opened.ok()) {
      CHECK(opened.error().kind == Error::Kind::corrupt);
      continue;
    }
    ++accepted;
    CHECK(kino::is_consistent(*opened.value().trace, 1, {}));
  }
  CHECK(accepted > 0);
  CHECK(accepted < rounds);
}

TEST_CASE("unknown members are skipped, and missing ones have their defaults") {
  const std::string whole = small_capsule(kino_test::secretive_trace());
  std::string catalog = catalog_of(whole);
  for (const char* const name : {"left_out", "launches_linked", "paired_slices", "backend"}) {
    const std::size_t at = catalog.find(name);
    REQUIRE(at != std::string::npos);
    catalog[at] = '?';
  }
  const auto opened = read_content(with_catalog(whole, catalog));
  REQUIRE(opened.ok());
  CHECK(opened.value().trace->launches_linked == 0);
  CHECK(opened.value().trace->job.backend.empty());
  CHECK(opened.value().trace->job.rank == 3);
  CHECK(opened.value().trace->slice_count() == read_content(whole).value().trace->slice_count());
}

TEST_CASE("kinds of slices are matched by name, and unknown ones become other work") {
  const std::string whole = small_capsule(kino_test::secretive_trace());
  const auto right = read_content(whole);
  std::string catalog = catalog_of(whole);
  const std::size_t at = catalog.find("communication");
  REQUIRE(at != std::string::npos);
  // Replaces the name of a kind by a name that this program does not know.
  catalog.replace(catalog.find("runtime", catalog.find("kinds")), 7, "unheard");
  const auto opened = read_content(with_catalog(whole, catalog));
  REQUIRE(opened.ok());
  for (std::uint32_t i = 0; i < right.value().trace->slice_count(); ++i) {
    const kino::SliceKind kind = right.value().trace->slices.kind[i];
    CHECK(opened.value().trace->slices.kind[i] ==
          (kind == kino::SliceKind::runtime ? kino::SliceKind::other : kind));
  }
}

TEST_CASE("a capsule of a newer version is reported") {
  std::string whole = small_capsule(R"([{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1}])");
  whole[kino::kCapsuleMagic.size()] = '2';
  const auto opened = read_content(whole);
  REQUIRE(!opened.ok());
  CHECK(opened.error().kind == Error::Kind::unknown_format);
  CHECK(opened.error().what.str().find("version 2") != std::string::npos);
}

TEST_CASE("a small file cannot allocate much memory") {
  const std::string whole =
      small_capsule(R"([{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1}])");
  std::string bomb = whole;
  kino::CapsuleFooter footer = footer_of(bomb);
  footer.catalog.bytes = std::uint64_t{1} << 40;
  std::memcpy(bomb.data() + bomb.size() - sizeof footer, &footer, sizeof footer);
  kino::update_capsule_checksums(bomb);
  CHECK(!read_content(bomb).ok());
  CHECK(kino::most_capsule_bytes(1000) < (std::uint64_t{100} << 20));
}

TEST_CASE("capsules of earlier versions open unchanged") {
  const fs::path folder = fs::path(KINETOSCOPE_SOURCE) / "tests" / "fixtures" / "capsules";
  const auto opened = kino_test::open(folder / "version_1.kino");
  REQUIRE(opened.ok());
  // These are the figures of secretive_trace() at that time, which may have changed since.
  const kino::Trace& trace = *opened.value().trace;
  CHECK(trace.slice_count() == 200);
  CHECK(trace.instants.time_ns.size() == 2);
  CHECK(trace.samples.value.size() == 41);  // 40 samples, and one of the total allocated memory
  CHECK(trace.launches_linked == 40);
  CHECK(trace.job.rank == 3);
  CHECK(trace.job.world_size == 8);
  CHECK(trace.processes.size() == 2);
  CHECK(trace.damage.total() == 1);
  CHECK(trace.arguments.memory_bytes[0] == 512);
  std::uint32_t kernels = 0;
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    if (trace.slices.kind[i] != kino::SliceKind::compute) continue;
    CHECK(trace.slices.duration_ns[i] == 12'000);
    CHECK(opened.value().details->arguments_json({kino::SliceId{i}}).value() ==
          R"({"External id": )" + std::to_string(100 + kernels) + R"(, "correlation": )" +
              std::to_string(100 + kernels) + R"(, "stream": 7, "grid": [8, 1, 1], "file": "SECRET_KEYED"})");
    ++kernels;
  }
  CHECK(kernels == 40);
  CHECK(opened.value().capsule->title == "t.json");
  CHECK(opened.value().capsule->note == R"({"format": "note"})");
}
