"""Whoever comes from another system finds every name of it that matters, and what we call it exists."""

import ast
import keyword
import re
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
EMBABEL = """
    AgentInvocation AgentProcess AgentProcessTools AgenticSystemPromptCreator AgenticTool ArtifactSink ArtifactSinkingTool
    AssetAddingTool AssetTracker AssistantMessage BlackboardEntryFormatter BlackboardSink BlackboardTools
    ChainedToolInjectionStrategy CommunicateTool CompositeSink ContextAwareFunction CoreToolGroups
    DefaultBlackboardEntryFormatter DelegatingTool DomainToolPredicate ExecutingOperationContext GOAP ImpromptuUser
    InputSchema JavaMethodTool KotlinMethodTool ListSink LlmOptions LlmReference LlmTool LoopMemo McpMeta McpSyncClient
    McpToolFactory McpToolGroup MessageOutputChannelEvent OneShotPerLoopTool OperationContext OutputChannel
    OutputChannelHighlightingEventListener PlaybookTool ProcessOptions ProgressOutputChannelEvent ProgressTool
    ProgressiveTool PromptRunner ReplanningTool SimpleAgenticTool SpringAiMcpToolFactory State StateMachineTool Subagent
    SupervisorInvocation ToolArtifactEvent ToolCallContext ToolCallContextMcpMetaConverter ToolChaining
    ToolControlFlowSignal ToolGroup ToolGroupPermission ToolGroupsConfiguration ToolInjectionStrategy
    ToolLoopLlmOperations ToolNotFoundException ToolObject ToolProvider ToolishRag TypedTool UnfoldingTool
    UnfoldingToolInjectionStrategy UnfoldingTools UserInput Utility WithArtifact Bean Configuration Component Value
    Agent Action toolByName requiredToolByName unfoldingByName unfoldingMatching unfolding unlockedBy unlockedByAll
    unlockedByAny unlockedByArtifact unlockedByBlackboard unlockedWhen withInitialState startingIn inState transitionsTo
    withGlobalTools withCaptureNestedArtifacts withToolChainingFrom withToolChainingFromAny withSystemPrompt withParameter
    withReference consuming sinkArtifacts publishToBlackboard replanAlways replanWhen replanAndAdd conditionalReplan
    withConfirmation withAwaiting byCategory selectable fromInstance fromToolObject removeOnInvoke createObject
    withNamingStrategy withPrefix withFilter addReturnedAssets addAnyReturnedAssets passThrough noOp allowKeys denyKeys
    safelyFromInstance withNote withUnfolding ofClass ofInstance byName budget LOOP_ID_KEY EMPTY
"""
LANGCHAIN4J = """
    Tool ReturnBehavior P ToolMemoryId ToolSpecification ToolParameters ToolSpecifications ToolExecutionRequest ToolExecutor
    ToolExecutionResultMessage ToolExecutionException ToolArgumentsException ChatModel OpenAiChatModel ChatRequest
    ChatResponse ChatMessage AiMessage SystemMessage UserMessage AiServices ObjectMapper TypeReference
"""
AGENTENSEMBLE = """
    AgentTool AbstractAgentTool LangChain4jToolAdapter ToolResult ToolResolver ToolResolution ValidationException
    ToolContext ExecutionContext requestApproval ReviewHandler ConsoleReviewHandler ReviewRequest ReviewDecision
    ExitEarlyException HumanInputTool CalculatorTool ToolPipeline PipelineStep PipelineErrorStrategy AgentExecutor
    AgentExecutionException TaskExecutionException
"""
PAGES = {
    "coming-from-embabel.md": EMBABEL.split(),
    "coming-from-langchain4j.md": [*LANGCHAIN4J.split(), *AGENTENSEMBLE.split()],
}
ROW = re.compile(r"^\| (.+?) \| (.+) \|$", re.MULTILINE)
CODE = re.compile(r"`([^`]+)`|<code>([^<]+)</code>")
NAME = re.compile(r"\b[A-Za-z_][A-Za-z0-9_]*")
MADE_UP = {
    "Annotated", "Document", "Enum", "MyTools", "NAME", "PROVIDER", "Report", "S", "T", "User", "UserProfile",
    "WorksToFind", "apiKey", "tenantId", "machine", "names_or_patterns", "wrapped",
}  # fmt: skip
"""Names of the examples, which are the reader's own."""


@cache
def names_in_code():
    """Return every name that the library and the command line define: modules, classes, functions, parameters, fields."""
    found = set()
    for path in [*(ROOT / "toolkit").rglob("*.py"), *(ROOT / "cli").rglob("*.py")]:
        found.add(path.stem)
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    found.add(name)
                case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                    found.add(name)
                case ast.Constant(value=str(text)) if text.isidentifier():
                    found.add(text)
                case _:
                    pass
    return found


def ours(page):
    """Return the names of ours in a page: those in code on the right of its tables, the links and commands left out."""
    rows = [right for left, right in ROW.findall(page.read_text("utf-8")) if set(left) - set("-: ") and left != "there"]
    spans = [first or second for right in rows for first, second in CODE.findall(right)]
    return {name for span in spans for name in NAME.findall(re.sub(r"\"[^\"]*\"|\{\"[^}]*\}|\.\w+:", "", span))}


@pytest.mark.parametrize("page", PAGES)
def test_every_name_of_the_other_system_is_mapped_or_said_to_be_left_out(page):
    text = "\n".join(left for left, _ in ROW.findall((ROOT / "docs" / page).read_text("utf-8")))
    assert [name for name in PAGES[page] if not re.search(rf"\b{name}\b", text)] == []


@pytest.mark.proof
@pytest.mark.parametrize("page", PAGES)
def test_every_name_of_ours_exists(page):
    known = names_in_code() | MADE_UP | set(dir(__builtins__)) | set(sys.stdlib_module_names) | set(keyword.kwlist)
    named = {name for name in ours(ROOT / "docs" / page) if len(name) > 2}
    assert len(named) > 40
    assert sorted(named - known) == []
