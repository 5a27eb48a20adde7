#include "session/functions/host_call.hpp"

#include <array>
#include <bit>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "expr/emit.hpp"
#include "expr/operation.hpp"
#include "kernel/kernel_source.hpp"

namespace penstock::session {
namespace {

constexpr std::size_t words_of_value = 2;  // of 64 bits; a value of up to 64 has the first

std::string word(const std::string& buffer, std::size_t index) {
  return buffer + "[" + std::to_string(index) + "]";
}

std::string declare_input(Type type, std::size_t i) {
  const std::string low = word("inputs", i * words_of_value),
                    high = word("inputs", i * words_of_value + 1),
                    name = std::string("v").append(std::to_string(i));
  const std::string kernel = kernel_type(type);
  if (expr::is_wide(type))
    return "  I128 " + name + "; " + name + ".low = " + low + "; " + name + ".high = (i64)" + high +
           ";\n";
  const std::string value = type.kind == Kind::float32   ? "F32_OF_BITS((u32)" + low + ")"
                            : type.kind == Kind::float64 ? "F64_OF_BITS(" + low + ")"
                                                         : "(" + kernel + ")" + low;
  return "  const " + kernel + " " + name + " = " + value + ";\n";
}

std::string store_result(Type type) {
  if (expr::is_wide(type)) return "  result[0] = made.low; result[1] = (u64)made.high;\n";
  const std::string value = type.kind == Kind::float32   ? "(u64)BITS_F32(made)"
                            : type.kind == Kind::float64 ? "BITS_F64(made)"
                            : type.kind == Kind::boolean ? "(u64)(made != 0u)"
                                                         : "(u64)made";
  return "  result[0] = " + value + ";\n  result[1] = 0;\n";
}

std::string source_of(const CustomFunction& function) {
  std::string parameters, inputs, arguments;
  for (std::size_t i = 0; i < function.parameter_types.size(); i++) {
    const std::string comma = i == 0 ? "" : ", ";
    parameters +=
        comma + kernel_type(function.parameter_types[i]) + " " + function.parameter_names[i];
    inputs += declare_input(function.parameter_types[i], i);
    arguments += comma + std::string("v").append(std::to_string(i));
  }
  const std::string result = kernel_type(function.result_type);
  return "FUNCTION " + result + " custom_" + function.name + "(" + parameters + ")\n{\n  " +
         function.body + "\n}\ntypedef struct { u32 none; } NoTile;\n" +
         "KERNEL(call_custom, NoTile, IN(u64, inputs), OUT(u64, result))\n{\n" + inputs +
         "  const " + result + " made = custom_" + function.name + "(" + arguments + ");\n" +
         store_result(function.result_type) + "  (void)inputs; (void)work; (void)tile;\n}\n";
}

// A name that no compiler knew is missed by the linker.
Status as_compile_error(const Status& status) {
  const bool is_unknown = status.message().find("undefined symbol") != std::string::npos;
  return is_unknown ? Status(Code::compile, status.message()) : status;
}

class CompiledBody {
 public:
  static Result<std::shared_ptr<CompiledBody>> make(const CustomFunction& function,
                                                    std::shared_ptr<Device> device) {
    auto made = std::make_shared<CompiledBody>();
    made->device_ = std::move(device);
    made->result_type_ = function.result_type;
    made->words_.resize(function.parameter_types.size() * words_of_value);
    const kernel::SourcePart part{function.name + ".kc", source_of(function)};
    ProgramSource source;
    source.text = kernel::assemble(made->device_->traits().target, std::array{part});
    source.label = "the function " + function.name;
    const Result<std::shared_ptr<Program>> program = made->device_->build(source);
    if (!program.ok()) return as_compile_error(program.status());
    made->program_ = *program;
    PENSTOCK_ASSIGN(made->queue_, made->device_->queue());
    PENSTOCK_ASSIGN(made->inputs_, made->device_->allocate((made->words_.size() + 1) * 8));
    PENSTOCK_ASSIGN(made->result_, made->device_->allocate(words_of_value * 8));
    return made;
  }

  Scalar call(std::span<const Scalar> inputs) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < inputs.size(); i++) {
      const Int128 bits = bits_of(inputs[i]);
      words_[i * words_of_value] = static_cast<std::uint64_t>(bits);
      words_[i * words_of_value + 1] = static_cast<std::uint64_t>(bits >> 64);
    }
    std::array<std::uint64_t, words_of_value> made{};
    const Status status = run(made);
    if (!status.ok()) throw std::runtime_error(status.text());
    return scalar_of(made);
  }

 private:
  static Int128 bits_of(const Scalar& value) {
    if (value.type.kind == Kind::float32)
      return std::bit_cast<std::uint32_t>(static_cast<float>(value.real));
    if (value.type.kind == Kind::float64) return std::bit_cast<std::uint64_t>(value.real);
    return value.integer;
  }
  Status run(std::array<std::uint64_t, words_of_value>& made) {
    PENSTOCK_TRY(queue_->upload(*inputs_, words_.data(), words_.size() * 8));
    const std::array arguments{Argument::of(*inputs_), Argument::of(*result_)};
    PENSTOCK_TRY(queue_->launch(*program_, "call_custom", 1, arguments));
    PENSTOCK_TRY(queue_->download(made.data(), *result_, sizeof made));
    return queue_->finish();
  }
  Scalar scalar_of(const std::array<std::uint64_t, words_of_value>& made) const {
    const Type type = result_type_;
    if (type.kind == Kind::float32)
      return Scalar::of(type, double{std::bit_cast<float>(static_cast<std::uint32_t>(made[0]))});
    if (type.kind == Kind::float64) return Scalar::of(type, std::bit_cast<double>(made[0]));
    if (expr::is_wide(type))
      return Scalar::of(type, static_cast<Int128>(made[1]) << 64 | Int128{made[0]});
    const bool is_unsigned = is_integer(type) && !is_signed(type);
    return Scalar::of(type,
                      is_unsigned ? Int128{made[0]} : Int128{static_cast<std::int64_t>(made[0])});
  }

  std::mutex mutex_;
  Type result_type_;
  std::vector<std::uint64_t> words_;
  std::shared_ptr<Device> device_;
  std::shared_ptr<Program> program_;
  std::shared_ptr<Buffer> inputs_, result_;
  std::unique_ptr<Queue> queue_;  // the last: it waits for its work
};

}  // namespace

Result<HostCall> host_call(const CustomFunction& function, const DeviceOpener& open_device) {
  Result<std::shared_ptr<Device>> device = penstock::open_device("cpu:0");
  if (!device.ok()) device = open_device();
  PENSTOCK_TRY(device);
  PENSTOCK_ASSIGN(const std::shared_ptr<CompiledBody> body, CompiledBody::make(function, *device));
  return HostCall([body](std::span<const Scalar> inputs) { return body->call(inputs); });
}

}  // namespace penstock::session
