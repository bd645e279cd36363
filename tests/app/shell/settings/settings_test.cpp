// Covers: settings, atomic_file
// Settings are read exactly as they were written, and a damaged file does not stop the program.
#include "app/shell/settings/settings.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "app/system/atomic_file.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using kino_test::TemporaryFolder;

namespace {

using kino::Settings;

// Returns the settings read from a file with this text.
kino::Result<Settings> settings_from(const std::string& text) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "settings.json";
  std::ofstream(file) << text;
  return kino::read_settings(file);
}

}  // namespace

TEST_CASE("reads settings as they were written") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "deep" / "er" / "settings.json";
  const Settings settings{
      .dark = false,
      .language = kino::Language::japanese,
      .window_width = 1234,
      .window_height = 567,
      .window_x = -40,
      .window_y = 25,
      .maximized = true,
      .header_width = 199.5F,
      .drawer_heights = {{"job", {{"tables", 200}}}, {"timeline", {{"flame", 320.5F}, {"kernels", 90}}}},
      .small_verdict = true,
      .inspector = false,
      .look = {.color_mode = kino::ColorMode::module, .full_names = true},
      .dragging = kino::Dragging::pans,
      .units = kino::ByteUnits::binary,
      .interface_scale = 1.25F};
  CHECK_FALSE(kino::write_settings(file, settings).has_value());
  auto read = kino::read_settings(file);
  REQUIRE(read.ok());
  CHECK(read.value() == settings);
}

TEST_CASE("without a file the settings are the defaults") {
  auto read = kino::read_settings("/nonexistent/settings.json");
  REQUIRE(read.ok());
  CHECK(read.value() == Settings{});
}

TEST_CASE("missing keys keep their defaults and unknown keys are ignored") {
  auto read = settings_from(R"({"theme": "light", "from_the_future": [1, 2], "color_by": "mood"})");
  REQUIRE(read.ok());
  CHECK_FALSE(read.value().dark);
  CHECK(read.value().window_width == Settings{}.window_width);
}

TEST_CASE("the drawer height that old versions stored for all pages is ignored") {
  auto read = settings_from(R"({"theme": "light", "drawer_height": 270})");
  REQUIRE(read.ok());
  CHECK_FALSE(read.value().dark);
  CHECK(read.value().drawer_heights.empty());
  read = settings_from(R"({"drawer_height": "high", "drawer_heights": {"later": {"page": 12}}})");
  REQUIRE(read.ok());
  CHECK(read.value().drawer_heights.at("later").at("page") == 12);
}

TEST_CASE("dragging selects for new users, and is unset if the settings file is older than this setting") {
  CHECK(kino::read_settings("/nonexistent/settings.json").value().dragging == kino::Dragging::selects);
  CHECK_FALSE(settings_from(R"({"theme": "dark"})").value().dragging.has_value());
  CHECK(settings_from(R"({"dragging": "selects"})").value().dragging == kino::Dragging::selects);
  CHECK(settings_from(R"({"dragging": "pans"})").value().dragging == kino::Dragging::pans);
  CHECK_FALSE(settings_from(R"({"dragging": "flies"})").ok());
  CHECK_FALSE(settings_from(R"({"dragging": true})").ok());
}

TEST_CASE("a window has a position only if both coordinates are stored") {
  auto read = settings_from(R"({"window_x": 5})");
  REQUIRE(read.ok());
  CHECK_FALSE(read.value().window_x.has_value());
  read = settings_from(R"({"window_x": 5, "window_y": -7})");
  REQUIRE(read.ok());
  CHECK(read.value().window_x == 5);
  CHECK(read.value().window_y == -7);
}

TEST_CASE("reports invalid settings as an error") {
  for (const char* text : {"",
                           "{",
                           "[]",
                           "null",
                           R"({"theme": 5})",
                           R"({"theme": "pink"})",
                           R"({"window_width": "wide"})",
                           R"({"window_width": -5})",
                           R"({"window_x": "left"})",
                           R"({"window_y": 1e9})",
                           R"({"maximized": 1})",
                           R"({"header_width": -1})",
                           R"({"drawer_heights": {"timeline": {"flame": "high"}}})",
                           R"({"drawer_heights": {"timeline": 5}})",
                           R"({"drawer_heights": [1]})",
                           R"({"drawer_heights": {"job": {"tables": -1}}})",
                           R"({"window_height": 1e300})",
                           R"({"window_height": 99999999999999999999})",
                           "\xff\xfe",
                           R"({"theme": "dark")"}) {
    CAPTURE(text);
    CHECK_FALSE(settings_from(text).ok());
  }
}

