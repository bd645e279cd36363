// The graphics device that this layer draws with: textures, pages of instances, and four shader programs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace kino {

/// Content of a texture's texel.
enum class TexelFormat : std::uint8_t {
  rgba8,   ///< 0xAABBGGRR
  rg32ui,  ///< two unsigned integers
  r8ui,    ///< one byte
};

/// The programs of shader_sources.hpp.
enum class ShaderProgram : std::uint8_t { slices, instants, counter, memory };
inline constexpr std::size_t kShaderPrograms = 4;

/// Parameters of the programs. shader_sources.hpp contains their names and types.
enum class Uniform : std::uint8_t {
  area,
  tile,
  background,
  color,
  faded,
  painted,
  found,
  corner,
  mapping,
  size,
  older,
  free,
  highlight,
  chosen,
};
inline constexpr std::size_t kUniforms = 14;

/// A rectangle in framebuffer pixels, relative to the lower left corner.
struct GpuRect {
  int left = 0;
  int bottom = 0;
  int width = 0;
  int height = 0;
};

/// Draws into the bound framebuffer. Objects are identified by numbers above 0. Used by the UI thread. Errors
/// of the device are ignored, except in prepare().
class Gpu {
 public:
  /// Texels in a page. Each has kPageTexelBytes and describes one instance.
  static constexpr std::uint32_t kPageTexels = 65536;
  static constexpr std::size_t kPageTexelBytes = 16;

  Gpu() = default;
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;
  virtual ~Gpu() = default;

  virtual std::uint32_t make_texture() = 0;
  virtual void delete_texture(std::uint32_t texture) = 0;
  /// Sets format, size and content. `texels` has rows from top to bottom without padding; if it is shorter
  /// than the texture, the remaining texels are unspecified. Samplers do not interpolate.
  virtual void set_texture(std::uint32_t texture, TexelFormat format, int width, int height,
                           std::span<const std::byte> texels) = 0;
  /// Returns the largest width and height of a texture.
  virtual int largest_texture() const = 0;

  virtual std::uint32_t make_page() = 0;
  virtual void delete_page(std::uint32_t page) = 0;
  /// Makes the content of a page unspecified. Earlier draws are not affected.
  virtual void clear_page(std::uint32_t page) = 0;
  /// Sets texels that no draw has read since the last clear_page().
  virtual void write_page(std::uint32_t page, std::uint32_t first_texel,
                          std::span<const std::byte> texels) = 0;

  /// Creates a program if there is none yet. This takes some ms, with some drivers far longer. Throws
  /// std::runtime_error if the driver rejects the program.
  virtual void prepare(ShaderProgram program) = 0;

  /// Sets viewport and scissor. Draws overwrite the pixels, without blending.
  virtual void begin_drawing(const GpuRect& viewport) = 0;
  virtual void set_scissor(const GpuRect& scissor) = 0;
  /// Selects a prepared program for the following calls.
  virtual void use(ShaderProgram program) = 0;
  virtual void set(Uniform uniform, std::span<const float> values) = 0;
  virtual void set(Uniform uniform, std::span<const std::int32_t> values) = 0;
  virtual void set(Uniform uniform, std::span<const std::uint32_t> values) = 0;
  /// Binds a texture to the sampler number `unit` of the program.
  virtual void bind_texture(std::size_t unit, std::uint32_t texture) = 0;
  virtual void bind_page(std::uint32_t page) = 0;
  /// Draws one rectangle per instance.
  virtual void draw_instances(std::uint32_t count) = 0;
  /// Draws all pixels of the viewport.
  virtual void draw_viewport() = 0;

  /// Whether the device shades on the CPU, in the calling thread.
  virtual bool is_software() const = 0;
  /// Whether the pixels of the current frame can be read (frame_pixels.hpp).
  virtual bool can_read_pixels() const = 0;
  /// If pixels cannot be read: marks the moment of the frame at which its receiver reads them.
  virtual void mark_pixels() {}
};

/// Returns the device of this thread. There must be a CurrentGpu.
Gpu& current_gpu();

/// Makes a device the current one of this thread until the destructor.
class CurrentGpu {
 public:
  explicit CurrentGpu(Gpu& gpu);
  CurrentGpu(const CurrentGpu&) = delete;
  CurrentGpu& operator=(const CurrentGpu&) = delete;
  ~CurrentGpu();

 private:
  Gpu* before_ = nullptr;
};

/// Owns one object of the device that was current when it was made; deletes it with `Delete`. The device must
/// outlive this object.
template <std::uint32_t (Gpu::*Make)(), void (Gpu::*Delete)(std::uint32_t)>
class GpuObject {
 public:
  GpuObject() : gpu_(&current_gpu()), id_((gpu_->*Make)()) {}
  GpuObject(GpuObject&& other) noexcept : gpu_(other.gpu_), id_(std::exchange(other.id_, 0)) {}
  GpuObject& operator=(GpuObject&& other) noexcept {
    std::swap(gpu_, other.gpu_);
    std::swap(id_, other.id_);
    return *this;
  }
  GpuObject(const GpuObject&) = delete;
  GpuObject& operator=(const GpuObject&) = delete;
  ~GpuObject() {
    if (id_ != 0) (gpu_->*Delete)(id_);
  }

  std::uint32_t id() const { return id_; }

 private:
  Gpu* gpu_;
  std::uint32_t id_;
};

using GpuTexture = GpuObject<&Gpu::make_texture, &Gpu::delete_texture>;
using GpuPage = GpuObject<&Gpu::make_page, &Gpu::delete_page>;

/// Returns the channels (red, green, blue, alpha) of 0xAABBGGRR, 0 to 1.
std::array<float, 4> color_channels(std::uint32_t packed);

}  // namespace kino
