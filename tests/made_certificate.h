#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cstdio>
#include <memory>
#include <string>

#include "tests/scratch.h"

namespace longrun {

/// The files of a certificate and its key.
struct CertificateFiles {
  std::string certificate;
  std::string key;
};

/// Returns a new self-signed certificate for "localhost", whose key is of this kind ("EC" or "RSA"), as files in the
/// scratch folder. If `passphrase` is not empty, the key is protected by it.
inline CertificateFiles made_certificate(const std::string& name, const std::string& kind = "EC",
                                         const std::string& passphrase = "") {
  const std::shared_ptr<EVP_PKEY> key(kind == "EC" ? EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256")
                                                   : EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", std::size_t{2048}),
                                      EVP_PKEY_free);
  const std::shared_ptr<X509> certificate(X509_new(), X509_free);
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_NAME* const subject = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("localhost"), -1, -1,
                             0);
  X509_set_issuer_name(certificate.get(), subject);
  X509_set_pubkey(certificate.get(), key.get());
  X509_sign(certificate.get(), key.get(), EVP_sha256());

  CertificateFiles files{written(name + "_certificate.pem", ""), written(name + "_key.pem", "")};
  const auto write = [](const std::string& path, auto print) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "w"), std::fclose);
    print(file.get());
  };
  write(files.certificate, [&](std::FILE* file) { PEM_write_X509(file, certificate.get()); });
  write(files.key, [&](std::FILE* file) {
    const EVP_CIPHER* const cipher = passphrase.empty() ? nullptr : EVP_aes_256_cbc();
    PEM_write_PrivateKey(file, key.get(), cipher, reinterpret_cast<const unsigned char*>(passphrase.data()),
                         static_cast<int>(passphrase.size()), nullptr, nullptr);
  });
  return files;
}

}  // namespace longrun
