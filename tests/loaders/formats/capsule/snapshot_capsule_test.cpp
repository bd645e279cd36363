// Covers: snapshot_capsule, snapshot_redaction, capsule_bundle, capsule_reader, capsule_writer
// Snapshots in capsules: they have the tables of their source, bounded memory, and no redacted text.
#include "loaders/formats/capsule/snapshot_capsule.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include "core/base/platform/new_file.hpp"
#include "core/memory/tables/snapshot_table_kinds.hpp"
#include "loaders/bytes/zstd_frame.hpp"
#include "loaders/formats/capsule/capsule_bundle.hpp"
#include "loaders/formats/capsule/capsule_reader.hpp"
#include "loaders/formats/capsule/capsule_writer.hpp"
#include "loaders/formats/capsule/text_in_memory.hpp"
#include "loaders/formats/open.hpp"
#include "tests/fixtures/loader_files.hpp"
#include "tests/fixtures/real_data.hpp"

namespace {

namespace fs = std::filesystem;
using kino_test::TemporaryFolder;

kino::Result<kino::OpenedSnapshot> opened_snapshot(const fs::path& path, bool keep_text = false) {
  kino::OpenOptions options;
  options.keep_text = keep_text;
  options.threads = 2;
  kino::LoadProgress progress;
  return kino::open_snapshot(path, options, progress, {});
}

kino::PackReport packed_snapshot(const fs::path& path, const fs::path& out,
                                 const kino::PackOptions& options = {}) {
  const auto opened = opened_snapshot(path, true);
  if (!opened.ok()) FAIL(opened.error().what.str());
  std::atomic<double> done{0};
  const auto report = kino::pack_snapshot(opened.value(), options, out, done, {});
  if (!report.ok()) FAIL(report.error().what.str());
  CHECK(done == 1);
  CHECK(report.value().bytes == fs::file_size(out));
  return report.value();
}

std::string text_of_table(const kino::Table& table) {
  std::string text = table.title.str() + "\n" + table.definition.str() + "\n";
  for (const kino::Message& note : table.notes) text += note.str() + "\n";
  for (const kino::TableColumn& column : table.columns) {
    text += column.key + ":";
    std::visit(
        [&](const auto& values) {
          for (const auto& value : values) {
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>) {
              text += value + "|";
            } else {
              text += std::to_string(value) + "|";
            }
          }
        },
        column.values);
    text += "\n";
  }
  return text;
}

/// All tables of a snapshot as `kinetoscope table` prints them.
std::string all_tables(const kino::Snapshot& snapshot) {
  std::string text;
  for (const kino::TableInfo* const kind : kino::snapshot_table_kinds()) {
    if (kind == &kino::kCompareTable) continue;
    kino::TableRequest request;
    request.name = kind->name;
    const auto table = kino::compute_snapshot_table(snapshot, request, kino::CategoryRuleSet{});
    text += std::string(kind->name) + "\n" +
            (table.ok() ? text_of_table(table.value()) : table.error().what.str());
  }
  return text;
}

std::string frame_json(const std::string& name, const std::string& file, int line) {
  return R"({"name": ")" + name + R"(", "filename": ")" + file + R"(", "line": )" + std::to_string(line) +
         "}";
}

/// Has secrets in every text of a snapshot. The function "alloc" has the name of an action.
std::string secretive_snapshot() {
  const std::string frames = "[" + frame_json("SECRET_INNER", "/SECRET_HOME/model.py", 7) + "," +
                             frame_json("alloc", "SECRET_FILE.py", 9) + "," + frame_json("??", "??", 0) + "]";
  std::string entries;
  for (int i = 0; i < 30; ++i) {
    const std::string at = std::to_string(4096 + 512 * i);
    entries +=
        std::string(i > 0 ? "," : "") + R"({"action": "alloc", "addr": )" + at +
        R"(, "size": 512, "stream": 0, "time_us": )" + std::to_string(1000 + i) + R"(, "frames": )" + frames +
        R"(, "user_metadata": "saved to /SECRET_META/x.pt", "compile_context": "SECRET_CONTEXT.py", "forward_frames": ["in SECRET_FORWARD"]})";
    if (i % 3 == 0)
      entries += R"(,{"action": "free_requested", "addr": )" + at +
                 R"(, "size": 512, "stream": 0, "frames": []},)"
                 R"({"action": "free_completed", "addr": )" +
                 at + R"(, "size": 512, "stream": 0, "frames": []})";
  }
  return R"({"segments": [{"device": 0, "address": 4096, "total_size": 2097152, "allocated_size": 0, "active_size": 0,
"stream": 0, "segment_type": "small", "blocks": [{"size": 2097152, "state": "inactive", "address": 4096}]}],
"device_traces": [[)" +
         entries + R"(]], "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True",
"log": "/SECRET_SETTING/y"}, "external_annotations": [{"stage": "START", "name": "SECRET_ANNOTATION.py", "device": 0,
"time_us": 1001}]})";
}

