#include "render/recording_gpu.hpp"

#include <algorithm>
#include <utility>

#include "render/es_shader_sources.hpp"

namespace kino {
namespace {

/// Number of the format that follows those of TexelFormat.
constexpr std::uint32_t kOpacityFormat = 3;
/// By format, as in assets/serve/page.html.
constexpr std::array<std::size_t, 4> kTexelBytes{4, 8, 1, 1};

void write_uniform_names(FrameWriter& writer) {
  writer.record(FrameRecord::uniform_names, static_cast<std::uint32_t>(kUniforms));
  for (std::size_t i = 0; i < kUniforms; ++i)
    writer.blob(std::string_view(uniform_name(static_cast<Uniform>(i))));
}

}  // namespace

RecordingGpu::RecordingGpu(int largest_texture) : largest_texture_(largest_texture) {
  write_uniform_names(writer_);
}

std::uint32_t RecordingGpu::make_texture() {
  textures_.emplace(++last_id_, Texture());
  return last_id_;
}

void RecordingGpu::delete_texture(std::uint32_t texture) {
  textures_.erase(texture);
  writer_.record(FrameRecord::delete_texture, texture);
}

void RecordingGpu::set_texture(std::uint32_t texture, TexelFormat format, int width, int height,
                               std::span<const std::byte> texels) {
  set_content(texture, static_cast<std::uint32_t>(format), width, height, texels);
}

void RecordingGpu::set_opacity_texture(std::uint32_t texture, int width, int height,
                                       std::span<const std::byte> texels) {
  set_content(texture, kOpacityFormat, width, height, texels);
}

void RecordingGpu::set_content(std::uint32_t id, std::uint32_t format, int width, int height,
                               std::span<const std::byte> texels) {
  Texture& texture = textures_[id];
  const std::size_t row_bytes = static_cast<std::size_t>(width) * kTexelBytes[format];
  const std::size_t bytes = row_bytes * static_cast<std::size_t>(height);
  std::vector<std::byte> content(
      texels.begin(), texels.begin() + static_cast<std::ptrdiff_t>(std::min(bytes, texels.size())));
  content.resize(bytes);
  const bool same_size =
      texture.format == format && texture.width == width && texture.height == height && bytes > 0;
  if (!same_size) {
    texture = {format, width, height, std::move(content)};
    write_texture(id, texture);
    return;
  }
  const auto [first, other] = std::ranges::mismatch(texture.texels, content);
  if (first == texture.texels.end()) return;
  const auto [last, other_last] =
      std::mismatch(texture.texels.rbegin(), texture.texels.rend(), content.rbegin());
  const auto first_row = static_cast<std::size_t>(first - texture.texels.begin()) / row_bytes;
  const auto last_row = static_cast<std::size_t>(texture.texels.rend() - last - 1) / row_bytes;
  texture.texels = std::move(content);
  write_rows(id, texture, static_cast<int>(first_row), static_cast<int>(last_row - first_row + 1));
}

void RecordingGpu::write_texture(std::uint32_t id, const Texture& texture) {
  writer_.record(FrameRecord::texture, id, texture.format, texture.width, texture.height);
  if (!texture.texels.empty()) write_rows(id, texture, 0, texture.height);
}

void RecordingGpu::write_rows(std::uint32_t id, const Texture& texture, int first, int rows) {
  const std::size_t row_bytes = static_cast<std::size_t>(texture.width) * kTexelBytes[texture.format];
  writer_.record(FrameRecord::texels, id, first, rows);
  writer_.blob(
      std::span(texture.texels)
          .subspan(static_cast<std::size_t>(first) * row_bytes, static_cast<std::size_t>(rows) * row_bytes));
}

std::uint32_t RecordingGpu::make_page() {
  pages_.emplace(++last_id_, std::vector<std::byte>());
  writer_.record(FrameRecord::page, last_id_);
  return last_id_;
}

void RecordingGpu::delete_page(std::uint32_t page) {
  pages_.erase(page);
  writer_.record(FrameRecord::delete_page, page);
}

void RecordingGpu::clear_page(std::uint32_t page) {
  pages_[page].clear();
  writer_.record(FrameRecord::page, page);
}

void RecordingGpu::write_page(std::uint32_t page, std::uint32_t first_texel,
                              std::span<const std::byte> texels) {
  std::vector<std::byte>& content = pages_[page];
  const std::size_t first = first_texel * kPageTexelBytes;
  content.resize(std::max(content.size(), first + texels.size()));
  std::ranges::copy(texels, content.begin() + static_cast<std::ptrdiff_t>(first));
  writer_.record(FrameRecord::page_texels, page, first_texel);
  writer_.blob(texels);
}

void RecordingGpu::prepare(ShaderProgram program) {
  const auto number = static_cast<std::size_t>(program);
  if (!std::exchange(prepared_[number], true)) write_program(number);
}

void RecordingGpu::write_program(std::size_t program) {
  const ShaderSource source = es_shader_source(static_cast<ShaderProgram>(program));
  writer_.record(FrameRecord::program, static_cast<std::uint32_t>(program));
  writer_.blob(std::string_view(source.vertex));
  writer_.blob(std::string_view(source.fragment));
  for (const char* const sampler : source.samplers)
    writer_.blob(std::string_view(sampler != nullptr ? sampler : ""));
}

void RecordingGpu::begin_drawing(const GpuRect& viewport) {
  writer_.record(FrameRecord::viewport, viewport.left, viewport.bottom, viewport.width, viewport.height);
}

void RecordingGpu::set_scissor(const GpuRect& scissor) {
  writer_.record(FrameRecord::scissor, scissor.left, scissor.bottom, scissor.width, scissor.height);
}

void RecordingGpu::use(ShaderProgram program) {
  writer_.record(FrameRecord::use, static_cast<std::uint32_t>(program));
}

template <class Value>
void RecordingGpu::write_uniform(Uniform uniform, std::uint32_t type, std::span<const Value> values) {
  writer_.record(FrameRecord::uniform, static_cast<std::uint32_t>(uniform), type,
                 static_cast<std::uint32_t>(values.size()));
  for (const Value value : values) writer_.add(value);
}

void RecordingGpu::set(Uniform uniform, std::span<const float> values) { write_uniform(uniform, 0, values); }
void RecordingGpu::set(Uniform uniform, std::span<const std::int32_t> values) {
  write_uniform(uniform, 1, values);
}
void RecordingGpu::set(Uniform uniform, std::span<const std::uint32_t> values) {
  write_uniform(uniform, 2, values);
}

void RecordingGpu::bind_texture(std::size_t unit, std::uint32_t texture) {
  writer_.record(FrameRecord::bind_texture, static_cast<std::uint32_t>(unit), texture);
}

void RecordingGpu::bind_page(std::uint32_t page) { writer_.record(FrameRecord::bind_page, page); }
void RecordingGpu::draw_instances(std::uint32_t count) { writer_.record(FrameRecord::instances, count); }
void RecordingGpu::draw_viewport() { writer_.record(FrameRecord::whole_viewport); }

void RecordingGpu::begin_frame(int width, int height, std::uint32_t color) {
  writer_.record(FrameRecord::frame, width, height, color);
}

std::vector<std::byte> RecordingGpu::end_frame() {
  writer_.record(FrameRecord::end);
  return writer_.take();
}

void RecordingGpu::resend() {
  writer_ = {};
  write_uniform_names(writer_);
  for (std::size_t i = 0; i < kShaderPrograms; ++i) {
    if (prepared_[i]) write_program(i);
  }
  for (const auto& [id, texture] : textures_) {
    if (texture.width > 0) write_texture(id, texture);
  }
  for (const auto& [id, texels] : pages_) {
    writer_.record(FrameRecord::page, id);
    if (texels.empty()) continue;
    writer_.record(FrameRecord::page_texels, id, 0U);
    writer_.blob(texels);
  }
}

}  // namespace kino
