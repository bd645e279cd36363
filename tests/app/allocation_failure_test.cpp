// Covers: background_result, session, ui, snapshot_panel
// If memory runs out while workers compute, every panel survives and reports the failure.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <imgui.h>

#include "app/pages/snapshot/snapshot_overlay.hpp"
#include "app/pages/snapshot/snapshot_panel.hpp"
#include "app/pages/snapshot_drawer/live_flame.hpp"
#include "app/pages/snapshot_drawer/segment_view.hpp"
#include "app/shell/documents/session.hpp"
#include "app/shell/ui.hpp"
#include "app/system/background_result.hpp"
#include "app/system/offscreen_context.hpp"
#include "app/ui/backend/gl_backend.hpp"
#include "app/ui/backend/gui_context.hpp"
#include "app/ui/commands/keymap.hpp"
#include "app/ui/widgets/keys.hpp"
#include "tests/fixtures/counted_memory.hpp"
#include "tests/fixtures/eventually.hpp"
#include "tests/fixtures/real_data.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace {

// If `fails_every` is n > 0, every n-th allocation fails. Allocations of the test's own thread do not count.
std::atomic<std::uint32_t> fails_every{0};
std::atomic<std::uint32_t> requests{0};
std::atomic<std::uint32_t> failures{0};
thread_local bool drives_test = false;

bool fails(std::size_t /*bytes*/) {
  const std::uint32_t every = fails_every.load(std::memory_order_relaxed);
  if (every == 0 || drives_test || ++requests % every != 0) return false;
  ++failures;
  return true;
}

struct Failing {
  explicit Failing(std::uint32_t every) {
    fails_every = every;
    kino_test::set_allocation_fails(fails);
  }
  Failing(const Failing&) = delete;
  Failing& operator=(const Failing&) = delete;
  ~Failing() {
    kino_test::set_allocation_fails(nullptr);
    fails_every = 0;
  }
};

using Clock = std::chrono::steady_clock;
using kino::CommandId;

/// The program's interface without a window: draws frames offscreen and presses keys.
class Desk {
 public:
  explicit Desk(const std::vector<std::filesystem::path>& files) {
    auto made = kino::OffscreenContext::make(kWidth, kHeight);
    REQUIRE_MESSAGE(made.ok(), made.error().what.str());
    target_ = std::move(made).value();
    gui_ = std::make_unique<kino::GuiContext>(std::make_unique<kino::GlBackend>());
    session_ = std::make_unique<kino::Session>([] {}, [](const kino::Document&) {}, folder_.path());
    // Opens copies, since the program exports beside the opened file.
    std::vector<std::filesystem::path> copies;
    for (const auto& file : files) {
      copies.push_back(folder_.path() / file.filename());
      std::filesystem::copy_file(file, copies.back());
      std::filesystem::permissions(copies.back(), std::filesystem::perms::owner_all);
    }
    session_->open(copies);
    ui_ = std::make_unique<kino::Ui>(*session_, kino::UiOptions{}, [] {});
    REQUIRE(kino_test::eventually([&] {
      draw();
      return !session_->loading();
    }));
  }

  void draw() {
    session_->poll();
    gui_->prepare_frame(ui_->theme(), {1, 1});
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = ImVec2(kWidth, kHeight);
    io.DeltaTime = 1.0F / 60;
    io.MousePos = ImVec2(kWidth * 0.4F, kHeight * 0.3F);
    ImGui::NewFrame();
    ui_->draw({1, 1}, 1.0 / 60, {});
    target_->bind();
    ImGui::Render();
    gui_->render(ui_->theme());
  }

  /// Draws frames until no work is in progress. Returns false if this takes more than a minute.
  bool settle() {
    const Clock::time_point give_up = Clock::now() + std::chrono::seconds(60);
    for (int complete = 0; complete < 3;) {
      draw();
      complete = ui_->complete() && !session_->active_document()->wants_frames() ? complete + 1 : 0;
      if (Clock::now() > give_up) return false;
    }
    return true;
  }
  void draw_some() { draw(); }
  /// Draws enough frames for a request to complete or to fail.
  void draw_a_while() {
    for (int i = 0; i < 30; ++i) draw();
  }