kino::PackOptions redacting() {
  kino::PackOptions options;
  options.title = "SECRET_TITLE.pickle";
  options.redaction = kino::PackOptions::Redaction{{1, 2}, {"SECRET_HOST"}};
  return options;
}

/// All bytes of a capsule, compressed and decompressed.
std::string all_bytes(const std::string& content) {
  const kino::TextInMemory file(content);
  const auto facts = kino::read_snapshot_capsule(file);
  REQUIRE(facts.ok());
  kino::CapsuleFooter footer;
  std::memcpy(&footer, content.data() + content.size() - sizeof footer, sizeof footer);
  std::string all = content + kino::read_part(file, footer.catalog).value();
  for (const kino::CapsulePart& part : facts.value().content) all += kino::read_part(file, part).value();
  return all;
}

}  // namespace

TEST_CASE("a capsule of a snapshot has the tables of its file byte for byte") {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "s.kino";
  std::vector<fs::path> files{folder.write("s.json", secretive_snapshot())};
  const fs::path seeds = fs::path(KINETOSCOPE_SOURCE) / "tests" / "fuzz" / "seeds";
  for (const auto& seed : fs::directory_iterator(seeds)) {
    const std::string name = seed.path().filename().string();
    if (name.starts_with("snapshot") || name == "timeline.raw.json") files.push_back(seed.path());
  }
  for (const char* const real :
       {"snapshot/code_location/memory_snapshot.pickle", "snapshot/verl/mem.pickle"}) {
    if (const auto path = kino_test::real_data(real)) files.push_back(*path);
  }
  CHECK(files.size() > 10);
  for (const fs::path& file : files) {
    CAPTURE(file.string());
    kino::PackOptions options;
    options.title = file.filename().string();
    const auto report = packed_snapshot(file, out, options);
    const auto original = opened_snapshot(file);
    const auto capsule = opened_snapshot(out);
    REQUIRE(capsule.ok());
    CHECK(report.text_bytes == original.value().stats.text_bytes);
    REQUIRE(capsule.value().capsule != nullptr);
    CHECK(capsule.value().capsule->title == options.title);
    CHECK(!capsule.value().capsule->redacted);
    CHECK(capsule.value().snapshot->source == original.value().snapshot->source);
    CHECK(capsule.value().snapshot->damage.total() == original.value().snapshot->damage.total());
    CHECK((all_tables(*capsule.value().snapshot) == all_tables(*original.value().snapshot)));
  }
  // A capsule of a capsule is equal.
  const fs::path again = folder.path() / "again.kino";
  packed_snapshot(files.front(), out);
  packed_snapshot(out, again);
  CHECK((all_tables(*opened_snapshot(again).value().snapshot) ==
         all_tables(*opened_snapshot(out).value().snapshot)));
}

