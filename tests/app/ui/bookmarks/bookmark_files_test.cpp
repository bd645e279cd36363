// Covers: bookmark_files
#include "app/ui/bookmarks/bookmark_files.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>
#include <unistd.h>

#include "tests/fixtures/temporary_folder.hpp"

using namespace kino;

namespace {

class Folder : public kino_test::TemporaryFolder {
 public:
  std::filesystem::path notes() const { return path() / "notes"; }
};

Bookmark bookmark(std::uint64_t id, const std::string& text) {
  Bookmark mark;
  mark.id = id;
  mark.text = text;
  mark.created_unix_ms = static_cast<std::int64_t>(id);
  return mark;
}

BookmarkChanges added(std::uint64_t id, const std::string& text) { return {{id, bookmark(id, text)}}; }

std::vector<std::string> texts(const std::vector<Bookmark>& marks) {
  std::vector<std::string> found;
  found.reserve(marks.size());
  for (const Bookmark& mark : marks) found.push_back(mark.text);
  return found;
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("bookmarks are found after the trace was moved or renamed") {
  const Folder folder;
  const auto trace = folder.write("a.json", "content of a trace");
  const OpenedBookmarks first = open_bookmarks(folder.notes(), trace);
  CHECK(first.bookmarks.empty());
  CHECK(first.problem.empty());
  CHECK(change_bookmarks(first.file, trace, {}, added(1, "note")).written);
  CHECK(texts(open_bookmarks(folder.notes(), trace).bookmarks) == Texts{"note"});
  const auto moved = folder.path() / "moved.json";
  std::filesystem::rename(trace, moved);
  const OpenedBookmarks again = open_bookmarks(folder.notes(), moved);
  CHECK(texts(again.bookmarks) == Texts{"note"});
  CHECK(again.file == first.file);
}

TEST_CASE("another trace at the same path starts with a copy and does not change the first one's file") {
  const Folder folder;
  const auto trace = folder.write("a.json", "content of a trace");
  const auto first = open_bookmarks(folder.notes(), trace).file;
  change_bookmarks(first, trace, {}, added(1, "note"));
  folder.write("a.json", "another recording");
  const OpenedBookmarks other = open_bookmarks(folder.notes(), trace);
  CHECK(texts(other.bookmarks) == Texts{"note"});
  CHECK(other.file != first);
  change_bookmarks(other.file, trace, other.bookmarks, {{1, std::nullopt}});
  CHECK(open_bookmarks(folder.notes(), trace).bookmarks.empty());
  folder.write("a.json", "content of a trace");
  CHECK(texts(open_bookmarks(folder.notes(), trace).bookmarks) == Texts{"note"});
}

TEST_CASE("another trace at another path has no bookmarks") {
  const Folder folder;
  const auto trace = folder.write("a.json", "content of a trace");
  change_bookmarks(open_bookmarks(folder.notes(), trace).file, trace, {}, added(1, "note"));
  CHECK(open_bookmarks(folder.notes(), folder.write("b.json", "other content")).bookmarks.empty());
}

TEST_CASE("two windows on one trace preserve each other's bookmarks") {
  const Folder folder;
  const auto trace = folder.write("a.json", "content of a trace");
  const auto file = open_bookmarks(folder.notes(), trace).file;
  const auto ours = change_bookmarks(file, trace, {}, added(1, "ours"));
  change_bookmarks(file, trace, {}, added(2, "theirs"));
  const auto merged = change_bookmarks(file, trace, ours.bookmarks, added(3, "ours again"));
  CHECK(texts(merged.bookmarks) == Texts{"ours", "theirs", "ours again"});
  CHECK(merged.bookmarks[2].number == 3);
  const auto left = change_bookmarks(file, trace, merged.bookmarks, {{1, std::nullopt}});
  CHECK(texts(left.bookmarks) == Texts{"theirs", "ours again"});
  // Bookmarks that the other window removed do not reappear with our next change.
  CHECK(texts(change_bookmarks(file, trace, merged.bookmarks, added(4, "new")).bookmarks) ==
        Texts{"new", "theirs", "ours again"});
}

TEST_CASE("an unreadable file is preserved under another name, and known bookmarks are written again") {
  const Folder folder;
  const auto trace = folder.write("a.json", "content of a trace");
  const auto file = open_bookmarks(folder.notes(), trace).file;
  change_bookmarks(file, trace, {}, added(1, "note"));
  std::ofstream(file, std::ios::binary) << R"({"version": 1, "bookm)";
  const OpenedBookmarks opened = open_bookmarks(folder.notes(), trace);
  CHECK(opened.bookmarks.empty());
  CHECK(opened.problem.str().find(".bad") != std::string::npos);
  CHECK(text_of(file.string() + ".bad") == R"({"version": 1, "bookm)");
  std::ofstream(file, std::ios::binary) << "garbage";
  const auto changed = change_bookmarks(file, trace, {bookmark(1, "known")}, added(2, "new"));
  CHECK(texts(changed.bookmarks) == Texts{"known", "new"});
  CHECK_FALSE(changed.problem.empty());
  CHECK(text_of(file.string() + ".bad2") == "garbage");
  CHECK(open_bookmarks(folder.notes(), trace).problem.empty());
}

TEST_CASE("unreadable entries are preserved in a copy before the file is replaced") {
  const Folder folder;
  const auto trace = folder.write("a.json", "content of a trace");
  const auto file = open_bookmarks(folder.notes(), trace).file;
  change_bookmarks(file, trace, {}, added(1, "note"));
  std::string text = text_of(file);
  text.replace(text.find(R"("bookmarks": [)"), 14, R"("bookmarks": [{"id": "not ours"},)");
  std::ofstream(file, std::ios::binary) << text;
  const OpenedBookmarks opened = open_bookmarks(folder.notes(), trace);
  CHECK(texts(opened.bookmarks) == Texts{"note"});
  CHECK_FALSE(opened.problem.empty());
  CHECK(text_of(file) == text);
  change_bookmarks(file, trace, opened.bookmarks, added(2, "new"));
  CHECK(text_of(file.string() + ".bad") == text);
}

TEST_CASE("a folder that is not writable is reported and loses no bookmarks") {
  const Folder folder;
  const auto trace = folder.write("a.json", "content of a trace");
  const auto in_the_way = folder.write("notes", "a file where the folder should be");
  const auto changed =
      change_bookmarks(in_the_way / "x.json", trace, {bookmark(1, "known")}, added(2, "new"));
  CHECK_FALSE(changed.written);
  CHECK_FALSE(changed.problem.empty());
  CHECK(texts(changed.bookmarks) == Texts{"known", "new"});
}

TEST_CASE("files other than bookmarks are reported") {
  const Folder folder;
  const auto trace = folder.write("a.json", "content of a trace");
  const std::vector<Bookmark> marks{bookmark(1, "note")};
  const auto exported = folder.write("b.json", kino::bookmarks_json(marks, trace));
  const auto read = import_bookmarks(exported).read;
  REQUIRE(read.has_value());
  CHECK(texts(read->bookmarks) == Texts{"note"});
  CHECK(import_bookmarks(trace).problem.text == Text::bookmarks_none_in_file);
  CHECK(import_bookmarks(folder.path()).problem.text == Text::bookmarks_no_such_file);
}