  void press(const kino::KeyChord& chord) {
    if (chord.character != 0 && !chord.ctrl && !chord.alt)
      ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(chord.character));
    hold(chord, true);
    draw();
    hold(chord, false);
    draw();
  }

  /// Shows each tab of a snapshot's drawer, each with another coloring of the bands.
  void show_all() {
    auto* const shown = session_->active_document()->as<kino::SnapshotPanel>();
    if (shown == nullptr) return;
    kino::SnapshotPanel& panel = *shown;
    for (const std::string_view tab :
         {kino::drawer_page::kSelection, kino::drawer_page::kLive, kino::drawer_page::kFlame,
          kino::drawer_page::kSegments, kino::drawer_page::kTables, kino::drawer_page::kCategories,
          kino::drawer_page::kOom, kino::drawer_page::kTrust}) {
      panel.show_page(tab);
      panel.next_coloring();
      settle();
    }
  }

  /// Presses the key of each command, except commands that would leave the documents or the program.
  void press_all() {
    const kino::Keymap keymap;
    for (const kino::CommandInfo& command : kino::all_commands()) {
      constexpr std::array kElsewhere = {
          CommandId::open_files,  CommandId::open_guide,       CommandId::recent_files,
          CommandId::open_sample, CommandId::reveal_in_folder, CommandId::close_tab,
          CommandId::quit,        CommandId::open_source,      CommandId::import_bookmarks,
          CommandId::close_pane,  CommandId::second_pane,      CommandId::split_view,
          CommandId::reload,      CommandId::command_palette,  CommandId::toggle_help,
          CommandId::next_tab,    CommandId::previous_tab,     CommandId::tour};
      if (std::ranges::find(kElsewhere, command.id) != kElsewhere.end()) continue;
      for (const kino::KeyChord& chord : keymap.keys(command.id)) {
        press(chord);
        draw_some();
        break;
      }
      if (command.id == CommandId::search || command.id == CommandId::find_event) type("size:>1");
    }
  }
  void type(const char* text) {
    for (const char* at = text; *at != '\0'; ++at)
      ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(*at));
    draw_some();
    press({0, kino::NamedKey::escape});
  }
  void press_command(CommandId command) {
    const kino::Keymap keymap;
    const auto keys = keymap.keys(command);
    REQUIRE_FALSE(keys.empty());
    press(keys.front());
    draw_some();
  }

  /// Shows a document beside another one, under the palette and under the help sheet, and then activates the
  /// other pane. A snapshot also shows the curves of the other snapshot, and the lane of its run.
  void show_beside(std::size_t document, bool second_view) {
    session_->activate(document);
    draw_some();
    press_command(second_view ? CommandId::second_pane : CommandId::split_view);
    press_command(CommandId::overlay_other);
    press_command(CommandId::time_axis);
    press_command(CommandId::link_time);
    draw_a_while();
    press_command(CommandId::command_palette);
    type("memory");
    press_command(CommandId::toggle_help);
    type("zoom");
    press_command(CommandId::next_pane);
    draw_a_while();
    press_command(CommandId::close_pane);
    press_command(CommandId::overlay_other);
    draw_a_while();
  }

  kino::Ui& ui() { return *ui_; }
  kino::Session& session() { return *session_; }

 private:
  static constexpr int kWidth = 640;
  static constexpr int kHeight = 420;

