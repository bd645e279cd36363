// A picture (PNG) of a part of the window, as it is drawn, saved where the person says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <imgui.h>

#include "app/ui/widgets/box.hpp"
#include "app/ui/widgets/text_export.hpp"
#include "core/base/worker_pool.hpp"

namespace kino {

/// UI thread only; pictures are packed and written on the pool.
class AreaPicture {
 public:
  /// `file` is what is shown: pictures are called after it, with `middle`.
  AreaPicture(std::filesystem::path file, std::string_view middle, WorkerPool& pool,
              std::function<void()> wake)
      : middle_(middle), export_(std::move(file), pool, std::move(wake)) {}

  /// Of what this frame draws, when it is rendered.
  void ask_for_png() { wanted_ = true; }
  /// A drawing that `make` makes.
  void save_svg(TextExport::Make make) { export_.save(std::move(make), middle_, ".svg"); }
  /// Behind all that belongs into the picture; this must live until the frame is rendered.
  void draw(ImDrawList& list, const Box& area, float framebuffer_scale);
  /// Once a frame; tells in message() what became of it. True when there is news.
  bool update() { return export_.update(); }
  bool complete() const { return !export_.running() && !wanted_; }
  const std::string& message() const { return export_.message(); }
  bool tells() const { return export_.tells(); }
  bool failed() const { return export_.failed(); }

 private:
  static void read(const ImDrawList* list, const ImDrawCmd* command);

  std::string middle_;
  TextExport export_;
  bool wanted_ = false;
  std::uint64_t asked_ = 0;  // frames that were to read it
  int left_ = 0;             // in framebuffer px, from the lower edge
  int bottom_ = 0;
  int width_ = 0;
  int height_ = 0;
};

}  // namespace kino
