#include "app/cli/serve/page_keys.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <string>

#include <GLFW/glfw3.h>

#include "core/base/ascii.hpp"

namespace kino {
namespace {

struct NamedCode {
  std::string_view name;
  int code;
};

constexpr NamedCode kNames[] = {{"Enter", GLFW_KEY_ENTER},      {"Escape", GLFW_KEY_ESCAPE},
                                {"Tab", GLFW_KEY_TAB},          {"Backspace", GLFW_KEY_BACKSPACE},
                                {"Delete", GLFW_KEY_DELETE},    {"Insert", GLFW_KEY_INSERT},
                                {"ArrowRight", GLFW_KEY_RIGHT}, {"ArrowLeft", GLFW_KEY_LEFT},
                                {"ArrowDown", GLFW_KEY_DOWN},   {"ArrowUp", GLFW_KEY_UP},
                                {"PageUp", GLFW_KEY_PAGE_UP},   {"PageDown", GLFW_KEY_PAGE_DOWN},
                                {"Home", GLFW_KEY_HOME},        {"End", GLFW_KEY_END},
                                {"Shift", GLFW_KEY_LEFT_SHIFT}, {"Control", GLFW_KEY_LEFT_CONTROL},
                                {"Alt", GLFW_KEY_LEFT_ALT},     {"Meta", GLFW_KEY_LEFT_SUPER},
                                {" ", GLFW_KEY_SPACE}};

/// Positions whose character differs from the last letter of the code.
constexpr NamedCode kPositions[] = {{"Backquote", '`'},
                                    {"Minus", '-'},
                                    {"Equal", '='},
                                    {"BracketLeft", '['},
                                    {"BracketRight", ']'},
                                    {"Backslash", '\\'},
                                    {"Semicolon", ';'},
                                    {"Quote", '\''},
                                    {"Comma", ','},
                                    {"Period", '.'},
                                    {"Slash", '/'},
                                    {"Space", GLFW_KEY_SPACE},
                                    {"NumpadAdd", GLFW_KEY_KP_ADD},
                                    {"NumpadSubtract", GLFW_KEY_KP_SUBTRACT},
                                    {"NumpadMultiply", GLFW_KEY_KP_MULTIPLY},
                                    {"NumpadDivide", GLFW_KEY_KP_DIVIDE},
                                    {"NumpadDecimal", GLFW_KEY_KP_DECIMAL},
                                    {"NumpadEnter", GLFW_KEY_KP_ENTER}};

template <std::size_t Count>
int find_name(const NamedCode (&names)[Count], std::string_view name) {
  const auto* const found = std::ranges::find(names, name, &NamedCode::name);
  return found != std::end(names) ? found->code : 0;
}

/// Returns the number of a function key such as "F12"; 0 for other keys.
int function_key(std::string_view key) {
  if (key.size() < 2 || key.size() > 3 || key[0] != 'F' || !std::ranges::all_of(key.substr(1), is_digit))
    return 0;
  const int number = std::atoi(std::string(key.substr(1)).c_str());
  return number >= 1 && number <= 12 ? GLFW_KEY_F1 + number - 1 : 0;
}

bool is_modifier(int code) { return code >= GLFW_KEY_LEFT_SHIFT && code <= GLFW_KEY_RIGHT_SUPER; }

}  // namespace

int key_from_browser(std::string_view key, std::string_view code) {
  if (code.starts_with("Numpad") && key.size() == 1) {
    if (code.size() == 7 && is_digit(code.back())) return GLFW_KEY_KP_0 + (code.back() - '0');
    return find_name(kPositions, code);
  }
  if (const int named = find_name(kNames, key); named != 0) {
    if (code == "NumpadEnter") return GLFW_KEY_KP_ENTER;
    const bool right = code.ends_with("Right") && is_modifier(named);
    return right ? named + (GLFW_KEY_RIGHT_SHIFT - GLFW_KEY_LEFT_SHIFT) : named;
  }
  if (const int function = function_key(key); function != 0) return function;
  if (key.size() == 1) {
    constexpr std::string_view kPunctuation = "`-=[]\\,;'./";
    const char cap = key[0];
    if (cap >= 'a' && cap <= 'z') return cap - 'a' + 'A';
    if ((cap >= 'A' && cap <= 'Z') || is_digit(cap) || kPunctuation.find(cap) != std::string_view::npos)
      return cap;
  }
  if (code.size() == 4 && code.starts_with("Key") && code[3] >= 'A' && code[3] <= 'Z') return code[3];
  if (code.size() == 6 && code.starts_with("Digit") && is_digit(code[5])) return code[5];
  return find_name(kPositions, code);
}

}  // namespace kino
