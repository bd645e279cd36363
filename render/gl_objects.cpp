#include "render/gl_objects.hpp"

#include <stdexcept>
#include <string>

namespace kino {
namespace {

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

template <class Object>
Object made(void (*generate)(GLsizei, GLuint*)) {
  GLuint id = 0;
  generate(1, &id);
  return Object(id);
}

}  // namespace

void delete_gl_buffer(GLuint id) { glDeleteBuffers(1, &id); }
void delete_gl_texture(GLuint id) { glDeleteTextures(1, &id); }
void delete_gl_vertex_array(GLuint id) { glDeleteVertexArrays(1, &id); }
void delete_gl_program(GLuint id) { glDeleteProgram(id); }

GlBuffer make_gl_buffer() { return made<GlBuffer>(glGenBuffers); }
GlTexture make_gl_texture() { return made<GlTexture>(glGenTextures); }
GlVertexArray make_gl_vertex_array() { return made<GlVertexArray>(glGenVertexArrays); }

std::array<float, 4> gl_color(std::uint32_t packed) {
  const auto channel = [packed](int shift) { return static_cast<float>((packed >> shift) & 255U) / 255.0F; };
  return {channel(0), channel(8), channel(16), channel(24)};
}

void bind_for_upload(const GlTexture& texture, GLenum unit, GLint alignment) {
  glActiveTexture(GL_TEXTURE0 + unit);
  glBindTexture(GL_TEXTURE_2D, texture.id());
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
  glPixelStorei(GL_UNPACK_ALIGNMENT, alignment);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
}

GlProgram make_gl_program(std::string_view vertex_source, std::string_view fragment_source) {
  GlProgram program(glCreateProgram());
  const GLuint vertex = compile(GL_VERTEX_SHADER, vertex_source);
  const GLuint fragment = compile(GL_FRAGMENT_SHADER, fragment_source);
  glAttachShader(program.id(), vertex);
  glAttachShader(program.id(), fragment);
  glLinkProgram(program.id());
  GLint linked = GL_FALSE;
  glGetProgramiv(program.id(), GL_LINK_STATUS, &linked);
  const std::string log = linked == GL_TRUE ? std::string() : log_of(program.id(), vertex, fragment);
  glDeleteShader(vertex);
  glDeleteShader(fragment);
  if (linked != GL_TRUE)
    throw std::runtime_error("The graphics driver refuses a shader of OpenGL 3.3: " + log);
  return program;
}

}  // namespace kino
