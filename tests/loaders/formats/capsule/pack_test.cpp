// Covers: pack, event_walk, capsule_format
#include "loaders/formats/capsule/pack.hpp"

#include <algorithm>
#include <memory>

#include <archive.h>
#include <archive_entry.h>
#include <doctest/doctest.h>

#include "core/base/ascii.hpp"
#include "tests/fixtures/capsule_fixture.hpp"
#include "tests/fixtures/random_trace.hpp"
#include "tests/fixtures/same_trace.hpp"

namespace {

namespace fs = std::filesystem;
using kino::EventRef;
using kino_test::file_content;
using kino_test::pack;
using kino_test::TemporaryFolder;

std::vector<EventRef> events_of(const kino::Trace& trace, std::size_t stride) {
  std::vector<EventRef> events;
  for (std::size_t i = 0; i < trace.slice_count(); i += stride)
    events.push_back({kino::SliceId{static_cast<std::uint32_t>(i)}, kino::kNoInstant});
  for (std::size_t i = 0; i < trace.instants.time_ns.size(); i += stride)
    events.push_back({kino::kNoSlice, static_cast<std::uint32_t>(i)});
  return events;
}

/// Checks that a capsule of the file equals the trace byte for byte, with the same arguments.
void check_same(const fs::path& path, std::size_t stride) {
  CAPTURE(path);
  const TemporaryFolder folder;
  const auto original = kino_test::open(path);
  REQUIRE(original.ok());
  // Packs this very trace: another load may assign other ids to names.
  std::atomic<double> done{0};
  REQUIRE(kino::pack_trace(original.value(), {}, folder.path() / "out.kino", done, {}).ok());
  const auto capsule = kino_test::open(folder.path() / "out.kino");
  REQUIRE(capsule.ok());
  CHECK(kino_test::difference(*original.value().trace, *capsule.value().trace) == "");
  for (const EventRef event : events_of(*original.value().trace, stride)) {
    const auto as_it_was = original.value().details->arguments_json(event);
    const auto as_it_is = capsule.value().details->arguments_json(event);
    REQUIRE(as_it_is.ok());
    if (as_it_was.ok()) CHECK(as_it_is.value() == as_it_was.value());
  }
}

/// Decompresses a frame of any size.
std::string unpacked(std::string_view frame) {
  std::unique_ptr<archive, decltype(&archive_read_free)> reader(archive_read_new(), &archive_read_free);
  archive_read_support_format_raw(reader.get());
  archive_entry* entry = nullptr;
  std::string all;
  if (archive_read_append_filter(reader.get(), ARCHIVE_FILTER_ZSTD) != ARCHIVE_OK ||
      archive_read_open_memory(reader.get(), frame.data(), frame.size()) != ARCHIVE_OK ||
      archive_read_next_header(reader.get(), &entry) != ARCHIVE_OK) {
    return all;
  }
  std::string piece(1 << 16, '\0');
  for (la_ssize_t got = 0; (got = archive_read_data(reader.get(), piece.data(), piece.size())) > 0;)
    all.append(piece, 0, static_cast<std::size_t>(got));
  return all;
}

/// All bytes of a file, compressed and decompressed.
std::string all_bytes(const fs::path& path) {
  const std::string content = file_content(path);
  std::string all = content;
  const std::string magic("\x28\xb5\x2f\xfd", 4);
  const std::size_t footer = content.size() - sizeof(kino::CapsuleFooter);
  for (std::size_t at = content.find(magic); at != std::string::npos;) {
    const std::size_t next = content.find(magic, at + 1);
    all += unpacked(std::string_view(content).substr(at, std::min(next, footer) - at));
    at = next;
  }
  return all;
}

}  // namespace

TEST_CASE("a capsule equals its source file, with the same arguments") {
  const TemporaryFolder folder;
  check_same(folder.write("t.json", kino_test::secretive_trace()), 1);
  check_same(folder.write("t.json.gz", kino_test::gzip(kino_test::secretive_trace())), 1);
  check_same(folder.write("empty.json", R"({"traceEvents": []})"), 1);
  check_same(folder.write("one.json", R"([{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1}])"),
             1);
  for (unsigned seed = 1; seed <= 12; ++seed) {
    kino_test::RandomTrace random(seed);
    check_same(folder.write("random.json", random.document(random.elements(500), ",")), 1);
  }
}

TEST_CASE("capsules equal real traces" * doctest::test_suite("serial slow")) {
  for (const fs::path& path : kino_test::real_files({"kineto"})) check_same(path, 97);
}

