// Covers: directory_listing, program_dialog, portal_dialog
// Dialogs that choose files: sorted listings of folders, and untrusted answers of other dialog programs.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <random>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "app/shell/dialogs/directory_listing.hpp"
#include "app/shell/dialogs/program_dialog.hpp"
#include "app/system/portal_dialog.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace {

using kino::DirectoryListing;

const kino::DialogTexts kTexts{"Open traces", "Traces", "All files"};

class ListedFolder : public kino_test::TemporaryFolder {
 public:
  void add_file(const std::string& name, const std::string& text = "x") const {
    std::ofstream(path() / name) << text;
  }
  void add_program(const std::string& name, const std::string& script) const {
    add_file(name, "#!/bin/sh\n" + script);
    ::chmod((path() / name).c_str(), 0755);
  }
};

std::vector<std::string> names_of(const DirectoryListing& listing, std::string_view filter) {
  std::vector<std::string> names;
  for (const std::size_t i : kino::matching_entries(listing, filter))
    names.push_back(listing.entries[i].name);
  return names;
}

// Sets PATH to `value` during its lifetime.
class PathVariable {
 public:
  explicit PathVariable(const std::string& value) : before_(std::getenv("PATH")) {
    ::setenv("PATH", value.c_str(), 1);
  }
  PathVariable(const PathVariable&) = delete;
  PathVariable& operator=(const PathVariable&) = delete;
  ~PathVariable() { ::setenv("PATH", before_.c_str(), 1); }

 private:
  std::string before_;
};

}  // namespace

TEST_CASE("folders are listed first, and numbers in names are sorted as numbers") {
  const ListedFolder folder;
  for (const char* name : {"rank10.json", "rank2.json", "Rank1.json", "b.txt", ".hidden.json"})
    folder.add_file(name);
  std::filesystem::create_directory(folder.path() / "zz");
  auto listing = kino::list_directory(folder.path(), {});
  REQUIRE(listing.ok());
  CHECK(names_of(listing.value(), "") ==
        std::vector<std::string>{"zz", "b.txt", "Rank1.json", "rank2.json", "rank10.json"});
  CHECK(listing.value().entries[0].folder == true);
}

TEST_CASE("recordings, databases, capsules and archives look openable, other files do not") {
  for (const char* name : {"a.pt.trace.json", "a.json.gz", "a.pickle", "a.nsys-rep", "a.sqlite", "a.db",
                           "a.pftrace", "a.perfetto-trace", "a.kino", "a.zip", "nccl_trace_rank_3"}) {
    CHECK_MESSAGE(kino::looks_openable(name), name);
  }
  for (const char* name : {"a.txt", "json", "a.pickle.bak", "my_nccl_trace_rank_3", ""}) {
    CHECK_FALSE_MESSAGE(kino::looks_openable(name), name);
  }
}

TEST_CASE("typed text filters and ignores case, and a leading dot shows hidden files") {
  const ListedFolder folder;
  for (const char* name : {"Trace.JSON", "other.txt", ".hidden.json"}) folder.add_file(name);
  auto listing = kino::list_directory(folder.path(), {});
  REQUIRE(listing.ok());
  CHECK(names_of(listing.value(), "json") == std::vector<std::string>{"Trace.JSON"});
  CHECK(names_of(listing.value(), ".hid") == std::vector<std::string>{".hidden.json"});
  CHECK(names_of(listing.value(), "nothing").empty());
}

TEST_CASE("reports in each language why a folder cannot be read") {
  const auto listing = kino::list_directory("/nonexistent", {});
  REQUIRE_FALSE(listing.ok());
  CHECK(listing.error().what == "this folder cannot be read");
  CHECK(listing.error().what.str(kino::Language::japanese) == "このフォルダーを読み取れません");
}

