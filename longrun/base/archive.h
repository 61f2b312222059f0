#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace longrun {

// Objects as bytes. A class whose state is saved names its fields once; they are written and read in this order:
//
//   template <class Visit>
//   decltype(auto) visit_fields(Visit&& visit) { return visit(count_, means_); }
//
// It returns the visitor's result, so that the fields' types are known without an object. Fields are numbers,
// booleans, enumerations, strings, vectors, arrays, optionals and classes with visit_fields. A class may leave out what
// its constructor derives from its arguments: an object is read into one that was made with the same arguments. It may
// define `void after_load()`, which is called after its fields were read and recomputes what depends on them.

namespace archive_detail {

template <class... Types>
struct TypeList {};
struct ListTypes {
  template <class... Fields>
  TypeList<Fields...> operator()(Fields&...) const {
    return {};
  }
};
template <class T>
using FieldTypes = decltype(std::declval<T&>().visit_fields(ListTypes{}));

template <class T>
inline constexpr bool kIsVector = false;
template <class T>
inline constexpr bool kIsVector<std::vector<T>> = true;
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsArray = false;
template <class T, std::size_t size>
inline constexpr bool kIsArray<std::array<T, size>> = true;

/// Returns the hash of `bytes` after those that `hash` is the hash of (FNV-1a).
constexpr std::uint64_t hash_of(std::string_view bytes, std::uint64_t hash = 0xcbf29ce484222325) {
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash;
}
constexpr std::uint64_t hash_of(std::uint64_t number, std::uint64_t hash) {
  for (int shift = 0; shift < 64; shift += 8) hash = (hash ^ ((number >> shift) & 0xff)) * 0x100000001b3;
  return hash;
}

template <class T>
struct Layout;  // of T, recursively: `kSmallest`, the fewest bytes that an object takes, and `hash_after(hash)`

template <class T>
requires std::is_arithmetic_v<T>
struct Layout<T> {
  static_assert(sizeof(T) <= 8, "a type whose width depends on the machine");
  static constexpr std::size_t kSmallest = sizeof(T);
  static constexpr std::uint64_t hash_after(std::uint64_t hash) {
    const auto* const kind = std::is_same_v<T, bool>       ? "boolean"
                             : std::is_floating_point_v<T> ? "floating"
                             : std::is_signed_v<T>         ? "signed"
                                                           : "unsigned";
    return hash_of(sizeof(T), hash_of(kind, hash));
  }
};
template <class T>
requires std::is_enum_v<T>
struct Layout<T> : Layout<std::underlying_type_t<T>> {
};
template <>
struct Layout<std::string> {
  static constexpr std::size_t kSmallest = sizeof(std::uint64_t);
  static constexpr std::uint64_t hash_after(std::uint64_t hash) { return hash_of("string", hash); }
};
template <class T>
struct Layout<std::vector<T>> {
  static constexpr std::size_t kSmallest = sizeof(std::uint64_t);
  static constexpr std::uint64_t hash_after(std::uint64_t hash) {
    return Layout<T>::hash_after(hash_of("vector", hash));
  }
};
template <class T>
struct Layout<std::optional<T>> {
  static constexpr std::size_t kSmallest = 1;
  static constexpr std::uint64_t hash_after(std::uint64_t hash) {
    return Layout<T>::hash_after(hash_of("optional", hash));
  }
};
template <class T, std::size_t size>
struct Layout<std::array<T, size>> {
  static constexpr std::size_t kSmallest = size * Layout<T>::kSmallest;
  static constexpr std::uint64_t hash_after(std::uint64_t hash) {
    return Layout<T>::hash_after(hash_of(size, hash_of("array", hash)));
  }
};
template <class... Fields>
struct Layout<TypeList<Fields...>> {
  static_assert(sizeof...(Fields) > 0, "a class without state");
  static constexpr std::size_t kSmallest = (Layout<Fields>::kSmallest + ...);
  static constexpr std::uint64_t hash_after(std::uint64_t hash) {
    hash = hash_of(sizeof...(Fields), hash_of("class", hash));
    ((hash = Layout<Fields>::hash_after(hash)), ...);
    return hash;
  }
};
template <class T>
requires requires { typename FieldTypes<T>; }
struct Layout<T> : Layout<FieldTypes<T>> {};

}  // namespace archive_detail

/// Returns a hash of the types that T::visit_fields names, recursively, in their order. It does not depend on names, so
/// it does not notice two fields of one type that change places.
template <class T>
constexpr std::uint64_t layout_hash() {
  return archive_detail::Layout<T>::hash_after(archive_detail::hash_of("layout"));
}