#if IMGUI_VERSION_NUM < 18700
  // Before 1.87, Dear ImGui takes key codes from the backend, which these tests do not have.
  static int number_of(const kino::KeyChord& chord) {
    if (chord.character != 0) return kino::imgui_key(chord.character);
    ImGuiIO& io = ImGui::GetIO();
    for (int i = 0; i < ImGuiKey_COUNT; ++i) {
      if (io.KeyMap[i] < 0) io.KeyMap[i] = 400 + i;
    }
    return kino::imgui_key(chord.named);
  }

  static void hold(const kino::KeyChord& chord, bool down) {
    ImGuiIO& io = ImGui::GetIO();
    io.KeyCtrl = down && chord.ctrl;
    io.KeyShift = down && chord.shift;
    io.KeyAlt = down && chord.alt;
    io.KeysDown[number_of(chord)] = down;
  }
#else
  static void hold(const kino::KeyChord& chord, bool down) {
    ImGuiIO& io = ImGui::GetIO();
    io.AddKeyEvent(ImGuiMod_Ctrl, down && chord.ctrl);
    io.AddKeyEvent(ImGuiMod_Shift, down && chord.shift);
    io.AddKeyEvent(ImGuiMod_Alt, down && chord.alt);
    const ImGuiKey key =
        chord.character != 0 ? kino::imgui_key(chord.character) : kino::imgui_key(chord.named);
    if (key != ImGuiKey_None) io.AddKeyEvent(key, down);
  }
#endif

  kino_test::TemporaryFolder folder_;
  std::unique_ptr<kino::OffscreenContext> target_;
  std::unique_ptr<kino::GuiContext> gui_;
  std::unique_ptr<kino::Session> session_;
  std::unique_ptr<kino::Ui> ui_;
};

/// Returns a real file, or a file of the repository if the real one is absent.
std::filesystem::path file_or(const char* real, const char* own) {
  std::filesystem::path path = kino_test::data_folder() / real;
  return std::filesystem::exists(path) ? path : std::filesystem::path(KINETOSCOPE_SOURCE) / own;
}

std::filesystem::path snapshot_file() {
  return file_or("snapshot/LLM-inference/oom_snapshot.pickle", "tests/fuzz/seeds/snapshot_protocol4.pickle");
}

std::filesystem::path trace_file() {
  return file_or("kineto/hta/simple_add_output__overlaid_critical_path_trace.json.gz",
                 "assets/sample/sample.pt.trace.json.gz");
}

}  // namespace

TEST_CASE("a computation that runs out of memory has no value, and reports this until the next one") {
  kino::WorkerPool pool(1);
  kino::BackgroundResult<int> result;
  const auto finish = [&] {
    const int* fresh = nullptr;
    REQUIRE(kino_test::eventually([&] {
      fresh = result.poll();
      return !result.running();
    }));
    return fresh;
  };
  CHECK(result.poll() == nullptr);
  CHECK_FALSE(result.failed());
  result.start(
      pool, [] {}, [](const std::stop_token&) { return 7; });
  const int* seven = finish();
  REQUIRE(seven != nullptr);
  CHECK(*seven == 7);
  CHECK(result.poll() == nullptr);  // no longer new
  REQUIRE(result.value() != nullptr);
  result.start(
      pool, [] {}, [](const std::stop_token&) -> int { throw std::bad_alloc(); });
  CHECK(*result.value() == 7);  // until the new value is computed
  CHECK(finish() == nullptr);
  CHECK(result.failed());
  CHECK(result.value() == nullptr);
  result.start(
      pool, [] {}, [](const std::stop_token&) { return 8; });
  CHECK_FALSE(result.failed());
  REQUIRE(finish() != nullptr);
  CHECK(*result.value() == 8);
}

TEST_CASE("every panel survives a lack of memory, and shows everything once memory is available again" *
          doctest::test_suite("serial")) {
  drives_test = true;
  for (const std::filesystem::path& file : {snapshot_file(), trace_file()}) {
    CAPTURE(file);
    Desk desk({file});
    REQUIRE(desk.settle());
    for (const std::uint32_t every : {1U, 37U}) {
      CAPTURE(every);
      const Failing failing(every);
      desk.show_all();
      desk.press_all();
      for (int i = 0; i < 20; ++i) desk.draw();
    }
    desk.press_all();
    CHECK(desk.settle());
  }
  drives_test = false;
}