TEST_CASE("an unreadable folder is an error, and dangling links are listed") {
  CHECK_FALSE(kino::list_directory("/nonexistent", {}).ok());
  const ListedFolder folder;
  std::filesystem::create_symlink("/nonexistent", folder.path() / "dangling");
  auto listing = kino::list_directory(folder.path(), {});
  REQUIRE(listing.ok());
  CHECK(listing.value().entries.size() == 1);
}

TEST_CASE("the order of names is a strict weak order") {
  std::mt19937 random(7);
  const std::string letters = "aB0019_";
  const auto name = [&] {
    std::string text;
    for (unsigned n = random() % 6; n > 0; --n) text += letters[random() % letters.size()];
    return text;
  };
  for (int i = 0; i < 20'000; ++i) {
    const std::string a = name();
    const std::string b = name();
    const std::string c = name();
    CHECK_FALSE(kino::natural_less(a, a));
    if (kino::natural_less(a, b)) CHECK_FALSE(kino::natural_less(b, a));
    if (kino::natural_less(a, b) && kino::natural_less(b, c)) CHECK(kino::natural_less(a, c));
    if (a != b) CHECK((kino::natural_less(a, b) || kino::natural_less(b, a)));
  }
}

TEST_CASE("URIs from the portal become paths if they are local") {
  CHECK(kino::path_from_uri("file:///tmp/a%20b%C3%A4.json") ==
        std::filesystem::path("/tmp/a b\xc3\xa4.json"));
  CHECK(kino::path_from_uri("file://localhost/tmp/x") == std::filesystem::path("/tmp/x"));
  CHECK_FALSE(kino::path_from_uri("file://elsewhere/tmp/x").has_value());
  CHECK_FALSE(kino::path_from_uri("https://example.org/x").has_value());
  CHECK_FALSE(kino::path_from_uri("file:///a%2").has_value());
  CHECK_FALSE(kino::path_from_uri("file:///a%zz").has_value());
  CHECK_FALSE(kino::path_from_uri("file:///a%00b").has_value());
  CHECK_FALSE(kino::path_from_uri("").has_value());
}

TEST_CASE("the first installed dialog program is found, and never in a relative folder") {
  const ListedFolder empty;
  const ListedFolder folder;
  folder.add_program("zenity", "exit 0\n");
  const std::string path = empty.path().string() + "::.:" + folder.path().string();
  const auto command = kino::find_dialog_program(path, "/some folder", kTexts);
  REQUIRE(command.has_value());
  CHECK(command->front() == (folder.path() / "zenity").string());
  CHECK(std::ranges::any_of(*command, [](const std::string& argument) {
    return argument.starts_with("--file-filter=Traces | *.json ") &&
           argument.find(" *.pickle ") != std::string::npos;
  }));
  CHECK(std::ranges::find(*command, "--filename=/some folder/") != command->end());
  CHECK(std::ranges::find(*command, "--title=Open traces") != command->end());
  CHECK_FALSE(kino::find_dialog_program(empty.path().string() + ":relative:", "/", kTexts).has_value());
}

TEST_CASE("passes the suggested name and overwrite confirmation to a dialog program") {
  const ListedFolder folder;
  folder.add_program("zenity", "exit 0\n");
  kino::DialogTexts texts = kTexts;
  texts.save_as = "a.svg";
  const auto command = kino::find_dialog_program(folder.path().string(), "/some folder", texts);
  REQUIRE(command.has_value());
  for (const char* argument : {"--save", "--confirm-overwrite", "--filename=/some folder/a.svg"})
    CHECK(std::ranges::find(*command, argument) != command->end());
}

