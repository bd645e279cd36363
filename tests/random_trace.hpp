// Random valid traces: every phase, nesting, escapes, numbers in all spellings, members in any order and
// spacing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kino_test {

/// The same seed gives the same text on every machine.
class RandomTrace {
 public:
  explicit RandomTrace(unsigned seed) : random_(seed) {}

  /// The elements of an event array, in random order. Spans nest, so that there is one way to pair them.
  std::vector<std::string> elements(std::size_t count) {
    std::vector<std::string> out;
    while (out.size() < count) add(out);
    std::shuffle(out.begin(), out.end(), random_);
    return out;
  }

  /// A whole document around the elements. `separator` empty: another one between any two.
  std::string document(const std::vector<std::string>& elements, const std::string& separator) {
    const bool member = below(3) > 0;
    std::string text = member ? R"({"schemaVersion":1,"note":"\"traceEvents\":[{",)" + space() +
                                    R"("traceEvents")" + space() + ":" + space() + "["
                              : "[";
    text += space();
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (i > 0) text += separator.empty() ? space() + "," + space() : separator;
      text += elements[i];
    }
    return text + space() + (member ? "],\"tail\":" + value(3) + "}" : "]") + space();
  }

  std::size_t below(std::size_t limit) { return random_() % limit; }

 private:
  using Member = std::pair<std::string, std::string>;

  void add(std::vector<std::string>& out) {
    switch (below(16)) {
      case 0:
        out.push_back(pick({"{}", "null", "true", "17", "-1.5e3", R"("},{\"ph\":\"X\"")", "[]",
                            R"([{"ph":"X","ts":1,"dur":1}])", "[[[[]]]]"}));
        return;
      case 1:
        return add_nested(out);
      case 2:
        return add_async(out);
      case 3:
        out.push_back(event(pick({"i", "I", "R", "P", "N", "O", "D"}), time(), {{"s", "\"t\""}}));
        return;
      case 4:
        out.push_back(event("C", time(),
                            {{"args", "{" + space() + "\"a" + std::to_string(below(3)) + "\":" + number() +
                                          (below(2) > 0 ? ",\"t\":\"x\"" : "") + "}"},
                             {"name", pick({"\"memory\"", R"("m\u00e9moire")"})}}));
        return;
      case 5:
        out.push_back(event(pick({"s", "t", "f"}), time(), {{"id", number()}, {"bp", "\"e\""}}));
        return;
      case 6:
        out.push_back(event("M", time(), {{"name", R"("process_labels")"}, {"args", R"({"labels":"l"})"}}));
        return;
      default: {
        std::vector<Member> more{{"dur", spelled(static_cast<std::int64_t>(below(5'000'000)))}};
        if (below(3) > 0) more.emplace_back("args", object(arguments(0)));
        out.push_back(event("X", time(), std::move(more)));
      }
    }
  }

  /// B and E on a thread of their own.
  void add_nested(std::vector<std::string>& out) {
    const std::string tid = std::to_string(1000 + next_thread_++);
    std::vector<std::size_t> open;
    std::int64_t now = time();
    for (std::size_t left = 1 + below(6); left > 0 || !open.empty();
         now += 1 + static_cast<int>(below(900))) {
      const bool begins = left > 0 && (open.empty() || below(2) > 0);
      left -= begins ? 1 : 0;
      begins ? open.push_back(left) : open.pop_back();
      std::vector<Member> more{{"tid", tid}, {"pid", "1"}, {"cat", R"("cpu_op")"}};
      if (!begins) more.emplace_back("name", R"("")");
      out.push_back(event(begins ? "B" : "E", now, std::move(more)));
    }
  }

  void add_async(std::vector<std::string>& out) {
    const bool nestable = below(2) > 0;
    const std::vector<Member> same{{"id", "\"0x" + std::to_string(10 + next_id_++) + "\""},
                                   {"cat", R"("async")"},
                                   {"name", string()},
                                   {"pid", "1"}};
    const std::int64_t begin = time();
    out.push_back(event(nestable ? "b" : "S", begin, same));
    if (below(2) > 0) out.push_back(event(nestable ? "n" : "T", begin + 5, same));
    out.push_back(event(nestable ? "e" : "F", begin + 10 + static_cast<int>(below(9999)), same));
  }

  /// `more` wins over the members that every event has.
  std::string event(const std::string& phase, std::int64_t time_ns, std::vector<Member> more) {
    std::vector<Member> members{{"ph", "\"" + phase + "\""}, {"ts", spelled(time_ns)}};
    const auto add_default = [&](const char* key, const std::string& text) {
      if (std::none_of(more.begin(), more.end(), [&](const Member& member) { return member.first == key; }))
        members.emplace_back(key, text);
    };
    add_default("name", string());
    add_default("pid", pick({"1", "\"1\"", "7", R"("p\u00fc")"}));
    add_default("tid", pick({"1", "2", "\"worker \\\"3\\\"\""}));
    add_default("cat", pick({"\"cpu_op\"", "\"kernel\"", "\"cuda_runtime\"", R"("\u7c7b \"c\"")", "\"\""}));
    for (std::size_t i = below(3); i > 0; --i) members.emplace_back("x" + std::to_string(i), value(0));
    members.insert(members.end(), more.begin(), more.end());
    return object(std::move(members));
  }

  std::vector<Member> arguments(int depth) {
    std::vector<Member> members;
    for (std::size_t i = below(4); i > 0; --i)
      members.emplace_back("k " + std::to_string(i), value(depth + 1));
    if (depth == 0 && below(2) > 0) members.emplace_back("correlation", std::to_string(below(50)));
    return members;
  }

  std::string object(std::vector<Member> members) {
    std::shuffle(members.begin(), members.end(), random_);
    std::string text = "{" + space();
    for (const auto& [key, content] : members) {
      if (text.back() != '{' && &key != &members.front().first) text += "," + space();
      text += "\"" + key + "\"" + space() + ":" + space() + content + space();
    }
    return text + "}";
  }

  std::string value(int depth) {
    switch (below(depth < 4 ? 7 : 4)) {
      case 0:
        return string();
      case 1:
        return number();
      case 2:
        return pick({"true", "false", "null"});
      case 3:
        return std::to_string(random_());
      case 4: {
        std::string text = "[";
        for (std::size_t i = below(4); i > 0; --i) text += value(depth + 1) + space() + (i > 1 ? "," : "");
        return text + "]";
      }
      case 5:
        return R"({"ph":"X","ts":1,"dur":2,"name":"inner","args":{"correlation":3}})";
      default:
        return object(arguments(depth + 1));
    }
  }

  std::string string() {
    std::string text;
    for (std::size_t i = below(5); i > 0; --i) {
      text += pick({"aten::mm",
                    "void k<float, 4>(T*)",
                    R"(\")",
                    R"(\\)",
                    R"(\/)",
                    R"(\b\f\n\r\t)",
                    R"(\u00e9)",
                    R"(\ud83d\ude00)",
                    "\xE4\xB8\xAD",
                    "\xF0\x9F\x98\x80",
                    "},",
                    "{",
                    "],[",
                    R"(\n},\n{)",
                    ":",
                    "%s%n",
                    "##x",
                    R"(\u001b[31m)",
                    R"(\u0000)",
                    "\x7f",
                    " "});
    }
    return "\"" + text + "\"";
  }

  std::string number() {
    return pick({"0", "7", "-12", "1.5", "-0.25", "1e3", "1E+3", "25e-2", "4294967296",
                 "18446744073709551615", "9007199254740993", "0.1", "1.7976931348623157e308"});
  }

  std::int64_t time() {
    const auto offset = static_cast<std::int64_t>(random_()) % 40'000'000'000;
    return 1'712'195'495'519'761'132 + offset;
  }

  /// ns as microseconds, in one of the ways in which a writer may spell that.
  std::string spelled(std::int64_t ns) {
    std::string digits = std::to_string(ns);
    if (digits.size() < 4) digits.insert(0, 4 - digits.size(), '0');
    std::string plain = digits.substr(0, digits.size() - 3) + "." + digits.substr(digits.size() - 3);
    const std::size_t first = std::min(digits.find_first_not_of('0'), digits.size() - 1);
    const std::string significant = digits.substr(first);
    const auto exponent = static_cast<int>(significant.size()) - 4;
    switch (below(8)) {
      case 0:
        return "\"" + plain + "\"";
      case 1:
        return plain + "000";
      case 2:
        return significant + pick({"e-3", "E-3", "e-03"});
      case 3:
        return significant.substr(0, 1) + "." + significant.substr(1) + "0" + pick({"e", "E"}) +
               (exponent < 0 ? "" : pick({"", "+"})) + std::to_string(exponent);
      case 4:
        while (plain.back() == '0') plain.pop_back();
        if (plain.back() == '.') plain.pop_back();
        return plain;
      default:
        return plain;
    }
  }

  std::string space() { return pick({"", "", "", " ", "\n", "\t", "\r\n  "}); }
  std::string pick(std::vector<std::string_view> choices) {
    return std::string(choices[below(choices.size())]);
  }

  std::mt19937 random_;
  int next_thread_ = 0;
  int next_id_ = 0;
};

}  // namespace kino_test
