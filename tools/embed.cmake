# Writes OUT: a C++ table of FILES (name, text), for what the binary carries.
set(body "")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  string(APPEND body "    {\"${name}\", R\"embedded(${text})embedded\"},\n")
endforeach()
file(WRITE ${OUT} "// Made by tools/embed.cmake.\n#include \"cli/demo_files.h\"\n\nnamespace assay {\n\nconst std::vector<DemoFile>& demo_files() {\n  static const std::vector<DemoFile> files = {\n${body}  };\n  return files;\n}\n\n}  // namespace assay\n")
