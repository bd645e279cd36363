#include "render/gl_gpu.hpp"

#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

#include <epoxy/gl.h>

#include "core/base/ascii.hpp"
#include "render/shader_sources.hpp"

namespace kino {
namespace {

struct GlFormat {
  GLint stored;
  GLenum channels;
  GLenum type;
  std::size_t texel_bytes;
};
/// By TexelFormat.
constexpr std::array kFormats{GlFormat{GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 4},
                              GlFormat{GL_RG32UI, GL_RG_INTEGER, GL_UNSIGNED_INT, 8},
                              GlFormat{GL_R8UI, GL_RED_INTEGER, GL_UNSIGNED_BYTE, 1}};

constexpr GLenum kPageUnit = 1;  // see ShaderSource

GLuint compile(GLenum stage, std::string_view source) {
  const GLuint shader = glCreateShader(stage);
  const char* text = source.data();
  const auto length = static_cast<GLint>(source.size());
  glShaderSource(shader, 1, &text, &length);
  glCompileShader(shader);
  return shader;
}

std::string log_of(GLuint program, GLuint vertex, GLuint fragment) {
  std::string log(4096, '\0');
  std::string text;
  GLsizei used = 0;
  for (const GLuint shader : {vertex, fragment}) {
    glGetShaderInfoLog(shader, static_cast<GLsizei>(log.size()), &used, log.data());
    text.append(log, 0, static_cast<std::size_t>(used));
  }
  glGetProgramInfoLog(program, static_cast<GLsizei>(log.size()), &used, log.data());
  return text.append(log, 0, static_cast<std::size_t>(used));
}

/// Compiles and links a program. Throws std::runtime_error with the driver's log. The sources are part of
/// this program, so an error means that the driver does not fully support OpenGL 3.3.
GLuint linked_program(const ShaderSource& source) {
  const GLuint program = glCreateProgram();
  const GLuint vertex = compile(GL_VERTEX_SHADER, source.vertex);
  const GLuint fragment = compile(GL_FRAGMENT_SHADER, source.fragment);
  glAttachShader(program, vertex);
  glAttachShader(program, fragment);
  glLinkProgram(program);
  GLint linked = GL_FALSE;
  glGetProgramiv(program, GL_LINK_STATUS, &linked);
  const std::string log = linked == GL_TRUE ? std::string() : log_of(program, vertex, fragment);
  glDeleteShader(vertex);
  glDeleteShader(fragment);
  if (linked == GL_TRUE) return program;
  glDeleteProgram(program);
  throw std::runtime_error("The graphics driver refuses a shader of OpenGL 3.3: " + log);
}

}  // namespace

GlGpu::GlGpu() { glGenVertexArrays(1, &vertex_array_); }

GlGpu::~GlGpu() {
  for (const Program& program : programs_) {
    if (program.id != 0) glDeleteProgram(program.id);
  }
  glDeleteVertexArrays(1, &vertex_array_);
}

std::uint32_t GlGpu::make_texture() {
  GLuint texture = 0;
  glGenTextures(1, &texture);
  return texture;
}

void GlGpu::delete_texture(std::uint32_t texture) { glDeleteTextures(1, &texture); }

void GlGpu::set_texture(std::uint32_t texture, TexelFormat format, int width, int height,
                        std::span<const std::byte> texels) {
  const GlFormat& gl = kFormats[static_cast<std::size_t>(format)];
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, texture);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  for (const GLenum filter : {GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER})
    glTexParameteri(GL_TEXTURE_2D, filter, GL_NEAREST);
  for (const GLenum wrap : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T})
    glTexParameteri(GL_TEXTURE_2D, wrap, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
  const std::size_t row_bytes = static_cast<std::size_t>(width) * gl.texel_bytes;
  const bool whole = texels.size() >= row_bytes * static_cast<std::size_t>(height);
  glTexImage2D(GL_TEXTURE_2D, 0, gl.stored, width, height, 0, gl.channels, gl.type,
               whole ? texels.data() : nullptr);
  if (!whole && row_bytes > 0) {
    const auto rows = static_cast<GLsizei>(texels.size() / row_bytes);
    const auto rest = static_cast<GLsizei>(texels.size() % row_bytes / gl.texel_bytes);
    if (rows > 0) glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, rows, gl.channels, gl.type, texels.data());
    if (rest > 0) {
      glTexSubImage2D(GL_TEXTURE_2D, 0, 0, rows, rest, 1, gl.channels, gl.type,
                      texels.data() + static_cast<std::size_t>(rows) * row_bytes);
    }
  }
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glBindTexture(GL_TEXTURE_2D, 0);
}

int GlGpu::largest_texture() const {
  GLint most = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
  return most;
}

std::uint32_t GlGpu::make_page() {
  const std::uint32_t page = make_texture();
  glGenBuffers(1, &buffers_[page]);
  clear_page(page);
  return page;
}

