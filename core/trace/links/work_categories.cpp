#include "core/trace/links/work_categories.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "core/base/ascii.hpp"

namespace kino {
namespace {

constexpr std::size_t kCommunication = 0;
constexpr std::size_t kCopy = 1;
constexpr std::size_t kMemset = 2;
constexpr std::size_t kFirstOfNames = 3;

struct NameRule {
  msg::Id category;
  const char* pattern;
};

constexpr NameRule kNameRules[] = {
    // Kernels that torch.compile generates, whatever they fuse.
    {msg::compiled_triton, "^triton_"},
    {msg::elementwise, "rotary"},  // before embeddings: rotary_embedding
    {msg::embedding_and_indexing, "embedding"},
    {msg::optimizer_and_foreach, "multi_tensor_apply"},
    {msg::optimizer_and_foreach, "fusedadam"},
    {msg::optimizer_and_foreach, "fused_adam"},
    {msg::optimizer_and_foreach, "adamfunctor"},
    {msg::attention, "fmha"},
    {msg::attention, "attention"},
    {msg::attention, "attn"},
    {msg::attention, "flash_fwd"},
    {msg::attention, "flash_bwd"},
    {msg::attention, "flash::"},
    {msg::attention, "flashinfer"},
    {msg::attention, "pagedkvcache"},
    {msg::attention, "mha_fwd"},
    {msg::attention, "mha_bwd"},
    {msg::attention, "mla_"},
    {msg::normalisation, "batchnorm"},
    {msg::normalisation, "batch_norm"},
    {msg::normalisation, "bn_fw"},
    {msg::normalisation, "bn_bw"},
    {msg::normalisation, "layernorm"},
    {msg::normalisation, "layer_norm"},
    {msg::normalisation, "rmsnorm"},
    {msg::normalisation, "rms_norm"},
    {msg::normalisation, "groupnorm"},
    {msg::normalisation, "group_norm"},
    {msg::normalisation, "ln_fwd"},
    {msg::normalisation, "ln_bwd"},
    {msg::normalisation, "gammabeta"},
    {msg::normalisation, "rowwisemoments"},
    {msg::convolution, "scudnn"},
    {msg::convolution, "convol"},
    {msg::convolution, "conv1d"},
    {msg::convolution, "conv2d"},
    {msg::convolution, "conv3d"},
    {msg::convolution, "conv_"},
    {msg::convolution, "_conv"},
    {msg::convolution, "sp3asmconv"},
    {msg::convolution, "winograd"},
    {msg::convolution, "^igemm_"},  // of MIOpen: implicit matrix products of convolutions
    {msg::convolution, "dgrad"},
    {msg::convolution, "wgrad"},
    {msg::convolution, "fprop"},
    {msg::convolution, "im2col"},
    {msg::convolution, "col2im"},
    {msg::matrix_product, "gemm"},
    {msg::matrix_product, "gemv"},
    {msg::matrix_product, "matmul"},
    {msg::matrix_product, "^cijk_"},
    {msg::matrix_product, "cutlass::kernel"},
    {msg::matrix_product, "cutlass::device_kernel"},
    {msg::matrix_product, "^cutlass"},
    {msg::matrix_product, "cublas"},
    {msg::matrix_product, "^nvjet"},
    {msg::matrix_product, "xmma"},
    {msg::matrix_product, "splitkreduce"},
    {msg::matrix_product, "wvsplitk"},
    {msg::softmax, "softmax"},
    {msg::embedding_and_indexing, "index_"},
    {msg::embedding_and_indexing, "indexselect"},
    {msg::embedding_and_indexing, "indexfunc"},
    {msg::embedding_and_indexing, "gather"},
    {msg::embedding_and_indexing, "scatter"},
    {msg::sorting_and_selection, "sort"},
    {msg::sorting_and_selection, "topk"},
    {msg::sorting_and_selection, "deviceselect"},
    {msg::sorting_and_selection, "nonzero"},
    {msg::pooling_and_resampling, "_pool"},
    {msg::pooling_and_resampling, "upsample"},
    {msg::pooling_and_resampling, "pooling"},
    {msg::copy_by_a_kernel, "copy_kernel"},
    {msg::copy_by_a_kernel, "catarray"},
    {msg::copy_by_a_kernel, "transpose"},
    {msg::copy_by_a_kernel, "permute"},
    {msg::copy_by_a_kernel, "nchwtonhwc"},
    {msg::copy_by_a_kernel, "nhwctonchw"},
    {msg::copy_by_a_kernel, "copy_tensor"},
    {msg::copy_by_a_kernel, "copy_into"},
    {msg::random_numbers, "distribution_"},
    {msg::random_numbers, "dropout"},
    {msg::reduction, "reduce"},
    {msg::reduction, "reduction"},
    {msg::reduction, "devicescan"},
    {msg::reduction, "_scan_"},
    {msg::elementwise, "elementwise"},
    {msg::elementwise, "pointwise"},
    {msg::elementwise, "activation"},
    {msg::elementwise, "act_and_mul"},
    {msg::elementwise, "silu"},
    {msg::elementwise, "gelu"},
    {msg::elementwise, "rope"},
    {msg::elementwise, "swiglu"},
    {msg::elementwise, "cast_to"},
    {msg::elementwise, "quant"},
};

std::vector<WorkRule> with_name_rules(const std::vector<WorkRule>& named) {
  std::vector<WorkRule> rules{{msg::communication, ""}, {msg::copy_other, ""}, {msg::memset, ""}};
  rules.insert(rules.end(), named.begin(), named.end());
  rules.push_back({msg::other, ""});
  for (WorkRule& rule : rules) rule.pattern = lowered(rule.pattern);
  return rules;
}

}  // namespace

WorkRules::WorkRules(const std::vector<WorkRule>& of_names) : rules_(with_name_rules(of_names)) {
  names_.reserve(rules_.size());
  for (const WorkRule& rule : rules_) names_.push_back(rule.category.str());
}

std::size_t WorkRules::rule_of_name(std::string_view name) const {
  const std::string folded = lowered(name);
  const std::size_t other = rules_.size() - 1;
  for (std::size_t i = kFirstOfNames; i < other; ++i) {
    const std::string_view pattern = rules_[i].pattern;
    const bool holds = pattern.starts_with('^') ? folded.starts_with(pattern.substr(1))
                                                : folded.find(pattern) != std::string::npos;
    if (holds) return i;
  }
  return other;
}

const std::vector<WorkRule>& default_name_rules() {
  static const std::vector<WorkRule> rules = [] {
    std::vector<WorkRule> all;
    for (const NameRule& rule : kNameRules) all.push_back({rule.category, rule.pattern});
    return all;
  }();
  return rules;
}

const std::shared_ptr<const WorkRules>& default_work_rules() {
  static const auto rules = std::make_shared<const WorkRules>();
  return rules;
}

std::size_t WorkCategories::rule_of(SliceId work) {
  const std::uint32_t i = index_of(work);
  if (trace_.slices.kind[i] == SliceKind::communication) return kCommunication;
  if (trace_.slices.kind[i] == SliceKind::copy) {
    const std::string_view category = trace_.category_text(trace_.slices.category[i]);
    return category == "gpu_memset" || category == "Memset" ? kMemset : kCopy;
  }
  std::uint16_t& known = by_name_[index_of(trace_.slices.name[i])];
  if (known == kUnknown) known = static_cast<std::uint16_t>(rules_.rule_of_name(trace_.name_of(work)));
  return known;
}

}  // namespace kino
