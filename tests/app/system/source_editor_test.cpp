// Covers: source_editor
#include "app/system/source_editor.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

using kino::editor_command;
using Words = std::vector<std::string>;

TEST_CASE("editors receive the line in their own syntax, after the user's arguments") {
  CHECK(editor_command("code -w", "/a b/train.py", 42) == Words{"code", "-w", "--goto", "/a b/train.py:42"});
  CHECK(editor_command("/usr/bin/subl", "/t.py", 7) == Words{"/usr/bin/subl", "/t.py:7"});
  CHECK(editor_command("gvim", "/t.py", 7) == Words{"gvim", "+7", "/t.py"});
  CHECK(editor_command("kate", "/t.py", 7) == Words{"kate", "--line", "7", "/t.py"});
  CHECK(editor_command("gvim", "/t.py", 0) == Words{"gvim", "/t.py"});
  CHECK(editor_command("gvim", "/t.py", -1) == Words{"gvim", "/t.py"});
  CHECK(editor_command("unknown", "/t.py", 7) == Words{"unknown", "/t.py"});
}

TEST_CASE("terminal editors, and a missing editor, are replaced by xdg-open") {
  for (const char* editor : {"", "  ", "vim", "/usr/bin/nano -l", "emacs -nw", "emacsclient -t"}) {
    CHECK(editor_command(editor, "/t.py", 7) == Words{"xdg-open", "/t.py"});
  }
}

TEST_CASE("a name is one argument whatever it contains") {
  const std::string name = "/a;b$(c)\n-x \"d\".py";
  CHECK(editor_command("gvim", name, 3) == Words{"gvim", "+3", name});
}

TEST_CASE("only absolute paths of source files are opened") {
  CHECK(kino::is_source_path("/home/me/train.py"));
  CHECK(kino::is_source_path("/a/kernel.cu"));
  for (const std::string name : {"-x.py", "train.py", "", "??", "/home/me/evil.desktop", "/bin/sh",
                                 "<frozen>", "~/t.py", "file:///t.py"}) {
    CHECK_FALSE(kino::is_source_path(name));
  }
  CHECK_FALSE(kino::is_source_path(std::string("/a\0b.py", 7)));
}

}  // namespace
