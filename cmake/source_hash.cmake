# cmake -D SOURCES=DIR -D HEADER=FILE -P source_hash.cmake: writes a header with a hash of all sources that decide the
# results of runs. If the hash is the same, the header is not written, so that nothing is built again.
file(GLOB_RECURSE sources ${SOURCES}/base/*.h ${SOURCES}/base/*.cpp ${SOURCES}/model/*.h ${SOURCES}/model/*.cpp
     ${SOURCES}/solve/*.h ${SOURCES}/solve/*.cpp ${SOURCES}/policy/*.h ${SOURCES}/policy/*.cpp ${SOURCES}/decide/*.h
     ${SOURCES}/decide/*.cpp ${SOURCES}/simulate/*.h ${SOURCES}/simulate/*.cpp ${SOURCES}/data/*.h
     ${SOURCES}/data/*.cpp ${SOURCES}/sqlite/*.h ${SOURCES}/sqlite/*.cpp ${SOURCES}/experiment/*.h
     ${SOURCES}/experiment/*.cpp)
list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
list(SORT sources)
set(all "")
foreach(source IN LISTS sources)
  file(SHA256 ${source} hash)
  string(APPEND all ${hash})
endforeach()
string(SHA256 hash "${all}")
string(SUBSTRING ${hash} 0 12 hash)
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define LONGRUN_SOURCE_HASH \"${hash}\"\n")