TEST_CASE("the answer of a dialog program is a list of files, which is empty if it was cancelled") {
  const ListedFolder folder;
  const PathVariable path(folder.path().string() + ":/bin:/usr/bin");
  folder.add_program("zenity", "echo '/tmp/a b.json'\necho /tmp/c.json\n");
  const kino::DialogResult chosen = kino::ask_program("/", kTexts, {});
  CHECK(chosen.kind == kino::DialogResult::Kind::chosen);
  CHECK(chosen.files == std::vector<std::filesystem::path>{"/tmp/a b.json", "/tmp/c.json"});

  folder.add_program("zenity", "exit 1\n");
  CHECK(kino::ask_program("/", kTexts, {}).kind == kino::DialogResult::Kind::cancelled);
  folder.add_program("zenity", "exit 127\n");
  CHECK(kino::ask_program("/", kTexts, {}).kind == kino::DialogResult::Kind::unavailable);
}

TEST_CASE("a dialog program that never answers ends with the stop request") {
  const ListedFolder folder;
  const PathVariable path(folder.path().string() + ":/bin:/usr/bin");
  folder.add_program("zenity", "exec sleep 600\n");
  std::stop_source stop;
  stop.request_stop();
  CHECK(kino::ask_program("/", kTexts, stop.get_token()).kind == kino::DialogResult::Kind::cancelled);
}

TEST_CASE("only absolute paths from a dialog program are accepted") {
  CHECK(kino::paths_from_lines("/a\n\nrelative\n/b") == std::vector<std::filesystem::path>{"/a", "/b"});
  CHECK(kino::paths_from_lines("").empty());
}

TEST_CASE(
    "typed paths are absolute, relative to the folder or to the home folder, and other texts are filters") {
  const auto typed = [](std::string_view text) {
    const auto path = kino::typed_path(text, "/data/runs", "/home/me");
    return path ? path->string() : std::string("filter");
  };
  CHECK(typed("/tmp/a.json") == "/tmp/a.json");
  CHECK(typed("/tmp/") == "/tmp");
  CHECK(typed("/") == "/");
  CHECK(typed("~") == "/home/me");
  CHECK(typed("~/x/") == "/home/me/x");
  CHECK(typed("..") == "/data");
  CHECK(typed("../other/a") == "/data/other/a");
  CHECK(typed("a/b.json") == "/data/runs/a/b.json");
  for (const std::string_view text : {"", "rank0", ".hidden", "~me", "..."}) CHECK(typed(text) == "filter");
}

TEST_CASE("entries are sorted by name, size or date, with folders first and equal entries by name") {
  DirectoryListing listing;
  listing.entries = {{"z", true, false, 0, 5},
                     {"a.json", false, true, 10, 300},
                     {"b.json", false, true, 30, 100},
                     {"c.json", false, true, 10, 200}};
  const auto sorted = [&](kino::EntryOrder order, bool descending) {
    std::vector<std::size_t> entries{3, 1, 0, 2};
    kino::sort_entries(listing, order, descending, entries);
    return entries;
  };
  using Order = std::vector<std::size_t>;
  CHECK(sorted(kino::EntryOrder::name, false) == Order{0, 1, 2, 3});
  CHECK(sorted(kino::EntryOrder::name, true) == Order{0, 3, 2, 1});
  CHECK(sorted(kino::EntryOrder::date, true) == Order{0, 1, 3, 2});
  CHECK(sorted(kino::EntryOrder::size, true) == Order{0, 2, 1, 3});
  CHECK(sorted(kino::EntryOrder::size, false) == Order{0, 1, 3, 2});
}

TEST_CASE("a listing has the date of each entry, and a dialog program can choose a folder") {
  const ListedFolder folder;
  folder.add_file("a.json");
  const auto listing = kino::list_directory(folder.path(), {});
  REQUIRE(listing.ok());
  CHECK(listing.value().entries.front().modified_ns > 1'700'000'000'000'000'000);
  const ListedFolder programs;
  programs.add_program("zenity", "exit 0\n");
  kino::DialogTexts texts = kTexts;
  texts.folder = true;
  const auto command = kino::find_dialog_program(programs.path().string(), "/data", texts);
  REQUIRE(command);
  CHECK(std::ranges::find(*command, "--directory") != command->end());
  CHECK(std::ranges::find(*command, "--multiple") == command->end());
}