TEST_CASE("a settings file above a megabyte is refused") {
  CHECK_FALSE(settings_from("{\"theme\": \"dark\"}" + std::string(2 << 20, ' ')).ok());
}

TEST_CASE("a file is replaced atomically, and no temporary file remains") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "a.json";
  CHECK_FALSE(kino::write_file_atomically(file, "old", kino::Durability::process_crash).has_value());
  CHECK_FALSE(kino::write_file_atomically(file, "new", kino::Durability::power_loss).has_value());
  std::ifstream stream(file);
  CHECK(std::string(std::istreambuf_iterator<char>(stream), {}) == "new");
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("a link remains, and its target is replaced") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.write("real.json", "old");
  std::filesystem::create_symlink("real.json", folder.path() / "near.json");
  std::filesystem::create_symlink(folder.path() / "near.json", folder.path() / "far.json");
  std::filesystem::create_symlink("new.json", folder.path() / "dangling.json");
  const auto content = [](const std::filesystem::path& path) {
    std::ifstream stream(path);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  CHECK_FALSE(
      kino::write_file_atomically(folder.path() / "far.json", "new", kino::Durability::process_crash));
  CHECK(std::filesystem::is_symlink(folder.path() / "far.json"));
  CHECK(std::filesystem::is_symlink(folder.path() / "near.json"));
  CHECK(content(file) == "new");
  CHECK_FALSE(
      kino::write_file_atomically(folder.path() / "dangling.json", "made", kino::Durability::power_loss));
  CHECK(std::filesystem::is_symlink(folder.path() / "dangling.json"));
  CHECK(content(folder.path() / "new.json") == "made");
}

TEST_CASE("devices and pipes are written to, and not replaced") {
  const TemporaryFolder folder;
  const std::filesystem::path fifo = folder.path() / "fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  std::string got;
  std::jthread reader([&] {
    std::ifstream stream(fifo);
    got.assign(std::istreambuf_iterator<char>(stream), {});
  });
  CHECK_FALSE(kino::write_file_atomically(fifo, "text", kino::Durability::power_loss));
  reader.join();
  CHECK(got == "text");
  CHECK(std::filesystem::is_fifo(fifo));
  // Uses a link to /dev/null, because a failure would replace the file itself.
  std::filesystem::create_symlink("/dev/null", folder.path() / "null");
  CHECK_FALSE(kino::write_file_atomically(folder.path() / "null", "x", kino::Durability::process_crash));
  CHECK(std::filesystem::is_character_file("/dev/null"));
  CHECK(std::filesystem::is_symlink(folder.path() / "null"));
  CHECK(kino::write_file_atomically(folder.path(), "x", kino::Durability::process_crash));
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 2);
}

TEST_CASE("a replaced file keeps its mode, and a new file follows the umask") {
  const TemporaryFolder folder;
  const std::filesystem::path secret = folder.write("secret.json", "{}");
  std::filesystem::permissions(secret, std::filesystem::perms(0640));
  CHECK_FALSE(kino::write_file_atomically(secret, "new", kino::Durability::process_crash));
  CHECK(std::filesystem::status(secret).permissions() == std::filesystem::perms(0640));
  const mode_t mask = ::umask(0022);
  CHECK_FALSE(kino::write_file_atomically(folder.path() / "page.html", "x", kino::Durability::process_crash));
  ::umask(mask);
  CHECK(std::filesystem::status(folder.path() / "page.html").permissions() == std::filesystem::perms(0644));
}

TEST_CASE("a file that cannot be written is an error") {
  CHECK(kino::write_file_atomically("/proc/kinetoscope/a.json", "x", kino::Durability::process_crash)
            .has_value());
}