TEST_CASE("a capsule of a capsule is equal") {
  const TemporaryFolder folder;
  const fs::path trace = folder.write("t.json", kino_test::secretive_trace());
  pack(trace, folder.path() / "a.kino");
  pack(folder.path() / "a.kino", folder.path() / "b.kino");
  // The titles differ.
  const auto size_of = [&](const char* name) {
    return static_cast<double>(fs::file_size(folder.path() / name));
  };
  CHECK(size_of("b.kino") == doctest::Approx(size_of("a.kino")).epsilon(0.01));
  const auto a = kino_test::open(trace);
  const auto b = kino_test::open(folder.path() / "b.kino");
  REQUIRE(b.ok());
  CHECK(kino_test::difference(*a.value().trace, *b.value().trace) == "");
  CHECK(a.value().details->arguments_json({kino::SliceId{0}}).value() ==
        b.value().details->arguments_json({kino::SliceId{0}}).value());
}

TEST_CASE("unwanted arguments are left out and counted") {
  const TemporaryFolder folder;
  const fs::path trace = folder.write("t.json", kino_test::secretive_trace());
  const fs::path out = folder.path() / "out.kino";
  const auto all = pack(trace, out);
  CHECK(all.left_out == 0);
  CHECK(all.events == 40 * 5 + 2);
  const auto work = pack(trace, out, {.arguments = kino::PackedArguments::work});
  CHECK(work.left_out == 40 * 2);  // frames and modules
  CHECK(work.bytes < all.bytes);
  const auto some = kino_test::open(out);
  const auto original = kino_test::open(trace);
  CHECK(some.value().capsule->left_out == 40 * 2);
  CHECK(kino_test::difference(*original.value().trace, *some.value().trace) == "");
  for (const EventRef event : events_of(*original.value().trace, 1)) {
    const bool python =
        event.slice != kino::kNoSlice && original.value().trace->kind(event.slice) == kino::SliceKind::python;
    const auto json = some.value().details->arguments_json(event);
    CHECK(json.value() == (python ? "" : original.value().details->arguments_json(event).value()));
  }
  const auto none = pack(trace, out, {.arguments = kino::PackedArguments::none});
  CHECK(none.left_out == none.events);
  CHECK(none.bytes < work.bytes);
  CHECK(kino_test::open(out).value().details->arguments_json({kino::SliceId{0}}).value().empty());
}

TEST_CASE("title, note and recording settings are stored") {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "out.kino";
  pack(folder.write("t.json", kino_test::secretive_trace()), out,
       {.title = "t.json", .note = R"({"format": "note"})"});
  const auto opened = kino_test::open(out);
  REQUIRE(opened.value().capsule != nullptr);
  CHECK(opened.value().capsule->title == "t.json");
  CHECK(opened.value().capsule->note == R"({"format": "note"})");
  CHECK(!opened.value().capsule->redacted);
  REQUIRE(opened.value().text != nullptr);
  const auto settings = opened.value().text->read_text(0, 1000);
  CHECK(settings.value().find(R"("torch_version":"2.5.0")") != std::string::npos);
  CHECK(settings.value().find("SECRET") == std::string::npos);
}

TEST_CASE("no redacted text remains in the file") {
  const TemporaryFolder folder;
  const fs::path trace = folder.write("t.json", kino_test::secretive_trace());
  const fs::path out = folder.path() / "out.kino";
  const std::string note =
      R"({"trace": "/SECRET_NOTE/t.json", "bookmarks": [{"text": "see /SECRET_BOOKMARK/a", "name": "nn.Module: SECRET_MODULE_1"}]})";
  pack(trace, out, {.title = "SECRET_TITLE.json", .note = note});
  const std::string open_bytes = all_bytes(out);
  for (const char* const secret :
       {"SECRET_HOME", "SECRET_FUNCTION", "SECRET_KEYED", "SECRET_NOTE", "SECRET_TITLE"}) {
    CAPTURE(secret);
    CHECK(open_bytes.find(secret) != std::string::npos);  // verifies that the search works
  }
  const auto report = pack(trace, out,
                           {.title = "SECRET_TITLE.json",
                            .note = note,
                            .redaction = kino::PackOptions::Redaction{{1, 2}, {"SECRET_HOST"}}});
  const std::string bytes = all_bytes(out);
  const std::size_t found = bytes.find("SECRET");
  CHECK_MESSAGE(found == std::string::npos, bytes.substr(found == std::string::npos ? 0 : found, 40));
  CHECK(report.replaced[static_cast<std::size_t>(kino::Redacted::frames)] >= 8);
  CHECK(report.replaced[static_cast<std::size_t>(kino::Redacted::paths)] >= 5);
  const auto opened = kino_test::open(out);
  REQUIRE(opened.ok());
  CHECK(opened.value().capsule->redacted);
  CHECK(opened.value().capsule->replaced[0] == report.replaced[0]);
  // Times, nesting, links and other numbers are unchanged.
  const auto original = kino_test::open(trace);
  const auto& a = *original.value().trace;
  const auto& b = *opened.value().trace;
  CHECK(kino_test::difference(a.slices, b.slices, "slices") == "");
  CHECK(kino_test::difference(a.flows, b.flows, "flows") == "");
  CHECK(a.names.size() == b.names.size());
  CHECK(a.names.find("aten::mm") == b.names.find("aten::mm"));
}