/// A writer of objects as bytes: numbers with a fixed width, little endian, the size of a vector before its elements.
class Writer {
 public:
  template <class T>
  void write(const T& value) {
    if constexpr (std::is_arithmetic_v<T>) {
      auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(value);
      if constexpr (std::endian::native == std::endian::big) std::reverse(bytes.begin(), bytes.end());
      bytes_.append(bytes.data(), bytes.size());
    } else if constexpr (std::is_enum_v<T>) {
      write(static_cast<std::underlying_type_t<T>>(value));
    } else if constexpr (std::is_same_v<T, std::string>) {
      write(std::uint64_t{value.size()});
      bytes_ += value;
    } else if constexpr (archive_detail::kIsVector<T>) {
      write(std::uint64_t{value.size()});
      for (const auto& element : value) write(element);
    } else if constexpr (archive_detail::kIsArray<T>) {
      for (const auto& element : value) write(element);
    } else if constexpr (archive_detail::kIsOptional<T>) {
      write(value.has_value());
      if (value) write(*value);
    } else {
      // visit_fields is not const, because the reader uses it too. Nothing is changed through these references.
      const_cast<T&>(value).visit_fields([this](const auto&... fields) { (this->write(fields), ...); });
    }
  }

  /// Writes an object, then a checksum of its bytes and of its layout.
  template <class T>
  void write_checked(const T& object) {
    const std::size_t begin = bytes_.size();
    write(object);
    write(archive_detail::hash_of(std::string_view(bytes_).substr(begin), layout_hash<T>()));
  }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// A reader of objects from the bytes of a Writer. Its functions throw InputError for bytes that end too early, for a
/// number of elements that does not fit into the rest of the bytes, and for a boolean that is neither 0 nor 1. Memory
/// is in proportion to the bytes, even if they are damaged. An object whose reading has failed may only be destroyed or
/// assigned to.
class Reader {
 public:
  /// `bytes` must outlive the reader.
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  void read(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = read_boolean();
    } else if constexpr (std::is_arithmetic_v<T>) {
      std::array<char, sizeof(T)> bytes{};
      take(sizeof(T)).copy(bytes.data(), sizeof(T));
      if constexpr (std::endian::native == std::endian::big) std::reverse(bytes.begin(), bytes.end());
      value = std::bit_cast<T>(bytes);
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(read<std::underlying_type_t<T>>());
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = take(read_size(1));
    } else if constexpr (archive_detail::kIsVector<T>) {
      const std::size_t size = read_size(archive_detail::Layout<typename T::value_type>::kSmallest);
      value.clear();
      value.resize(size);
      for (auto& element : value) read(element);
    } else if constexpr (archive_detail::kIsArray<T>) {
      for (auto& element : value) read(element);
    } else if constexpr (archive_detail::kIsOptional<T>) {
      read_optional(value);
    } else {
      value.visit_fields([this](auto&... fields) { (this->read(fields), ...); });
      if constexpr (requires { value.after_load(); }) value.after_load();
    }
  }
  template <class T>
  T read() {
    T value{};
    read(value);
    return value;
  }

  /// Reads what Writer::write_checked() wrote. Throws InputError if the checksum is not that of the bytes and the
  /// layout.
  template <class T>
  void read_checked(T& object) {
    const std::size_t begin = position_;
    read(object);
    check_hash(archive_detail::hash_of(bytes_.substr(begin, position_ - begin), layout_hash<T>()));
  }

  /// Returns the number of bytes that have not been read.
  std::size_t left() const { return bytes_.size() - position_; }
  /// Throws InputError unless all bytes have been read.
  void check_end() const;

 private:
  /// Returns the next `size` bytes.
  std::string_view take(std::size_t size);
  /// Reads a number of elements, each of which takes at least `smallest` bytes.
  std::size_t read_size(std::size_t smallest);
  bool read_boolean();
  void check_hash(std::uint64_t expected);
  [[noreturn]] void refuse_value() const;

  /// Reads an optional. If its type has no default constructor, a value is read into the one that it has already;
  /// throws InputError if it has none.
  template <class T>
  void read_optional(std::optional<T>& value) {
    if (!read_boolean()) return value.reset();
    if constexpr (std::is_default_constructible_v<T>) {
      value.emplace();
    } else if (!value) {
      refuse_value();
    }
    read(*value);
  }

  std::string_view bytes_;
  std::size_t position_ = 0;  // in bytes_, at most its size
};

}  // namespace longrun
