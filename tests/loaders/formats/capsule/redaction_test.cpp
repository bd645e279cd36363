// Covers: redaction, known_names
#include "loaders/formats/capsule/redaction.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/base/ascii.hpp"
#include "core/base/library_frames.hpp"

namespace {

using kino::contains;
using kino::Redacted;
using kino::Redactor;

Redactor redactor() { return {{1, 2}, {"gpubox", "alice"}}; }

std::uint64_t count(const Redactor& of, Redacted what) { return of.counts()[static_cast<std::size_t>(what)]; }

}  // namespace

TEST_CASE("paths and names of files and hosts are replaced, other words remain") {
  Redactor it = redactor();
  CHECK(it.text("aten::mm") == "aten::mm");
  CHECK(it.text("ampere_sgemm_128x64_tn") == "ampere_sgemm_128x64_tn");
  const std::string kernel =
      "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
      "at::detail::Array<char*, 3>>(int, at::native::CUDAFunctor_add<float>)";
  CHECK(it.text(kernel) == kernel);
  CHECK(it.text("12.5 GB/s, 1.5 of 2.0") == "12.5 GB/s, 1.5 of 2.0");
  CHECK(it.counts() == std::array<std::uint64_t, kino::kRedactedCount>{});
  for (const char* const secret :
       {"/home/me/run.py", "~/x", "../data/train", "C:\\Users\\me", "a/b", "train.py", "model.safetensors",
        "libfoo.so.12", "node7.example.com", "10.1.2.3", "me@example.org", "gpubox", "alice"}) {
    CAPTURE(secret);
    const std::string out = it.text("load " + std::string(secret) + ", then (" + secret + ").");
    CHECK(out.starts_with("load "));
    CHECK(contains(out, ", then ("));
    CHECK(out.ends_with(")."));
    CHECK(!contains(out, secret));
  }
  CHECK(count(it, Redacted::paths) == 5);
  CHECK(count(it, Redacted::files) == 3);
  CHECK(count(it, Redacted::hosts) == 5);
}

TEST_CASE("names recognized in one text are replaced in all others, by one pseudonym each") {
  Redactor it({1, 2}, {});
  const auto learn = [&](const char* json) { it.json(json); };
  it.set_learning(true);
  learn(
      R"({"hostname": "gpubox17", "user": "Alice Smith", "saved": "/home/bob/run.py", "trace_dir": "deepsea", "at": carol@trainer9})");
  learn(
      R"({"peer": "node7.example.com:29500", "cache": "/tmp/torchinductor_dave/ab.py", "host": "cuda", "node": 12})");
  it.set_learning(false);
  const std::string host = it.value("hostname", "gpubox17");
  CHECK(host.starts_with("host_"));
  CHECK(it.text("gpubox17") == host);
  CHECK(it.text("step on GPUBOX17, then") == "step on " + host + ", then");
  CHECK(it.text("python gpubox17:rank0 (gpubox17_worker)") ==
        "python " + host + ":rank0 (" + host + "_worker)");
  CHECK(it.json(R"({"k gpubox17": [1, "on gpubox17"], "x": gpubox17})") ==
        "{\"k " + host + "\": [1, \"on " + host + "\"], \"x\": " + host + "}");
  for (const char* const secret :
       {"bob", "carol", "trainer9", "node7", "dave", "alice", "SMITH", "deepsea", "Alice Smith"}) {
    CAPTURE(secret);
    const std::string out = it.text("by " + std::string(secret) + " here, " + secret + "_2");
    CHECK(!contains(out, secret));
    CHECK(out.starts_with("by "));
  }
  // Common words, and words that only contain a name, remain.
  for (const char* const text : {"cuda", "aten::mm", "bobbin", "gpubox170", "mygpubox17", "12", "node 7"})
    CHECK(it.text(text) == text);
  CHECK(std::vector<std::string>(it.host_like().begin(), it.host_like().end()) ==
        std::vector<std::string>{"gpubox170", "mygpubox17"});
}

TEST_CASE("words that may be hosts remain and are counted") {
  Redactor it = redactor();
  CHECK(it.text("from gpu-node-17 to dgx01: ip-10-0-3-7, gpu-node-17") ==
        "from gpu-node-17 to dgx01: ip-10-0-3-7, gpu-node-17");
  CHECK(std::vector<std::string>(it.host_like().begin(), it.host_like().end()) ==
        std::vector<std::string>{"dgx01", "gpu-node-17", "ip-10-0-3-7"});
  Redactor none = redactor();
  none.text(
      "aten::conv2d gpu0 cuda:1 rank-3 layer12 resnet-50 llama-3-8b sm_80 fp16 llvm17 track2 stream 7 bbox2 "
      "nodes");
  none.text("/home/me/node17/x node17.example.com");
  CHECK(none.host_like().empty());
}

