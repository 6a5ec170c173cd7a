"""Compiling functions called only by compiled code, which exist only in their callers.

numba optimizes a function together with everything it calls, generates machine code, and does both
again for each of its callers. Code that Python never calls needs neither on its own. Here it stays
as numba's front end wrote it, until it is optimized as part of a function that Python calls.
"""

from typing import Any

from llvmlite import binding as llvm
from numba.core import codegen, compiler, compiler_machinery, typed_passes

KIND = "callee"  # of code in the cache, beside numba's own kinds "object" and "bitcode"


class CalleeCode(codegen.JITCodeLibrary):
    """LLVM code that is linked into its callers and has no machine code of its own."""

    def _optimize_final_module(self) -> None:
        """Do nothing, since the code is optimized as part of its callers."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def serialize_using_object_code(self) -> Any:
        """Return the code in the format of the cache."""
        return self.name, KIND, self._get_module_for_linking().as_bitcode()


class _NoMachineCode:
    """Placeholder for the callable function that numba would store, used to find the code."""


@compiler_machinery.register_pass(mutates_CFG=True, analysis_only=False)
class _CalleeLowering(typed_passes.NativeLowering):
    """Lowering pass that makes the code of a function available to its callers."""

    _name = "callee_lowering"

    def run_pass(self, state: Any) -> bool:
        """Run the pass.

        Raises:
            NotImplementedError: if the function uses Python's objects.
        """
        state.library = CalleeCode(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        if state.cr.env.consts:
            raise NotImplementedError(f"{state.func_id.func_name} needs Python objects")
        state.library.finalize()
        state.cr = state.cr._replace(cfunc=_NoMachineCode())
        state.targetctx.insert_user_function(state.cr.cfunc, state.cr.fndesc, [state.library])
        return True


class CalleeCompiler(compiler.CompilerBase):
    """Numba's compiler with a different lowering pass."""

    def define_pipelines(self) -> list[Any]:
        """Return numba's pass managers, in order."""
        passes = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state).passes
        changed = compiler_machinery.PassManager("callee")
        for each, description in passes:
            lowers = each is typed_passes.NativeLowering
            changed.add_pass(_CalleeLowering if lowers else each, description)
        changed.finalize()
        return [changed]


def from_cache(target: Any, payload: Any) -> Any:
    """Return the function stored as `CalleeCode`, or None for any other payload."""
    (name, kind, bitcode), description, environment, signature, *_ = payload
    if kind != KIND:
        return None
    code = CalleeCode(target.codegen(), name)
    code._final_module = llvm.parse_bitcode(bitcode)
    code._finalize_final_module()
    return compiler.compile_result(
        target_context=target,
        typing_context=target.typing_context,
        library=code,
        environment=environment,
        entry_point=_NoMachineCode(),
        fndesc=description,
        signature=signature,
        objectmode=False,
        lifted=(),
    )
