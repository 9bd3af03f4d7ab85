#include "base/redact.h"

#include <algorithm>

#include "base/text.h"

namespace assay {
namespace {

constexpr size_t kShortestSecret = 8;

// The base64 characters that depend on the secret alone when `shift` bytes stand before it in the encoded text.
std::string base64_core(std::string_view secret, size_t shift) {
  std::string padded = std::string(shift, '\0') + std::string(secret);
  std::string encoded = base64(padded);
  size_t from = shift == 0 ? 0 : shift == 1 ? 2 : 3;
  size_t to = padded.size() * 8 / 6;
  return encoded.substr(from, to - from);
}

std::string url_safe(std::string text) {
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  return text;
}

std::vector<std::string> forms_of(std::string_view secret) {
  std::vector<std::string> forms = {std::string(secret), url_encode(secret), lower(url_encode(secret))};
  for (size_t shift = 0; shift < 3; ++shift) {
    forms.push_back(base64_core(secret, shift));
    forms.push_back(url_safe(forms.back()));
  }
  std::string plus = url_encode(secret);
  for (size_t at; (at = plus.find("%20")) != std::string::npos;)
    plus.replace(at, 3, "+");
  forms.push_back(std::move(plus));
  std::string quoted_json;
  append_json_string(secret, quoted_json);
  forms.push_back(quoted_json.substr(1, quoted_json.size() - 2));
  return forms;
}

constexpr size_t kShownBeginning = 4;  // fewer characters give nothing away

}  // namespace

void Redactor::add(std::string_view secret) {
  if (secret.size() < kShortestSecret) return;
  std::lock_guard lock(mutex_);
  if (!known_.emplace(secret).second) return;
  for (auto& form : forms_of(secret))
    forms_.push_back(std::move(form));
  auto longer = [](const std::string& a, const std::string& b) { return a.size() != b.size() ? a.size() > b.size() : a < b; };
  std::sort(forms_.begin(), forms_.end(), longer);
  forms_.erase(std::unique(forms_.begin(), forms_.end()), forms_.end());
}

bool Redactor::empty() const {
  std::lock_guard lock(mutex_);
  return forms_.empty();
}

std::string Redactor::apply(std::string_view text) const {
  std::lock_guard lock(mutex_);
  std::string out(text);
  for (const auto& form : forms_)
    for (size_t at = 0; (at = out.find(form, at)) != std::string::npos; at += 3)
      out.replace(at, form.size(), "***");
  redact_cut(out);
  return out;
}

// What was shortened before it came here may end in the beginning of a secret.
void Redactor::redact_cut(std::string& text) const {
  constexpr std::string_view kCut = "…";
  for (size_t at = text.find(kCut); at != std::string::npos; at = text.find(kCut, at + kCut.size())) {
    std::string_view before = std::string_view(text).substr(0, at);
    size_t found = 0;
    for (const auto& form : forms_)
      for (size_t n = std::min(form.size() - 1, before.size()); n > found && n >= kShownBeginning; --n)
        if (before.ends_with(std::string_view(form).substr(0, n))) found = n;
    if (found == 0) continue;
    text.replace(at - found, found, "***");
    at = at - found + 3;
  }
}

void Redactor::apply_to_strings(Json& value) const {
  if (value.is_string()) {
    auto& text = value.get_ref<std::string&>();
    text = apply(text);
  } else if (value.is_structured()) {
    for (auto& item : value)
      apply_to_strings(item);
  }
}

bool is_secret_header(std::string_view name) {
  std::string n = lower(name);
  auto has = [&](std::string_view part) { return n.find(part) != std::string::npos; };
  return n == "authorization" || n == "proxy-authorization" || n == "cookie" || has("token") || has("key") || has("secret");
}

}  // namespace assay
