// Covers: area_picture
#include "app/ui/view/area_picture.hpp"

#include <doctest/doctest.h>

using kino::AreaPicture;

namespace {

/// Runs the callbacks of a list like a renderer.
void render(const ImDrawList& list) {
  for (const ImDrawCmd& command : list.CmdBuffer) {
    if (command.UserCallback != nullptr && command.UserCallback != ImDrawCallback_ResetRenderState)
      command.UserCallback(&list, &command);
  }
}

}  // namespace

TEST_CASE("a picture is requested until a frame with it is rendered") {
  ImGui::CreateContext();
  {
    kino::WorkerPool pool(1);
    AreaPicture picture("trace.json", "", pool, [] {});
    const kino::Box nothing;  // an empty area, since reading pixels would need a window
    const auto frame = [&](bool rendered) {
      ImDrawList list(ImGui::GetDrawListSharedData());
      list._ResetForNewFrame();
      picture.draw(list, nothing, 1);
      if (rendered) render(list);
    };
    frame(true);
    CHECK(picture.complete());
    picture.request_png();
    frame(false);
    CHECK_FALSE(picture.complete());
    frame(false);
    CHECK_FALSE(picture.complete());
    frame(true);
    CHECK(picture.complete());
  }
  ImGui::DestroyContext();
}