TEST_CASE("equal texts have equal hashes with one key, and different ones with another") {
  Redactor it = redactor();
  CHECK(it.text("/home/me") == it.text("/home/me"));
  CHECK(it.text("/home/me") != it.text("/home/you"));
  Redactor other({3, 4}, {});
  CHECK(it.text("/home/me") != other.text("/home/me"));
}

TEST_CASE("hashes are SipHash-2-4 as published") {
  // Aumasson, Bernstein: SipHash, appendix A: key 00..0f, message 00..0e, a129ca6149be45e5.
  Redactor it({0x0706050403020100ULL, 0x0f0e0d0c0b0a0908ULL}, {});
  std::string message;
  for (char c = 0; c < 15; ++c) message += c;
  CHECK(it.frame(message) == "5e54eb9416ac");  // the lowest twelve digits, lowest first
}

TEST_CASE("redacted frames keep their form and line") {
  Redactor it = redactor();
  const std::string out = it.frame("/home/me/train.py(12): step");
  CHECK(out.starts_with("file_"));
  CHECK(contains(out, ".py(12): "));
  CHECK(!contains(out, "train"));
  CHECK(!contains(out, "step"));
  CHECK(it.text("/home/me/train.py(12): step") == out);
  CHECK(it.stack("/home/me/train.py(12): step;/home/me/train.py(12): step") == out + ";" + out);
  const std::string module = it.frame("nn.Module: Secret_Net_12");
  CHECK(module.starts_with("nn.Module: "));
  CHECK(module.ends_with("_12"));
  CHECK(!contains(module, "Secret"));
  CHECK(!contains(it.frame("<built-in method secret of type>"), "secret"));
  CHECK(count(it, Redacted::frames) == 3);
  const std::string modules = it.modules("TOP(Net).conv1(Conv2d)");
  CHECK(modules.starts_with("TOP("));
  CHECK(contains(modules, ")."));
  CHECK(!contains(modules, "Net"));
  CHECK(!contains(modules, "conv"));
  CHECK(it.frame("").empty());
  CHECK(it.text("nn.Module: Secret_Net_12") == module);
  CHECK(it.text("my_step") == "my_step");
  const std::string step = it.frame("my_step");
  CHECK(it.text("my_step") == step);  // now known as a frame
}

TEST_CASE("redacted files of frames keep their kind of code") {
  Redactor redactor({1, 2}, {});
  const std::string own = redactor.frame_file("/home/me/train.py");
  CHECK(!kino::is_library_frame_of(own, kino::default_libraries()));
  CHECK(own.find("train") == std::string::npos);
  CHECK(own == redactor.frame_file("/home/me/train.py"));
  CHECK(kino::is_library_file(redactor.frame_file("/usr/lib/python3/dist-packages/torch/nn/linear.py"),
                              kino::default_libraries()));
  CHECK(kino::is_library_file(redactor.frame_file("/usr/lib/python3.12/threading.py"),
                              kino::default_libraries()));
  CHECK(!kino::is_python_file(redactor.frame_file("/build/SECRET/allocator.cpp")));
  CHECK(redactor.frame_file("/build/SECRET/allocator.cpp").find("SECRET") == std::string::npos);
  CHECK(redactor.frame_file("??") == "??");
  CHECK(redactor.frame_function("??") == "??");
  CHECK(redactor.frame_function("step").find("step") == std::string::npos);
  CHECK(redactor.counts()[0] == 1);
  CHECK(redactor.counts()[2] == 4);
}

TEST_CASE("strings in JSON are replaced by their keys, numbers and keys remain") {
  Redactor it = redactor();
  CHECK(it.json(R"({"stream": 7, "dims": [[1, 2]], "Collective name": "allreduce", "x": "a\nb"})") ==
        R"({"stream": 7, "dims": [[1, 2]], "Collective name": "allreduce", "x": "a\nb"})");
  const std::string out = it.json(
      R"({"Call stack": "me.py(1): f;me.py(2): g", "hostname": "box", "kernel_file": "\/tmp\/me\/k", "Cmd": "run \u002fhome\u002fme", "Direction": "in"})");
  for (const char* const secret : {"me.py", ": f", ": g", "box", "tmp", "home", "002f"})
    CHECK(!contains(out, secret));
  CHECK(contains(out, R"("Direction": "in")"));
  CHECK(contains(out, R"("Cmd": "run path_)"));
  CHECK(!contains(it.json(R"({"cut": "/home/me)"), "home"));
  CHECK(it.json("") == "");
}
