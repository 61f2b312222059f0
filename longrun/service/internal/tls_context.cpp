#include "longrun/service/internal/tls_context.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509err.h>

#include "longrun/base/input_error.h"
#include "longrun/base/read_file.h"
#include "longrun/base/system_error.h"

namespace longrun {

void TlsContextDelete::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }

TlsContext make_tls_context(const std::string& certificate_file, const std::string& key_file) {
  // OpenSSL's reasons for files that do not exist or can't be read are less clear.
  open_file(certificate_file, "certificate file");
  open_file(key_file, "key file");
  TlsContext context(SSL_CTX_new(TLS_server_method()));
  if (!context) throw SystemError("OpenSSL cannot make a TLS context");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);  // idle connections need little memory
  // Otherwise OpenSSL asks for a passphrase on the terminal.
  SSL_CTX_set_default_passwd_cb(context.get(), [](char*, int, int, void*) { return 0; });
  if (SSL_CTX_use_certificate_chain_file(context.get(), certificate_file.c_str()) != 1) {
    ERR_clear_error();
    throw InputError(fmt::format("{}: not a certificate in PEM form", certificate_file));
  }
  const bool loaded = SSL_CTX_use_PrivateKey_file(context.get(), key_file.c_str(), SSL_FILETYPE_PEM) == 1;
  const bool other = !loaded && ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH;
  // A key of another kind (RSA, elliptic curve) than the certificate's is loaded, and fails only this check.
  const bool fits = loaded && SSL_CTX_check_private_key(context.get()) == 1;
  ERR_clear_error();
  if (!loaded && !other)
    throw InputError(fmt::format("{}: not a private key in PEM form without a passphrase", key_file));
  if (!fits)
    throw InputError(fmt::format("{}: the key does not belong to the certificate {}", key_file, certificate_file));
  return context;
}

TlsContext make_client_tls_context(const std::string& authority_file) {
  TlsContext context(SSL_CTX_new(TLS_client_method()));
  if (!context) throw SystemError("OpenSSL cannot make a TLS context");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  if (authority_file.empty()) {
    if (SSL_CTX_set_default_verify_paths(context.get()) != 1) throw SystemError("the system has no certificates");
    return context;
  }
  open_file(authority_file, "certificate file");
  const bool loaded = SSL_CTX_load_verify_file(context.get(), authority_file.c_str()) == 1;
  ERR_clear_error();
  if (!loaded) throw InputError(fmt::format("{}: not a certificate in PEM form", authority_file));
  return context;
}

}  // namespace longrun
