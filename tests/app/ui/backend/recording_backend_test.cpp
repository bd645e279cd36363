// Covers: recording_backend, gui_context, remote_clipboard
#include "app/ui/backend/recording_backend.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <imgui.h>

#include "app/ui/backend/gui_context.hpp"
#include "app/ui/backend/remote_clipboard.hpp"

using kino::FrameRecord;

namespace {

/// Draws frames with a label, and returns the kinds of the records of the interface.
class Recorder {
 public:
  std::vector<std::byte> draw(const char* label, bool callback = false) {
    gui_.prepare_frame(theme_, {1, 1});
    ImGui::GetIO().DisplaySize = ImVec2(300, 200);
    ImGui::GetIO().DeltaTime = 0.02F;
    ImGui::NewFrame();
    ImDrawList& list = *ImGui::GetForegroundDrawList();
    list.AddText(ImVec2(10, 10), 0xffffffff, label);
    if (callback) {
      list.AddCallback(
          [](const ImDrawList*, const ImDrawCmd* command) {
            static_cast<kino::RecordingGpu*>(command->UserCallbackData)->draw_viewport();
          },
          &gpu_);
      list.AddText(ImVec2(10, 50), 0xffffffff, label);
    }
    ImGui::Render();
    gui_.render(theme_);
    return gpu_.end_frame();
  }
  kino::RecordingBackend& backend() { return *backend_; }
  kino::RecordingGpu& gpu() { return gpu_; }

 private:
  std::unique_ptr<kino::GuiBackend> make() {
    auto backend = std::make_unique<kino::RecordingBackend>(gpu_);
    backend_ = backend.get();
    return backend;
  }

  kino::RecordingGpu gpu_{4096};
  kino::RecordingBackend* backend_ = nullptr;
  kino::Theme theme_ = kino::Theme::make(true);
  kino::GuiContext gui_{make()};
};

/// Whether the record occurs, with these next words. Other data could contain the words by chance, but does
/// not here.
bool contains(const std::vector<std::byte>& frame, std::vector<std::uint32_t> wanted) {
  std::vector<std::uint32_t> words(frame.size() / 4);
  std::memcpy(words.data(), frame.data(), frame.size());
  return std::ranges::search(words, wanted).begin() != words.end();
}

std::uint32_t number(FrameRecord record) { return static_cast<std::uint32_t>(record); }

}  // namespace

TEST_CASE("an unchanged draw list is sent by reference, a changed one whole") {
  Recorder recorder;
  recorder.draw("first");
  const std::size_t whole = recorder.draw("first label").size();
  const std::vector<std::byte> same = recorder.draw("first label");
  CHECK(contains(same, {number(FrameRecord::use_list)}));
  CHECK(same.size() < whole);
  const std::vector<std::byte> other = recorder.draw("other label");
  CHECK(other.size() == whole);
  // The page still has the list of the previous frame.
  CHECK(recorder.draw("first label").size() == same.size());
}

TEST_CASE("a new page gets the draw lists and the font again") {
  Recorder recorder;
  const std::size_t first = recorder.draw("label").size();
  CHECK(first > 10000);  // the font
  CHECK(recorder.draw("label").size() < 1000);
  recorder.gpu().resend();
  recorder.backend().resend();
  CHECK(recorder.draw("label").size() == first);
}

TEST_CASE("callbacks draw between the triangles before and after them") {
  Recorder recorder;
  recorder.draw("label", true);
  const std::vector<std::byte> frame = recorder.draw("label", true);
  std::vector<std::uint32_t> words(frame.size() / 4);
  std::memcpy(words.data(), frame.data(), frame.size());
  const auto callback = std::ranges::find(words, number(FrameRecord::whole_viewport));
  REQUIRE(callback != words.end());
  CHECK(std::find(words.begin(), callback, number(FrameRecord::triangles)) != callback);
  CHECK(std::find(callback, words.end(), number(FrameRecord::triangles)) != words.end());
}

TEST_CASE("the clipboard of a page passes text in both directions") {
  Recorder recorder;
  std::string copied;
  kino::RemoteClipboard clipboard([&](const std::string& text) { copied = text; });
  ImGui::SetClipboardText("from the program");
  CHECK(copied == "from the program");
  clipboard.set("from the page");
  CHECK(std::string(ImGui::GetClipboardText()) == "from the page");
}
