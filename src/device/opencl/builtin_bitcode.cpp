#include "device/opencl/builtin_bitcode.hpp"

#include <vector>

#include "device/library.hpp"

namespace penstock::opencl {
namespace {

// Handles of LLVM's C API (https://llvm.org/doxygen/group__LLVMC.html), which is stable.
using Handle = void*;
constexpr int vector_kind = 13, scalable_vector_kind = 17;  // LLVMTypeKind

struct Llvm {
  Handle (*create_context)() = nullptr;
  void (*dispose_context)(Handle) = nullptr;
  void (*set_diagnostics)(Handle, void (*)(Handle, void*), void*) = nullptr;
  int (*read_file)(const char*, Handle*, char**) = nullptr;
  int (*parse)(Handle context, Handle bytes, Handle* module) = nullptr;
  void (*dispose_bytes)(Handle) = nullptr;
  void (*dispose_module)(Handle) = nullptr;
  Handle (*first_function)(Handle module) = nullptr;
  Handle (*next_function)(Handle) = nullptr;
  Handle (*type_of)(Handle) = nullptr;
  Handle (*result_of)(Handle type) = nullptr;
  unsigned (*parameter_count)(Handle type) = nullptr;
  void (*parameters)(Handle type, Handle*) = nullptr;
  int (*kind)(Handle type) = nullptr;
  Handle (*first_use)(Handle) = nullptr;
  void (*remove)(Handle) = nullptr;
  int (*write)(Handle module, const char*) = nullptr;
};

Result<Llvm> bind_llvm(const std::string& path) {
  PENSTOCK_ASSIGN(const device::Library library, device::Library::open({path}));
  Llvm llvm;
  PENSTOCK_TRY(library.bind(llvm.create_context, "LLVMContextCreate"));
  PENSTOCK_TRY(library.bind(llvm.dispose_context, "LLVMContextDispose"));
  PENSTOCK_TRY(library.bind(llvm.set_diagnostics, "LLVMContextSetDiagnosticHandler"));
  PENSTOCK_TRY(library.bind(llvm.read_file, "LLVMCreateMemoryBufferWithContentsOfFile"));
  PENSTOCK_TRY(library.bind(llvm.parse, "LLVMParseBitcodeInContext2"));
  PENSTOCK_TRY(library.bind(llvm.dispose_bytes, "LLVMDisposeMemoryBuffer"));
  PENSTOCK_TRY(library.bind(llvm.dispose_module, "LLVMDisposeModule"));
  PENSTOCK_TRY(library.bind(llvm.first_function, "LLVMGetFirstFunction"));
  PENSTOCK_TRY(library.bind(llvm.next_function, "LLVMGetNextFunction"));
  PENSTOCK_TRY(library.bind(llvm.type_of, "LLVMGlobalGetValueType"));
  PENSTOCK_TRY(library.bind(llvm.result_of, "LLVMGetReturnType"));
  PENSTOCK_TRY(library.bind(llvm.parameter_count, "LLVMCountParamTypes"));
  PENSTOCK_TRY(library.bind(llvm.parameters, "LLVMGetParamTypes"));
  PENSTOCK_TRY(library.bind(llvm.kind, "LLVMGetTypeKind"));
  PENSTOCK_TRY(library.bind(llvm.first_use, "LLVMGetFirstUse"));
  PENSTOCK_TRY(library.bind(llvm.remove, "LLVMDeleteFunction"));
  PENSTOCK_TRY(library.bind(llvm.write, "LLVMWriteBitcodeToFile"));
  return llvm;
}

class Bitcode {
 public:
  explicit Bitcode(const Llvm& llvm) : llvm_(llvm), context_(llvm.create_context()) {
    llvm_.set_diagnostics(context_, [](Handle, void*) {}, nullptr);  // or LLVM ends the process
  }
  ~Bitcode() {
    if (module_) llvm_.dispose_module(module_);
    if (bytes_) llvm_.dispose_bytes(bytes_);
    llvm_.dispose_context(context_);
  }
  Bitcode(const Bitcode&) = delete;
  Bitcode& operator=(const Bitcode&) = delete;

  bool read(const std::string& path) {
    char* message = nullptr;  // lost: a path that LLVM cannot read is not worth one
    return llvm_.read_file(path.c_str(), &bytes_, &message) == 0 &&
           llvm_.parse(context_, bytes_, &module_) == 0;
  }
  // What only a removed function used may be removed next.
  void remove_vectors() {
    for (std::vector<Handle> unused = unused_vectors(); !unused.empty(); unused = unused_vectors())
      for (const Handle function : unused) llvm_.remove(function);
  }
  bool write(const std::string& path) const { return llvm_.write(module_, path.c_str()) == 0; }

 private:
  bool is_vector(Handle type) const {
    const int kind = llvm_.kind(type);
    return kind == vector_kind || kind == scalable_vector_kind;
  }
  bool has_vectors(Handle function) const {
    const Handle type = llvm_.type_of(function);
    std::vector<Handle> types(llvm_.parameter_count(type));
    llvm_.parameters(type, types.data());
    types.push_back(llvm_.result_of(type));
    for (const Handle one : types)
      if (is_vector(one)) return true;
    return false;
  }
  std::vector<Handle> unused_vectors() const {
    std::vector<Handle> unused;
    for (Handle function = llvm_.first_function(module_); function;
         function = llvm_.next_function(function))
      if (!llvm_.first_use(function) && has_vectors(function)) unused.push_back(function);
    return unused;
  }

  const Llvm& llvm_;
  Handle context_ = nullptr, bytes_ = nullptr, module_ = nullptr;
};

}  // namespace

Status copy_without_vectors(const std::string& llvm, const std::string& from,
                            const std::string& to) {
  PENSTOCK_ASSIGN(const Llvm functions, bind_llvm(llvm));
  Bitcode bitcode(functions);
  if (!bitcode.read(from)) return {Code::unsupported, "LLVM does not read '" + from + "'"};
  bitcode.remove_vectors();
  if (!bitcode.write(to)) return {Code::io, "LLVM does not write '" + to + "'"};
  return {};
}

}  // namespace penstock::opencl
