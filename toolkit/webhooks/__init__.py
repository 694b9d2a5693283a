"""Send approval questions to a webhook over HTTP, to be answered somewhere else, such as in a chat."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.webhooks.webhook_messages import (
        answer_schema as answer_schema,
        fault_of as fault_of,
        review_schema as review_schema,
        signed as signed,
    )
    from toolkit.webhooks.webhook_reviewer import WebhookReviewer as WebhookReviewer
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "webhook_messages": "answer_schema fault_of review_schema signed",
            "webhook_reviewer": "WebhookReviewer",
        },
    )
