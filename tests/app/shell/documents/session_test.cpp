// Covers: session, glyph_set
// Tabs have distinct names, and closing one frees its memory.
#include "app/shell/documents/session.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <unistd.h>

#include "app/system/offscreen_context.hpp"
#include "app/ui/text/glyph_set.hpp"
#include "tests/fixtures/eventually.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace {

// Writes a trace in which each slice has a unique name, so that strings use memory as well as columns.
void write_large_trace(const std::filesystem::path& path, int slices) {
  std::ofstream file(path, std::ios::binary);
  file << R"({"traceEvents":[)";
  for (int i = 0; i < slices; ++i) {
    file << (i == 0 ? "" : ",") << R"({"ph":"X","cat":"kernel","name":"kernel_with_a_long_name_of_its_own_)"
         << i << R"(","pid":1,"tid":)" << i % 8 << R"(,"ts":)" << i << R"(,"dur":1})";
  }
  file << "]}";
}

std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t pages = 0;
  std::int64_t resident = 0;
  file >> pages >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // sanitizers retain freed memory
#else
constexpr bool kSanitized = false;
#endif

std::string without_extensions(const std::string& name) {
  for (const std::string_view extension : {".pt.trace.json", ".json.gz", ".json"}) {
    if (name.ends_with(extension)) return name.substr(0, name.size() - extension.size());
  }
  return name;
}

/// Returns the titles that Session::title() defines, by comparing each path with every other path.
std::vector<std::string> compared_titles(const std::vector<std::filesystem::path>& paths) {
  const auto with_folders = [](const std::filesystem::path& path, int folders) {
    std::string name = without_extensions(path.filename().string());
    std::filesystem::path folder = path.parent_path();
    for (; folders > 0 && folder.has_filename(); --folders, folder = folder.parent_path()) {
      name = folder.filename().string() + "/" + name;
    }
    return name;
  };
  std::vector<std::string> titles;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const auto taken = [&](auto name_of) {
      return std::ranges::any_of(
          paths, [&](const auto& other) { return other != paths[i] && name_of(other) == name_of(paths[i]); });
    };
    std::string title = with_folders(paths[i], 0);
    if (taken([&](const auto& path) { return with_folders(path, 0); })) title = paths[i].filename().string();
    if (taken([](const auto& path) { return path.filename(); })) {
      int folders = 1;
      while (folders < 4 && taken([&](const auto& path) { return with_folders(path, folders); })) ++folders;
      title = with_folders(paths[i], folders);
    }
    const auto before =
        std::ranges::count(paths.begin(), paths.begin() + static_cast<std::ptrdiff_t>(i), paths[i]);
    titles.push_back(before > 0 ? title + " (" + std::to_string(before + 1) + ")" : title);
  }
  return titles;
}

std::vector<std::string> titles(const std::vector<std::filesystem::path>& paths) {
  return kino::tab_titles(paths);
}

}  // namespace

TEST_CASE("a tab is named after its file without the extensions of traces") {
  CHECK(titles({"/a/rank0.pt.trace.json.gz"}) == std::vector<std::string>{"rank0"});
  CHECK(titles({"/a/ranks.tar.zst"}) == std::vector<std::string>{"ranks"});
  CHECK(titles({"/a/ranks.zip#run/rank0.json.gz"}) == std::vector<std::string>{"rank0"});
  CHECK(titles({"-"}) == std::vector<std::string>{"Standard input"});
  CHECK(titles({"/a/trace.json"}) == std::vector<std::string>{"trace"});
  CHECK(titles({"/a/.json"}) == std::vector<std::string>{".json"});
  CHECK(titles({"/a/notes.txt"}) == std::vector<std::string>{"notes.txt"});
}

TEST_CASE("distinguishes files of the same name by their folders") {
  CHECK(titles({"/run/rank0/trace.json", "/run/rank1/trace.json"}) ==
        std::vector<std::string>{"rank0/trace", "rank1/trace"});
  CHECK(titles({"/one/rank0/trace.json", "/two/rank0/trace.json"}) ==
        std::vector<std::string>{"one/rank0/trace", "two/rank0/trace"});
}

TEST_CASE("files that differ in their extensions only show them") {
  CHECK(titles({"/a/trace.json", "/a/trace.json.gz", "/a/other.json"}) ==
        std::vector<std::string>{"trace.json", "trace.json.gz", "other"});
}

TEST_CASE("equal paths have titles as well, and no paths have none") {
  CHECK(titles({"/trace.json", "/trace.json"}).size() == 2);
  CHECK(titles({}).empty());
}

TEST_CASE("a glyph set contains the characters of a text beyond Latin, and skips invalid UTF-8") {
  kino::GlyphSet glyphs;
  glyphs.add("plain ASCII, größer");
  CHECK(glyphs.empty());
  glyphs.add("日本\xff\xe6\x97 α 😀");
  CHECK(glyphs.code_points() == std::vector<std::uint16_t>{0x3B1, 0x65E5, 0x672C});
  CHECK(glyphs.contains(0x65E5));
  CHECK_FALSE(glyphs.contains(0x20000));
  kino::GlyphSet more;
  more.add("本");
  CHECK(glyphs.includes(more));
  CHECK_FALSE(more.includes(glyphs));
  more.add(glyphs);
  CHECK(more.includes(glyphs));
  CHECK(more.includes(kino::GlyphSet{}));
}

