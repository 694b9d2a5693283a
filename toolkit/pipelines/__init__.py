"""Chains of tools that run without a model in between, written in YAML or in Python."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.pipelines.builder import PipelineBuilder as PipelineBuilder
    from toolkit.pipelines.charts import mermaid_of as mermaid_of
    from toolkit.pipelines.loading import read_pipeline as read_pipeline
    from toolkit.pipelines.outline import PipelineOutline as PipelineOutline, outline_of as outline_of
    from toolkit.pipelines.pipeline_format import pipeline_schema as pipeline_schema
    from toolkit.pipelines.step_definitions import Retry as Retry
    from toolkit.pipelines.tainting import taints_of as taints_of
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "builder": "PipelineBuilder",
            "charts": "mermaid_of",
            "pipeline_format": "pipeline_schema",
            "loading": "read_pipeline",
            "outline": "outline_of PipelineOutline",
            "step_definitions": "Retry",
            "tainting": "taints_of",
        },
    )
