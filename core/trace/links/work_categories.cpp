#include "core/trace/links/work_categories.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "core/base/ascii.hpp"

namespace kino {
namespace {

constexpr std::size_t kCommunication = 0;
constexpr std::size_t kCopy = 1;
constexpr std::size_t kMemset = 2;
constexpr std::size_t kFirstOfNames = 3;

/// A category, and its patterns separated by bars.
struct NameRules {
  msg::Id category;
  std::string_view patterns;
};

/// Rules for names. The kernels of torch.compile are first, whatever they fuse. "rotary" precedes "embedding"
/// because of rotary_embedding. "^igemm_" is MIOpen's implicit matrix product of convolutions.
constexpr NameRules kNameRules[] = {
    {msg::compiled_triton, "^triton_"},
    {msg::elementwise, "rotary"},
    {msg::embedding_and_indexing, "embedding"},
    {msg::optimizer_and_foreach, "multi_tensor_apply|fusedadam|fused_adam|adamfunctor"},
    {msg::attention,
     "fmha|attention|attn|flash_fwd|flash_bwd|flash::|flashinfer|pagedkvcache|"
     "mha_fwd|mha_bwd|mla_"},
    {msg::normalization,
     "batchnorm|batch_norm|bn_fw|bn_bw|layernorm|layer_norm|rmsnorm|rms_norm|"
     "groupnorm|group_norm|ln_fwd|ln_bwd|gammabeta|rowwisemoments"},
    {msg::convolution,
     "scudnn|convol|conv1d|conv2d|conv3d|conv_|_conv|sp3asmconv|winograd|"
     "^igemm_|dgrad|wgrad|fprop|im2col|col2im"},
    {msg::matrix_product,
     "gemm|gemv|matmul|^cijk_|cutlass::kernel|cutlass::device_kernel|"
     "^cutlass|cublas|^nvjet|xmma|splitkreduce|wvsplitk"},
    {msg::softmax, "softmax"},
    {msg::embedding_and_indexing, "index_|indexselect|indexfunc|gather|scatter"},
    {msg::sorting_and_selection, "sort|topk|deviceselect|nonzero"},
    {msg::pooling_and_resampling, "_pool|upsample|pooling"},
    {msg::copy_by_a_kernel,
     "copy_kernel|catarray|transpose|permute|nchwtonhwc|nhwctonchw|"
     "copy_tensor|copy_into"},
    {msg::random_numbers, "distribution_|dropout"},
    {msg::reduction, "reduce|reduction|devicescan|_scan_"},
    {msg::elementwise,
     "elementwise|pointwise|activation|act_and_mul|silu|gelu|rope|swiglu|"
     "cast_to|quant"},
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
    for (const NameRules& group : kNameRules) {
      for (std::string_view rest = group.patterns; !rest.empty();) {
        const std::size_t bar = std::min(rest.find('|'), rest.size());
        all.push_back({group.category, std::string(rest.substr(0, bar))});
        rest.remove_prefix(std::min(bar + 1, rest.size()));
      }
    }
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