namespace {

constexpr std::int64_t kRunStartUs = 1'700'000'000'000'000;

/// Returns a trace with a second of steps and kernels.
std::string trace_of_run() {
  std::string text = R"({"schemaVersion":1,"baseTimeNanoseconds":)" + std::to_string(kRunStartUs * 1000) +
                     R"(,"traceEvents":[)";
  for (int i = 0; i < 10; ++i) {
    const std::string ts = std::to_string(i * 100'000);
    text +=
        std::string(i > 0 ? "," : "") + R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#)" +
        std::to_string(i) + R"(","pid":1,"tid":1,"dur":100000,"ts":)" + ts +
        R"(},{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"dur":50000,"args":{"stream":7},"ts":)" +
        ts + "}";
  }
  return text + "]}";
}

std::string snapshot_of_run(int largest) {
  std::string text = R"({"segments":[],"device_traces":[[)";
  for (int i = 0; i < 40; ++i) {
    text += std::string(i > 0 ? "," : "") + R"({"action":")" + (i % 4 == 3 ? "free_completed" : "alloc") +
            R"(","addr":)" + std::to_string(4096 * (i % 4 == 3 ? i : i + 1)) + R"(,"size":)" +
            std::to_string(512 * largest) + R"(,"stream":0,"time_us":)" +
            std::to_string(kRunStartUs + i * 20'000) + "}";
  }
  return text + "]]}";
}

}  // namespace

TEST_CASE(
    "two panes, the palette, the help sheet, the overlay and the run lane also survive a lack of memory" *
    doctest::test_suite("serial")) {
  drives_test = true;
  const kino_test::TemporaryFolder folder;
  Desk desk({folder.write("run.json", trace_of_run()), folder.write("first.json", snapshot_of_run(1)),
             folder.write("second.json", snapshot_of_run(3))});
  REQUIRE(desk.settle());
  // These commands show the second pane, the overlay and the run lane.
  desk.session().activate(1);
  desk.draw();
  desk.press_command(CommandId::split_view);
  desk.press_command(CommandId::overlay_other);
  REQUIRE(desk.settle());
  CHECK(desk.ui().panes().view().split());
  const kino::SnapshotPanel& panel = *desk.session().document(1).as<kino::SnapshotPanel>();
  CHECK(panel.overlay().wanted());
  CHECK(panel.run().run().trace != nullptr);
  desk.press_command(CommandId::overlay_other);
  desk.press_command(CommandId::close_pane);
  for (const std::uint32_t every : {1U, 37U}) {
    CAPTURE(every);
    const Failing failing(every);
    failures = 0;
    for (std::size_t document = 0; document < 3; ++document) desk.show_beside(document, document == 0);
    for (int i = 0; i < 20; ++i) desk.draw();
    CHECK(failures > 0);
  }
  for (std::size_t document = 0; document < 3; ++document) desk.show_beside(document, false);
  CHECK(desk.settle());
  drives_test = false;
}

TEST_CASE("a result that failed for lack of memory is empty, and the next panel computes its own") {
  drives_test = true;
  Desk desk({snapshot_file()});
  REQUIRE(desk.settle());
  kino::SnapshotPanel& panel = *desk.session().active_document()->as<kino::SnapshotPanel>();
  {
    const Failing failing(1);
    failures = 0;
    panel.next_coloring();
    panel.show_page(kino::drawer_page::kFlame);
    CHECK(desk.settle());
    CHECK(failures > 0);
    CHECK(panel.flame().view().graph() == nullptr);
  }
  panel.show_page(kino::drawer_page::kSegments);
  CHECK(desk.settle());
  CHECK(panel.segments().answer() != nullptr);
  drives_test = false;
}