TEST_CASE("no redacted text remains in the capsule of a snapshot") {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "s.kino";
  const fs::path file = folder.write("s.json", secretive_snapshot());
  const auto report = packed_snapshot(file, out, redacting());
  CHECK(report.replaced[0] == 3);  // two functions, and a line of forward_frames
  const std::string bytes = all_bytes(kino_test::file_content(out));
  CHECK(bytes.find("SECRET") == std::string::npos);
  CHECK(bytes.find("expandable_segments:True") != std::string::npos);
  const auto original = opened_snapshot(file);
  const auto capsule = opened_snapshot(out);
  REQUIRE(capsule.ok());
  CHECK(capsule.value().capsule->redacted);
  const kino::Snapshot& is = *capsule.value().snapshot;
  const kino::Snapshot& was = *original.value().snapshot;
  CHECK(is.damage.total() == was.damage.total());
  REQUIRE(is.devices.size() == 1);
  CHECK(is.devices[0].entries.entry_count() == was.devices[0].entries.entry_count());
  CHECK(is.devices[0].history.allocations.count() == was.devices[0].history.allocations.count());
  CHECK(is.stacks.frame_count() == was.stacks.frame_count());
  CHECK(is.annotations.size() == 1);
  CHECK(is.setting("PYTORCH_CUDA_ALLOC_CONF") == "expandable_segments:True");
  // Lines and PyTorch's "??" remain.
  std::vector<std::int64_t> lines;
  for (std::uint32_t i = 0; i < is.stacks.frame_count(); ++i)
    lines.push_back(static_cast<std::int64_t>(is.stacks.frame(kino::FrameId{i}).line));
  std::ranges::sort(lines);
  CHECK(lines == std::vector<std::int64_t>{0, 7, 9});
}

TEST_CASE("a redacted pickle is the same snapshot with other names") {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "s.kino";
  const fs::path seeds = fs::path(KINETOSCOPE_SOURCE) / "tests" / "fuzz" / "seeds";
  std::vector<fs::path> files;
  for (const char* const name :
       {"snapshot_1.13.pickle", "snapshot_cpp.pickle", "snapshot_ordered_dict.pickle",
        "snapshot_protocol0.pickle", "snapshot_protocol4.pickle", "snapshot.html"})
    files.push_back(seeds / name);
  if (const auto path = kino_test::real_data("snapshot/code_location/memory_snapshot.pickle"))
    files.push_back(*path);
  for (const fs::path& file : files) {
    CAPTURE(file.string());
    packed_snapshot(file, out, redacting());
    const auto redacted = opened_snapshot(out);
    REQUIRE(redacted.ok());
    const auto original = opened_snapshot(file);
    const kino::Snapshot& is = *redacted.value().snapshot;
    const kino::Snapshot& was = *original.value().snapshot;
    CHECK(is.damage.total() == was.damage.total());
    CHECK(is.stacks.stack_count() == was.stacks.stack_count());
    CHECK(is.stacks.frame_count() == was.stacks.frame_count());
    REQUIRE(is.devices.size() == was.devices.size());
    for (std::size_t d = 0; d < is.devices.size(); ++d) {
      const auto& a = is.devices[d].history.allocations;
      const auto& b = was.devices[d].history.allocations;
      CHECK(is.devices[d].segments.size() == was.devices[d].segments.size());
      REQUIRE(a.count() == b.count());
      for (std::size_t i = 0; i < a.count(); ++i) {
        REQUIRE(a.addr[i] == b.addr[i]);
        REQUIRE(a.size[i] == b.size[i]);
        REQUIRE(a.end[i] == b.end[i]);
        REQUIRE(a.stack[i] == b.stack[i]);
        REQUIRE(a.stream[i] == b.stream[i]);
        REQUIRE(a.pool[i] == b.pool[i]);
      }
    }
  }
}

TEST_CASE("a damaged snapshot is packed unchanged, but not redacted") {
  const TemporaryFolder folder;
  const std::string whole = secretive_snapshot();
  const fs::path file = folder.write("s.json", whole.substr(0, whole.size() / 2));
  const fs::path out = folder.path() / "s.kino";
  packed_snapshot(file, out);
  CHECK(opened_snapshot(out).value().snapshot->damage.total() ==
        opened_snapshot(file).value().snapshot->damage.total());
  fs::remove(out);
  const auto opened = opened_snapshot(file, true);
  std::atomic<double> done{0};
  const auto report = kino::pack_snapshot(opened.value(), redacting(), out, done, {});
  REQUIRE(!report.ok());
  CHECK(report.error().what.str().find("only a whole snapshot can be redacted") != std::string::npos);
  CHECK(!fs::exists(out));
}

