// The graphics device with OpenGL 3.3.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>

#include "render/gpu.hpp"

namespace kino {

/// Draws with an OpenGL 3.3 context, which must be current during all calls, including the destructor.
/// Texture ids are OpenGL's names. Changes the state of scissor, viewport, blending, culling, depth and
/// stencil tests, program, vertex array, buffers and textures; texture unit 0 remains active.
class GlGpu final : public Gpu {
 public:
  GlGpu();
  ~GlGpu() override;

  std::uint32_t make_texture() override;
  void delete_texture(std::uint32_t texture) override;
  void set_texture(std::uint32_t texture, TexelFormat format, int width, int height,
                   std::span<const std::byte> texels) override;
  int largest_texture() const override;
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
  bool is_software() const override;
  bool can_read_pixels() const override { return true; }

 private:
  /// A linked program with the locations of its uniforms; -1 if it has no such uniform.
  struct Program {
    std::uint32_t id = 0;
    std::array<std::int32_t, kUniforms> locations{};
  };

  std::int32_t location(Uniform uniform) const;

  std::array<Program, kShaderPrograms> programs_;             // id 0: not prepared yet
  std::size_t used_ = 0;                                      // index of the program in use
  std::unordered_map<std::uint32_t, std::uint32_t> buffers_;  // by id of the page, which is its texture
  std::uint32_t vertex_array_ = 0;  // has no attributes: the shaders fetch everything
};

}  // namespace kino
