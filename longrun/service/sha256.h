#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace longrun {

/// The SHA-256 hash of bytes that are added one part after the other.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void add(std::string_view bytes);
  /// Returns the hash of all bytes, as 64 hexadecimal digits. Called once, after the last part.
  std::string text();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Returns the SHA-256 hash of the bytes, as 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace longrun
