"""Semantic Kernel: functions, plugins and kernels; see `semantic_kernel/functions` of semantic-kernel 1.45."""

import sys
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from typing import Any

from toolkit.frameworks.foreign_tools import ForeignTool
from toolkit.frameworks.recognised import ForeignClass, Versions
from toolkit.running import in_thread, run_in_loop
from toolkit.tools.calls.foreign_values import bases_of_class, kind_of
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.definition_places import place_of
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.foreign.frameworks import framework_of_mark
from toolkit.tools.foreign.source_marks import Injected, Registration, SourceMarks, Terms

MARKS = SourceMarks(
    title="Semantic Kernel",
    packages=("semantic_kernel",),
    classes=("semantic_kernel.*KernelFunction*",),
    registrations=(
        Registration(("semantic_kernel.functions.*kernel_function",), name=("name", 1), description=("description", 2)),
    ),
    injected=Injected(
        types=("semantic_kernel.*Kernel", "semantic_kernel.*KernelArguments", "semantic_kernel.*ChatHistory"),
        names=("kernel", "service", "execution_settings", "arguments"),
    ),
    reads_docstrings=False,
    terms=Terms(parameter="Annotated[…, '…']"),
)


VERSIONS = Versions("semantic-kernel", (1, 2))
"""1.1 lacks `function_calling_utils`, which returns what models receive."""

_FROM_METHODS = "semantic_kernel.functions.kernel_function_from_method"
_FORMATS = "semantic_kernel.connectors.ai.function_calling_utils"
"""A module of Semantic Kernel: installed if there is a function, but not imported before the first model request."""


def tools_of_function(function: Any) -> Iterator[ForeignTool]:
    """Yield the Tool of a `KernelFunction`."""
    sent = import_module(_FORMATS).kernel_function_metadata_to_function_call_format(function.metadata)["function"]
    method = getattr(function, "method", None)
    method = getattr(method, "__func__", method)
    spec = ToolSpec(
        sent["name"],
        sent["description"],
        sent["parameters"],
        location=place_of(method) if method is not None else None,
    )
    yield ForeignTool(spec, partial(_invoke, function), framework="semantic_kernel", thing=function, function=method)


def tools_of_method(method: Any) -> Iterator[ForeignTool]:
    """Yield the Tool of a function marked with `@kernel_function`."""
    yield from tools_of_function(import_module(_FROM_METHODS).KernelFunctionFromMethod(method))


def tools_of_holder(holder: Any) -> Iterator[ForeignTool]:
    """Yield the Tools of an object with marked methods; it has no plugin name until a kernel adds it."""
    members = {name: member for base in bases_of_class(type(holder))[::-1] for name, member in vars(base).items()}
    for name, member in members.items():
        if framework_of_mark(member) is not None:
            yield from tools_of_method(getattr(holder, name))


async def _invoke(function: Any, arguments: dict[str, Any], _context: ToolContext) -> Any:
    """Call a function with a new kernel; a plain function runs in a thread, since it would block the loop."""
    theirs = sys.modules
    kernel = theirs["semantic_kernel.kernel"].Kernel()
    given = theirs["semantic_kernel.functions.kernel_arguments"].KernelArguments(**arguments)
    try:
        if function.metadata.is_asynchronous:
            result = await function.invoke(kernel, given)
        else:
            result = await in_thread(lambda: run_in_loop(function.invoke(kernel, given)))
    except Exception as error:
        if kind_of(error) in _WRAPPERS and error.__cause__ is not None:
            raise error.__cause__ from None
        raise
    return None if result is None else result.value


_WRAPPERS = ("FunctionExecutionException", "KernelInvokeException")

_PLUGIN = ForeignClass.holding(lambda plugin: plugin.functions.values(), tools_of_function)
CLASSES = {
    "semantic_kernel.functions.kernel_function.KernelFunction": ForeignClass(tools_of_function),
    "semantic_kernel.functions.kernel_plugin.KernelPlugin": _PLUGIN,
    "semantic_kernel.kernel.Kernel": ForeignClass.holding(lambda kernel: kernel.plugins.values(), _PLUGIN.tools_of),
}
HOLDERS = ForeignClass(tools_of_holder)
MARKED = ForeignClass(tools_of_method)
