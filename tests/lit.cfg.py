# The tests that are text: every .mlir file with RUN lines under tests/golden (what is printed) and tests/invalid (what is
# refused, and with which message).
#   lit --param build=BUILD tests/golden tests/invalid
# tcc-attn is the build's; FileCheck, mlir-opt and the like are found in LLVM's own directory. %s is the file, %t a scratch
# file, %examples the directory of the examples, %reject tcc-attn where it must refuse its input. What only some processors
# run stands in %if avx2 %{ .. %}, or %if amx; what needs a limit on address space, in %if address-limit.
import os
import lit.formats

build = os.path.abspath(lit_config.params["build"])
llvm = lit_config.params.get("llvm", "/usr/lib/llvm-22/bin")

config.name = "text"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.excludes = ["ir"]  # inputs of test_text and check-mlir-opt
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
config.test_exec_root = os.path.join(build, "tests")
config.environment["PATH"] = os.pathsep.join([os.path.join(build, "tools"), llvm, os.environ["PATH"]])
config.environment["FILECHECK_OPTS"] = "--dump-input=fail"
# Sanitizer builds choose their behaviour through these.
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
if "ASAN_OPTIONS" not in os.environ:  # the sanitizer itself takes terabytes of address space
    config.available_features.add("address-limit")
try:
    with open("/proc/cpuinfo", encoding="utf-8") as processors:
        words = set(processors.read().split())
        config.available_features.update({"avx2"} & words)
        if {"amx_tile", "amx_bf16"} <= words:
            config.available_features.add("amx")
except OSError:
    pass
config.substitutions.append(("%examples", os.path.abspath(os.path.join(config.test_source_root, "..", "examples"))))
config.substitutions.append(("%reject", os.path.join(config.test_source_root, "reject") + " tcc-attn"))