void GlGpu::delete_page(std::uint32_t page) {
  delete_texture(page);
  const auto buffer = buffers_.find(page);
  glDeleteBuffers(1, &buffer->second);
  buffers_.erase(buffer);
}

void GlGpu::clear_page(std::uint32_t page) {
  glBindBuffer(GL_TEXTURE_BUFFER, buffers_.at(page));
  // New storage: draws that still read the old storage are not affected.
  glBufferData(GL_TEXTURE_BUFFER, kPageTexels * kPageTexelBytes, nullptr, GL_DYNAMIC_DRAW);
  glBindTexture(GL_TEXTURE_BUFFER, page);
  glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA32UI, buffers_.at(page));
}

void GlGpu::write_page(std::uint32_t page, std::uint32_t first_texel, std::span<const std::byte> texels) {
  const auto offset = static_cast<GLintptr>(first_texel * kPageTexelBytes);
  const auto size = static_cast<GLsizeiptr>(texels.size());
  glBindBuffer(GL_TEXTURE_BUFFER, buffers_.at(page));
  // No draw has read this part of the buffer, so no synchronization is necessary.
  void* target = glMapBufferRange(GL_TEXTURE_BUFFER, offset, size,
                                  GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_RANGE_BIT | GL_MAP_UNSYNCHRONIZED_BIT);
  bool stored = false;
  if (target != nullptr) {
    std::memcpy(target, texels.data(), texels.size());
    stored = glUnmapBuffer(GL_TEXTURE_BUFFER) == GL_TRUE;
  }
  if (!stored) glBufferSubData(GL_TEXTURE_BUFFER, offset, size, texels.data());
}

void GlGpu::prepare(ShaderProgram program) {
  Program& made = programs_[static_cast<std::size_t>(program)];
  if (made.id != 0) return;
  const ShaderSource source = shader_source(program);
  made.id = linked_program(source);
  for (std::size_t i = 0; i < kUniforms; ++i)
    made.locations[i] = glGetUniformLocation(made.id, uniform_name(static_cast<Uniform>(i)));
  glUseProgram(made.id);
  for (std::size_t unit = 0; unit < source.samplers.size(); ++unit) {
    if (source.samplers[unit] != nullptr)
      glUniform1i(glGetUniformLocation(made.id, source.samplers[unit]), static_cast<GLint>(unit));
  }
  glUseProgram(0);
}

void GlGpu::begin_drawing(const GpuRect& viewport) {
  glViewport(viewport.left, viewport.bottom, viewport.width, viewport.height);
  for (const GLenum off : {GL_BLEND, GL_CULL_FACE, GL_DEPTH_TEST, GL_STENCIL_TEST}) glDisable(off);
  glEnable(GL_SCISSOR_TEST);
  set_scissor(viewport);
  glBindVertexArray(vertex_array_);
}

void GlGpu::set_scissor(const GpuRect& scissor) {
  glScissor(scissor.left, scissor.bottom, scissor.width, scissor.height);
}

void GlGpu::use(ShaderProgram program) {
  used_ = static_cast<std::size_t>(program);
  glUseProgram(programs_[used_].id);
}

std::int32_t GlGpu::location(Uniform uniform) const {
  return programs_[used_].locations[static_cast<std::size_t>(uniform)];
}

void GlGpu::set(Uniform uniform, std::span<const float> values) {
  const GLint at = location(uniform);
  switch (values.size()) {
    case 1:
      glUniform1fv(at, 1, values.data());
      break;
    case 2:
      glUniform2fv(at, 1, values.data());
      break;
    default:
      glUniform4fv(at, static_cast<GLsizei>(values.size() / 4), values.data());
      break;
  }
}

void GlGpu::set(Uniform uniform, std::span<const std::int32_t> values) {
  if (values.size() == 1) {
    glUniform1iv(location(uniform), 1, values.data());
  } else {
    glUniform2iv(location(uniform), 1, values.data());
  }
}

void GlGpu::set(Uniform uniform, std::span<const std::uint32_t> values) {
  glUniform3uiv(location(uniform), 1, values.data());
}

void GlGpu::bind_texture(std::size_t unit, std::uint32_t texture) {
  glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(unit));
  glBindTexture(GL_TEXTURE_2D, texture);
  if (unit != 0) glActiveTexture(GL_TEXTURE0);
}

void GlGpu::bind_page(std::uint32_t page) {
  glActiveTexture(GL_TEXTURE0 + kPageUnit);
  glBindTexture(GL_TEXTURE_BUFFER, page);
  glActiveTexture(GL_TEXTURE0);
}

void GlGpu::draw_instances(std::uint32_t count) {
  glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(count));
}

void GlGpu::draw_viewport() { glDrawArrays(GL_TRIANGLES, 0, 3); }

bool GlGpu::is_software() const {
  const auto* text = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  const std::string_view renderer(text == nullptr ? "" : text);
  return contains(renderer, "llvmpipe") || contains(renderer, "softpipe");
}

}  // namespace kino