TEST_CASE("closing a document frees its trace and returns the memory to the system") {
  auto context = kino::OffscreenContext::make(64, 64);
  REQUIRE_MESSAGE(context.ok(), context.error().what.str());
  std::string folder = (std::filesystem::temp_directory_path() / "kinetoscope_test_XXXXXX").string();
  REQUIRE(::mkdtemp(folder.data()) != nullptr);
  const std::filesystem::path path = std::filesystem::path(folder) / "large.json";
  write_large_trace(path, kSanitized ? 20'000 : 300'000);
  {
    kino::Session session([] {}, [](const kino::Document&) {});
    const std::int64_t before = resident_bytes();
    session.open(std::span(&path, 1));
    REQUIRE(kino_test::eventually([&] {
      session.poll();
      return session.document(0).state() == kino::Document::State::ready;
    }));
    CHECK(session.take_opened() == std::vector<kino::Session::Opened>{{path, {}}});
    CHECK(session.take_opened().empty());
    const std::weak_ptr<const kino::Trace> trace = session.document(0).opened().trace;
    const std::int64_t open = resident_bytes();
    session.close(0);
    session.poll();
    CHECK(session.empty());
    CHECK(kino_test::eventually([&] { return trace.expired(); }));
    if (!kSanitized) {
      CHECK(open - before > 20'000'000);
      CHECK(kino_test::eventually([&] { return resident_bytes() - before < (open - before) / 2; }));
      MESSAGE("open: ", (open - before) / 1000, " kB, closed: ", (resident_bytes() - before) / 1000, " kB");
    }
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("titles equal those of a pairwise comparison of paths") {
  std::mt19937 random(7);
  const std::vector<std::string> folders{"a", "b", "c"};
  const std::vector<std::string> names{"rank0.json", "rank0.json.gz", "rank1.pt.trace.json", "rank1.txt"};
  for (int round = 0; round < 300; ++round) {
    std::vector<std::filesystem::path> paths;
    for (std::size_t i = random() % 12; i > 0; --i) {
      std::filesystem::path path = "/";
      for (std::size_t depth = random() % 6; depth > 0; --depth) path /= folders[random() % folders.size()];
      paths.push_back(path / names[random() % names.size()]);
    }
    REQUIRE(titles(paths) == compared_titles(paths));
  }
}

TEST_CASE("an open file is found under other names, and among many") {
  auto context = kino::OffscreenContext::make(64, 64);
  REQUIRE_MESSAGE(context.ok(), context.error().what.str());
  const kino_test::TemporaryFolder folder;
  std::vector<std::filesystem::path> paths;
  for (int i = 0; i < 40; ++i) {
    paths.push_back(folder.path() / ("rank" + std::to_string(i) + ".json"));
    write_large_trace(paths.back(), 1);
  }
  const std::filesystem::path other_name = folder.path() / "link.json";
  std::filesystem::create_symlink(paths[7], other_name);
  kino::Session session([] {}, [](const kino::Document&) {});
  session.open(paths);
  CHECK(session.size() == 40);
  CHECK(session.active() == 0);
  session.open(std::span(&other_name, 1));
  CHECK(session.size() == 40);
  CHECK(session.active() == 7);
  session.open(std::vector{paths[3], paths[3]});
  CHECK(session.size() == 40);
  CHECK(session.active() == 3);
}

TEST_CASE("a session counts changes of its documents' content, and nothing else") {
  auto context = kino::OffscreenContext::make(64, 64);
  REQUIRE_MESSAGE(context.ok(), context.error().what.str());
  const kino_test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "rank0.json";
  write_large_trace(path, 3);
  kino::Session session([] {}, [](const kino::Document&) {});
  const auto ready = [&] {
    session.poll();
    return session.document(0).state() == kino::Document::State::ready && !session.document(0).loading();
  };
  session.open(std::span(&path, 1));
  const std::uint64_t opened = session.generation();
  REQUIRE(kino_test::eventually(ready));
  const std::uint64_t loaded = session.generation();
  CHECK(loaded != opened);
  REQUIRE(session.document(0).job().recordings.size() == 1);
  const kino::RecordingId recording = session.document(0).job().recordings.front().id;
  CHECK(session.document(0).job().recordings.front().trace() == session.document(0).opened().trace);
  session.poll();
  session.activate_neighbor(1);
  CHECK(session.generation() == loaded);
  session.document(0).reload();
  REQUIRE(kino_test::eventually(ready));
  CHECK(session.generation() != loaded);
  CHECK_FALSE(session.document(0).job().holds(recording));
  const std::uint64_t reloaded = session.generation();
  session.open_again(0);
  CHECK(session.generation() != reloaded);
  CHECK(session.document(1).trace() == session.document(0).trace());
  CHECK_FALSE(session.document(1).job().holds(session.document(0).job().recordings.front().id));
  session.close(1);
  session.close(0);
  CHECK(session.empty());
}

TEST_CASE("further tabs of one file are numbered") {
  CHECK(titles({"/a/rank0.json", "/a/rank0.json", "/b/rank1.json"}) ==
        std::vector<std::string>{"rank0", "rank0 (2)", "rank1"});
}
