#include "longrun/service/sha256.h"

#include <openssl/evp.h>
#include <openssl/sha.h>

#include <array>

#include "longrun/base/system_error.h"

namespace longrun {
namespace {

using Hash = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

std::string digits_of(const Hash& hash) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * hash.size());
  for (const unsigned char byte : hash) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 0xfU];
  }
  return text;
}

}  // namespace

struct Sha256::State {
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(), EVP_MD_CTX_free};
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  if (EVP_DigestInit_ex(state_->context.get(), EVP_sha256(), nullptr) != 1) {
    throw SystemError("OpenSSL does not compute SHA-256");
  }
}

Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes) { EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()); }

std::string Sha256::text() {
  Hash hash{};
  EVP_DigestFinal_ex(state_->context.get(), hash.data(), nullptr);
  return digits_of(hash);
}

std::string sha256(std::string_view bytes) {
  Hash hash{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), hash.data());  // NOLINT
  return digits_of(hash);
}

}  // namespace longrun
