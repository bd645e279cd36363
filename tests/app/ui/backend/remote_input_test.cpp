// Covers: remote_input, imgui_input
#include "app/ui/backend/remote_input.hpp"

#include <limits>

#include <GLFW/glfw3.h>
#include <doctest/doctest.h>
#include <imgui.h>

#include "app/ui/widgets/keys.hpp"

namespace {

struct InputFrames {
  InputFrames() {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = ImVec2(100, 100);
    unsigned char* pixels = nullptr;
    int width = 0;
    int height = 0;
    io.Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
  }
  InputFrames(const InputFrames&) = delete;
  InputFrames& operator=(const InputFrames&) = delete;
  ~InputFrames() { ImGui::DestroyContext(); }
  bool next(kino::RemoteInput& input) const {
    ImGui::GetIO().DeltaTime = 0.02F;
    const bool any = input.begin_frame();
    ImGui::NewFrame();
    ImGui::EndFrame();
    return any;
  }
};

}  // namespace

TEST_CASE("a tap between two frames is seen, and a lost focus releases all") {
  const InputFrames frames;
  kino::RemoteInput input;
  input.key('W', true);
  input.key('W', false);
  CHECK(frames.next(input));
  CHECK(kino::key_down('W'));
  CHECK(frames.next(input));
  CHECK_FALSE(kino::key_down('W'));
  input.key(GLFW_KEY_LEFT_CONTROL, true);
  input.move(10, 20);
  CHECK(frames.next(input));
  CHECK(ImGui::GetIO().KeyCtrl);
  CHECK(ImGui::GetIO().MousePos.y == 20);
  input.button(1, true);
  CHECK(frames.next(input));
  CHECK(ImGui::IsMouseDown(1));
  input.focus(false);
  while (!input.empty()) frames.next(input);
  CHECK_FALSE(ImGui::GetIO().KeyCtrl);
  CHECK_FALSE(ImGui::IsMouseDown(1));
  CHECK_FALSE(frames.next(input));
}

TEST_CASE("input that no frame takes is limited, but releases are never lost") {
  const InputFrames frames;
  kino::RemoteInput input;
  input.key('W', true);
  input.button(0, true);
  for (std::size_t i = 0; i < kino::RemoteInput::kMostQueued; ++i) input.wheel(0, 1);
  input.key('A', true);
  input.text("x");
  input.key('W', false);
  input.button(0, false);
  std::size_t taken = 0;
  while (!input.empty()) {
    frames.next(input);
    CHECK_FALSE(kino::key_down('A'));
    REQUIRE(++taken < 10);
  }
  CHECK_FALSE(kino::key_down('W'));
  CHECK_FALSE(ImGui::IsMouseDown(0));
}

TEST_CASE("values that no device sends are ignored") {
  const InputFrames frames;
  kino::RemoteInput input;
  input.key(-1, true);
  input.key(512, true);
  input.button(3, true);
  input.button(-1, true);
  input.move(std::numeric_limits<double>::quiet_NaN(), 0);
  input.wheel(0, std::numeric_limits<double>::infinity());
  input.text("\x01\x7f\xff");
  CHECK(input.empty());
  input.text("aé");
  CHECK_FALSE(input.empty());
}
