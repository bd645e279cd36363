// Covers: call_stack, slice_facts, tensor_inputs
#include <doctest/doctest.h>

#include "app/ui/details/call_stack.hpp"
#include "app/ui/details/slice_facts.hpp"
#include "app/ui/details/tensor_inputs.hpp"
#include "tests/fixtures/trace_fixture.hpp"

using namespace kino;

namespace {

ArgNode text(std::string key, std::string value) {
  return {ArgNode::Kind::string, std::move(key), std::move(value), {}};
}
ArgNode number(std::string value) { return {ArgNode::Kind::number, "", std::move(value), {}}; }
ArgNode list(std::string key, std::vector<ArgNode> children) {
  return {ArgNode::Kind::array, std::move(key), "", std::move(children)};
}
ArgNode slice_event_with(std::vector<ArgNode> args) {
  return {ArgNode::Kind::object, "", "", {{ArgNode::Kind::object, "args", "", std::move(args)}}};
}

}  // namespace

TEST_CASE("inputs are listed side by side, also if a list is shorter or missing") {
  const ArgNode event =
      slice_event_with({list("Input Dims", {list("", {number("8"), number("512")}), list("", {})}),
                        list("Input type", {text("", "float"), text("", "Scalar")}),
                        list("Concrete Inputs", {text("", ""), text("", "1"), text("", "x")})});
  const std::vector<TensorInput> inputs = tensor_inputs(event);
  REQUIRE(inputs.size() == 3);
  CHECK(inputs[0].dims == "[8, 512]");
  CHECK(inputs[0].type == "float");
  CHECK(inputs[0].strides.empty());
  CHECK(inputs[1].dims == "[]");
  CHECK(inputs[1].value == "1");
  CHECK(inputs[2].dims.empty());
  CHECK(tensor_inputs(slice_event_with({})).empty());
}

TEST_CASE("a recorded call stack is split into frames") {
  TraceFixture fixture;
  fixture.add_row({{0, 10, 0}});
  const auto trace = fixture.build();
  const ArgNode event = slice_event_with({text("Call stack", "a.py(1): f; b.py(2): g;<built-in>;")});
  const std::vector<StackFrame> frames = call_stack(*trace, SliceId{0}, &event);
  REQUIRE(frames.size() == 3);
  CHECK(frames[1].text == "b.py(2): g");
  CHECK(text_of(frames) == "a.py(1): f\nb.py(2): g\n<built-in>\n");
  CHECK(call_stack(*trace, SliceId{0}, nullptr).empty());
}

TEST_CASE("a slice alone is its own self time and has no surroundings") {
  TraceFixture fixture;
  fixture.add_row({{0, 10, 0}, {20, 5, 1}});
  const auto trace = fixture.build();
  const SliceFacts facts = slice_facts(*trace, SliceId{0}, 10);
  CHECK(facts.self_ns == 10);
  CHECK(facts.parents.empty());
  CHECK(facts.children.empty());
  CHECK(facts.linked.empty());
  CHECK_FALSE(facts.launch_delay_ns);
}

TEST_CASE("a clock without an epoch has no wall time") {
  Trace trace;
  trace.origin_unix_ns = 6'120'450'310'442'118;
  CHECK(wall_clock_text(trace, 0).empty());
  trace.origin_unix_ns = 1'767'189'312'123'456'789;
  CHECK(wall_clock_text(trace, 0).find("12.123456") != std::string::npos);
}