TEST_CASE("a host in metadata is replaced in labels, names, categories and arguments") {
  const TemporaryFolder folder;
  const fs::path trace = folder.write("t.json", R"({"schemaVersion": 1, "traceEvents": [
{"ph": "M", "name": "process_labels", "pid": 7, "args": {"labels": "rank 0 on gpubox17"}},
{"ph": "M", "name": "process_name", "pid": 7, "args": {"name": "python gpubox17"}},
{"ph": "M", "name": "thread_name", "pid": 7, "tid": 1, "args": {"name": "alice_main"}},
{"ph": "X", "cat": "gpubox17", "name": "load on gpubox17", "pid": 7, "tid": 1, "ts": 1, "dur": 9, "args": {"from": "gpubox17:/x", "via": gpubox17, "to": "gpu-node-18"}},
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": 1, "ts": 2, "dur": 3, "args": {"file": "/home/alice/run.py"}},
{"ph": "i", "cat": "mark", "name": "GPUBOX17 done", "pid": 7, "tid": 1, "ts": 5, "args": {"by": "Alice"}},
{"ph": "B", "name": "alice", "pid": 7, "tid": 2, "ts": 5}, {"ph": "E", "pid": 7, "tid": 2, "ts": 6},
{"ph": "X", "name": "no time on gpubox17", "pid": 7}], "user_metadata": {"hostname": "gpubox17"}})");
  const fs::path out = folder.path() / "out.kino";
  const auto lowered_bytes = [&] { return kino::lowered(all_bytes(out)); };
  pack(trace, out, {.title = "gpubox17_99.pt.trace.json"});
  for (const char* const secret : {"gpubox17", "alice"})
    CHECK(lowered_bytes().find(secret) != std::string::npos);
  const auto report =
      pack(trace, out,
           {.title = "gpubox17_99.pt.trace.json", .redaction = kino::PackOptions::Redaction{{1, 2}, {}}});
  for (const char* const secret : {"gpubox17", "alice", "run.py"}) {
    CAPTURE(secret);
    const std::string bytes = lowered_bytes();
    const std::size_t found = bytes.find(secret);
    CHECK_MESSAGE(found == std::string::npos, bytes.substr(found == std::string::npos ? 0 : found, 40));
  }
  CHECK(report.host_like == std::vector<std::string>{"gpu-node-18"});
  const auto opened = kino_test::open(out);
  REQUIRE(opened.ok());
  const auto original = kino_test::open(trace);
  CHECK(kino_test::difference(original.value().trace->slices, opened.value().trace->slices, "slices") == "");
  CHECK(original.value().trace->names.size() == opened.value().trace->names.size());
}

TEST_CASE("a host in the arguments of an instant is also replaced when a capsule is packed again") {
  const TemporaryFolder folder;
  const fs::path trace = folder.write("t.json", R"({"schemaVersion": 1, "traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "load on gpubox17", "pid": 7, "tid": 1, "ts": 1, "dur": 9},
{"ph": "i", "cat": "mark", "name": "start", "pid": 7, "tid": 1, "ts": 5, "args": {"hostname": "gpubox17"}}]})");
  pack(trace, folder.path() / "a.kino");
  CHECK(all_bytes(folder.path() / "a.kino").find("gpubox17") != std::string::npos);
  pack(folder.path() / "a.kino", folder.path() / "b.kino",
       {.redaction = kino::PackOptions::Redaction{{1, 2}, {}}});
  CHECK(all_bytes(folder.path() / "b.kino").find("gpubox17") == std::string::npos);
}

TEST_CASE("a capsule is published atomically") {
  const TemporaryFolder folder;
  const fs::path trace = folder.write("t.json", kino_test::secretive_trace());
  const auto opened = kino_test::open(trace);
  std::atomic<double> done{0};
  std::stop_source stop;
  stop.request_stop();
  const fs::path out = folder.write("out.kino", "as it was");
  const auto stopped = kino::pack_trace(opened.value(), {}, out, done, stop.get_token());
  REQUIRE(!stopped.ok());
  CHECK(stopped.error().kind == kino::Error::Kind::cancelled);
  CHECK(file_content(out) == "as it was");
  CHECK(!kino::pack_trace(opened.value(), {}, folder.path() / "no folder" / "x.kino", done, {}).ok());
  fs::create_symlink(out, folder.path() / "link.kino");
  CHECK(kino::pack_trace(opened.value(), {}, folder.path() / "link.kino", done, {}).ok());
  CHECK(fs::is_symlink(folder.path() / "link.kino"));
  CHECK(kino_test::open(out).ok());
}

TEST_CASE("two redactions have different keys") {
  CHECK(kino::random_redaction_key() != kino::random_redaction_key());
}
