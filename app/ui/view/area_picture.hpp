// Saves a part of the window as a picture, PNG or SVG, under a name that the user chooses.
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

/// UI thread only; pictures are encoded and written on the pool.
class AreaPicture {
 public:
  /// `file` is the path of the document. The suggested name of a picture consists of the document's name and
  /// `middle`.
  AreaPicture(std::filesystem::path file, std::string_view middle, WorkerPool& pool,
              std::function<void()> wake)
      : middle_(middle), export_(std::move(file), pool, std::move(wake)) {}

  /// Saves a PNG of the current frame when it is rendered.
  void request_png() { wanted_ = true; }
  void save_svg(TextExport::Make make) { export_.save(std::move(make), middle_, ".svg"); }
  /// If a PNG was requested, adds a command to `list` that reads the pixels of `area`. Call after the
  /// contents of the picture have been drawn. This object must live until the frame is rendered.
  void draw(ImDrawList& list, const Box& area, float framebuffer_scale);
  /// Called once per frame; reports the result in message(). Returns true if there is a new result.
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
  std::uint64_t asked_ = 0;  // number of frames in which the pixels were requested
  int left_ = 0;             // in framebuffer px, like the next three; bottom_ is from the lower edge
  int bottom_ = 0;
  int width_ = 0;
  int height_ = 0;
};

}  // namespace kino
