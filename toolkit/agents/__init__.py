"""Agents: models that call tools in a loop until they answer or reach a limit."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.agents.agent import AgentTool as AgentTool, run_agent as run_agent
    from toolkit.agents.agent_outlines import AgentOutline as AgentOutline, outline_of as outline_of
    from toolkit.agents.files.agent_keys import agent_schema as agent_schema
    from toolkit.agents.files.agent_loading import read_agent as read_agent
    from toolkit.agents.introspection import (
        AgentProcessTools as AgentProcessTools,
        BlackboardTools as BlackboardTools,
        communicate as communicate,
        progress as progress,
    )
    from toolkit.agents.kinds import (
        AgentKind as AgentKind,
        FinishedCall as FinishedCall,
        LoopHistory as LoopHistory,
        Playbook as Playbook,
        StateMachine as StateMachine,
        after as after,
        after_any as after_any,
        all_of as all_of,
        any_of as any_of,
        known as known,
        produced as produced,
        when as when,
    )
    from toolkit.agents.loop import AgentError as AgentError, Limits as Limits
    from toolkit.agents.models.messages import (
        Message as Message,
        Model as Model,
        ModelError as ModelError,
        ModelReply as ModelReply,
        StreamingModel as StreamingModel,
        SystemMessage as SystemMessage,
        ToolMessage as ToolMessage,
        Usage as Usage,
        UserMessage as UserMessage,
        streamed as streamed,
    )
    from toolkit.agents.models.named_models import Price as Price, PricedModel as PricedModel, open_model as open_model
    from toolkit.agents.models.scripted import ScriptedModel as ScriptedModel, Turn as Turn
    from toolkit.agents.offered_tools import (
        Table as Table,
        chaining_from as chaining_from,
        chaining_from_any as chaining_from_any,
    )
    from toolkit.agents.references import Reference as Reference
    from toolkit.agents.subagents import Subagent as Subagent
    from toolkit.agents.tasks import AgentResult as AgentResult
    from toolkit.agents.transcripts import Transcript as Transcript
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "agent": "AgentTool run_agent",
            "agent_outlines": "AgentOutline outline_of",
            "files.agent_keys": "agent_schema",
            "files.agent_loading": "read_agent",
            "introspection": "AgentProcessTools BlackboardTools communicate progress",
            "kinds": (
                "after after_any AgentKind all_of any_of FinishedCall known LoopHistory Playbook produced "
                "StateMachine when"
            ),
            "loop": "AgentError Limits",
            "models.messages": (
                "Message Model ModelError ModelReply streamed StreamingModel SystemMessage ToolMessage Usage "
                "UserMessage"
            ),
            "models.named_models": "open_model Price PricedModel",
            "models.scripted": "ScriptedModel Turn",
            "offered_tools": "chaining_from chaining_from_any Table",
            "references": "Reference",
            "subagents": "Subagent",
            "tasks": "AgentResult",
            "transcripts": "Transcript",
        },
    )
