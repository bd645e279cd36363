// A graphics device that records frames for a page that replays them with WebGL 2. It needs no OpenGL.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "render/frame_writer.hpp"
#include "render/gpu.hpp"

namespace kino {

/// Writes each call as a record (FrameRecord). A texture or page is sent once; later, only the changed rows
/// of the texture and the written texels of the page are sent. Retains the content of all textures and pages,
/// so that resend() can send it to a new page of the browser.
class RecordingGpu final : public Gpu {
 public:
  /// `largest_texture` is the limit of the page's WebGL context.
  explicit RecordingGpu(int largest_texture);

  std::uint32_t make_texture() override;
  void delete_texture(std::uint32_t texture) override;
  void set_texture(std::uint32_t texture, TexelFormat format, int width, int height,
                   std::span<const std::byte> texels) override;
  int largest_texture() const override { return largest_texture_; }
  std::uint32_t make_page() override;
  void delete_page(std::uint32_t page) override;
  void clear_page(std::uint32_t page) override;
  void write_page(std::uint32_t page, std::uint32_t first_texel, std::span<const std::byte> texels) override;
  void prepare(ShaderProgram program) override;
  void begin_drawing(const GpuRect& viewport) override;
  void set_scissor(const GpuRect& scissor) override;
  void use(ShaderProgram program) override;
  void set(Uniform uniform, std::span<const float> values) override;
  void set(Uniform uniform, std::span<const std::int32_t> values) override;
  void set(Uniform uniform, std::span<const std::uint32_t> values) override;
  void bind_texture(std::size_t unit, std::uint32_t texture) override;
  void bind_page(std::uint32_t page) override;
  void draw_instances(std::uint32_t count) override;
  void draw_viewport() override;
  bool is_software() const override { return false; }
  bool can_read_pixels() const override { return false; }
  void mark_pixels() override { writer_.record(FrameRecord::mark); }

  /// Sets a texture with one byte of opacity per texel, which samplers interpolate: a font atlas.
  void set_opacity_texture(std::uint32_t texture, int width, int height, std::span<const std::byte> texels);

  /// Starts a frame with this size, filled with the color 0xAABBGGRR.
  void begin_frame(int width, int height, std::uint32_t color);
  /// For records of the interface within a frame.
  FrameWriter& writer() { return writer_; }
  /// Ends the frame. Returns the records since the previous call.
  std::vector<std::byte> end_frame();
  /// Discards the records since the last frame. The next frame begins with all programs, textures and pages.
  void resend();

 private:
  struct Texture {
    std::uint32_t format = 0;
    int width = 0;
    int height = 0;
    std::vector<std::byte> texels;
  };

  void set_content(std::uint32_t id, std::uint32_t format, int width, int height,
                   std::span<const std::byte> texels);
  void write_rows(std::uint32_t id, const Texture& texture, int first, int rows);
  void write_texture(std::uint32_t id, const Texture& texture);
  void write_program(std::size_t program);
  template <class Value>
  void write_uniform(Uniform uniform, std::uint32_t type, std::span<const Value> values);

  int largest_texture_;
  FrameWriter writer_;
  std::uint32_t last_id_ = 0;
  std::map<std::uint32_t, Texture> textures_;              // by id
  std::map<std::uint32_t, std::vector<std::byte>> pages_;  // by id; the part that was written
  std::array<bool, kShaderPrograms> prepared_{};
};

}  // namespace kino
