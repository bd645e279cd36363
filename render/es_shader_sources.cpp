#include "render/es_shader_sources.hpp"

#include <string_view>

namespace kino {
namespace {

void replace_all(std::string& text, std::string_view before, std::string_view after) {
  for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + after.size()))
    text.replace(at, before.size(), after);
}

void translate(std::string& source) {
  static_assert(kPageWidth == 256);
  replace_all(source, "#version 330 core\n",
              "#version 300 es\n"
              "precision highp float;\n"
              "precision highp int;\n"
              "precision highp sampler2D;\n"
              "precision highp usampler2D;\n");
  replace_all(source, "usamplerBuffer", "usampler2D");
  replace_all(source, "texelFetch(instances, int(tile[2].x) + gl_InstanceID)",
              "texelFetch(instances, ivec2((int(tile[2].x) + gl_InstanceID) & 255, "
              "(int(tile[2].x) + gl_InstanceID) >> 8), 0)");
}

}  // namespace

ShaderSource es_shader_source(ShaderProgram program) {
  ShaderSource source = shader_source(program);
  translate(source.vertex);
  translate(source.fragment);
  return source;
}

}  // namespace kino
