#include "longrun/base/archive.h"

#include <fmt/format.h>

#include "longrun/base/input_error.h"

namespace longrun {

std::string_view Reader::take(std::size_t size) {
  if (size > left()) {
    throw InputError(
        fmt::format("saved state: the bytes end at byte {}; {} more are needed", bytes_.size(), size - left()));
  }
  const std::string_view bytes = bytes_.substr(position_, size);
  position_ += size;
  return bytes;
}

std::size_t Reader::read_size(std::size_t smallest) {
  const auto size = read<std::uint64_t>();
  if (size > left() / smallest) {
    throw InputError(
        fmt::format("saved state: {} elements do not fit into the {} bytes after byte {}", size, left(), position_));
  }
  return static_cast<std::size_t>(size);
}

bool Reader::read_boolean() {
  const auto byte = read<std::uint8_t>();
  if (byte > 1) {
    throw InputError(fmt::format("saved state: byte {} is {}; 0 or 1 is needed", position_ - 1, byte));
  }
  return byte == 1;
}

void Reader::check_hash(std::uint64_t expected) {
  if (read<std::uint64_t>() != expected) {
    throw InputError("saved state: wrong checksum; the bytes are damaged or were saved with another layout");
  }
}

void Reader::check_end() const {
  if (left() > 0) throw InputError(fmt::format("saved state: {} bytes follow its end", left()));
}

void Reader::refuse_value() const {
  throw InputError(
      fmt::format("saved state: byte {} begins a value that an object of this setting does not have", position_));
}

}  // namespace longrun
