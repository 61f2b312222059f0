#pragma once

#include <memory>
#include <string>

struct ssl_ctx_st;  // SSL_CTX of OpenSSL

namespace longrun {

struct TlsContextDelete {
  void operator()(ssl_ctx_st* context) const;
};
using TlsContext = std::unique_ptr<ssl_ctx_st, TlsContextDelete>;

/// Returns the settings of a server that speaks TLS 1.2 or newer, with a certificate (and those that sign it) and its
/// private key, both PEM. Throws InputError, which names the file, if one of them is missing, invalid or protected by a
/// passphrase, or if the key is not that of the certificate.
TlsContext make_tls_context(const std::string& certificate_file, const std::string& key_file);

/// Returns the settings of a client that accepts only certificates which an authority of the file (PEM) has signed; if
/// `authority_file` is empty, one that the system trusts. Throws InputError, which names the file.
TlsContext make_client_tls_context(const std::string& authority_file);

}  // namespace longrun
