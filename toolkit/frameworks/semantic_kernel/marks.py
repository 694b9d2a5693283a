"""How source code defines tools with Semantic Kernel."""

from toolkit.tools.source_marks import Injected, Registration, SourceMarks, Terms

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
