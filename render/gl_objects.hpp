// Owning handles of OpenGL objects, and the compiler of shader programs.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include <epoxy/gl.h>

namespace kino {

/// Owns one OpenGL object and deletes it with `Delete`. Needs the context that was current when it was
/// created.
template <void (*Delete)(GLuint)>
class GlObject {
 public:
  GlObject() = default;
  explicit GlObject(GLuint id) : id_(id) {}
  GlObject(GlObject&& other) noexcept : id_(std::exchange(other.id_, 0)) {}
  GlObject& operator=(GlObject&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  GlObject(const GlObject&) = delete;
  GlObject& operator=(const GlObject&) = delete;
  ~GlObject() {
    if (id_ != 0) Delete(id_);
  }

  GLuint id() const { return id_; }

 private:
  GLuint id_ = 0;
};

void delete_gl_buffer(GLuint id);
void delete_gl_texture(GLuint id);
void delete_gl_vertex_array(GLuint id);
void delete_gl_program(GLuint id);

using GlBuffer = GlObject<delete_gl_buffer>;
using GlTexture = GlObject<delete_gl_texture>;
using GlVertexArray = GlObject<delete_gl_vertex_array>;
using GlProgram = GlObject<delete_gl_program>;

GlBuffer make_gl_buffer();
GlTexture make_gl_texture();
GlVertexArray make_gl_vertex_array();

/// Returns the channels (red, green, blue, alpha) of 0xAABBGGRR, 0 to 1.
std::array<float, 4> gl_color(std::uint32_t packed);

/// Binds a texture for upload from memory, sampled without interpolation. In memory, each row starts at a
/// multiple of `alignment` bytes.
void bind_for_upload(const GlTexture& texture, GLenum unit = 0, GLint alignment = 4);

/// Compiles and links a program. Throws std::runtime_error with the driver's log. The sources are part of
/// this program, so only a driver without OpenGL 3.3 can reject them.
GlProgram make_gl_program(std::string_view vertex_source, std::string_view fragment_source);

}  // namespace kino