TEST_CASE("truncated, changed and newer capsules of snapshots are refused") {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "s.kino";
  packed_snapshot(folder.write("s.json", secretive_snapshot()), out);
  const std::string whole = kino_test::file_content(out);
  for (std::size_t size = kino::kSnapshotCapsuleMagic.size(); size < whole.size(); size += 13)
    CHECK(!opened_snapshot(folder.replace("cut.kino", whole.substr(0, size))).ok());
  for (std::size_t at = kino::kSnapshotCapsuleMagic.size() + 2; at < whole.size(); at += 11) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x20);
    CAPTURE(at);
    CHECK(!opened_snapshot(folder.replace("changed.kino", changed)).ok());
  }
  std::string newer = whole;
  newer[kino::kSnapshotCapsuleMagic.size()] = '9';
  const auto refused = opened_snapshot(folder.write("newer.kino", newer));
  REQUIRE(!refused.ok());
  CHECK(refused.error().what.str().find("version 9") != std::string::npos);
}

TEST_CASE("a capsule of a snapshot cannot exceed the limit for its size") {
  const std::string head = std::string(kino::kSnapshotCapsuleMagic) + "1\n";
  const auto capsule_of = [&](const std::vector<kino::CapsulePart>& parts, const std::string& frame) {
    const TemporaryFolder folder;
    kino::SnapshotCapsuleFacts facts;
    facts.form = "pickle";
    facts.content = parts;
    auto file = kino::NewFile::create(folder.path());
    REQUIRE(file.ok());
    kino::CapsuleParts writer(file->fd(), 0);
    writer.write(head);
    writer.write(frame);
    REQUIRE(!kino::write_capsule_end(writer, facts, {}));
    REQUIRE(!file->publish("made.kino"));
    return kino_test::file_content(folder.path() / "made.kino");
  };
  const std::string zeros(1000, '\0');
  const std::string frame = kino::zstd_packed(zeros, 9);
  const kino::CapsulePart honest{head.size(), frame.size(), zeros.size(), kino::part_hash(frame)};
  const auto accepted = [&](const std::vector<kino::CapsulePart>& parts) {
    return kino::read_snapshot_capsule(kino::TextInMemory(capsule_of(parts, frame))).ok();
  };
  CHECK(accepted({honest, honest}));
  kino::CapsulePart large = honest;
  large.bytes = kino::kMostContentPart + 1;
  CHECK(!accepted({large}));
  large.bytes = kino::kMostContentPart;
  CHECK(accepted({large}));
  CHECK(!accepted(std::vector<kino::CapsulePart>(100, large)));  // 800 MiB in a file of one kilobyte
  kino::CapsulePart outside = honest;
  outside.offset = std::uint64_t{1} << 40;
  CHECK(!accepted({outside}));
}

TEST_CASE("a trace and its snapshot form one archive") {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "both.kino";
  {
    kino::CapsuleBundle bundle(out);
    packed_snapshot(folder.write("s.json", secretive_snapshot()), bundle.next("memory.pickle"));
    packed_snapshot(folder.write("t.json", secretive_snapshot()), bundle.next("memory.pickle.gz"));
    REQUIRE(bundle.finish().ok());
  }
  CHECK(opened_snapshot(out.string() + "#memory.kino").ok());
  CHECK(opened_snapshot(out.string() + "#memory_2.kino").ok());
}

TEST_CASE("capsules of snapshots of earlier versions open unchanged") {
  const fs::path folder = fs::path(KINETOSCOPE_SOURCE) / "tests" / "fixtures" / "capsules";
  const auto opened = opened_snapshot(folder / "snapshot_version_1.kino");
  REQUIRE(opened.ok());
  const auto original =
      opened_snapshot(fs::path(KINETOSCOPE_SOURCE) / "tests/fuzz/seeds/snapshot_protocol4.pickle");
  CHECK(opened.value().capsule->title == "snapshot_protocol4.pickle");
  CHECK((all_tables(*opened.value().snapshot) == all_tables(*original.value().snapshot)));
  const auto redacted = opened_snapshot(folder / "snapshot_version_1_redacted.kino");
  REQUIRE(redacted.ok());
  CHECK(redacted.value().capsule->redacted);
  CHECK(redacted.value().snapshot->devices[0].history.allocations.count() ==
        original.value().snapshot->devices[0].history.allocations.count());
}
