"""Send approval questions to a webhook over HTTP, to be answered somewhere else, such as in a chat."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.webhooks.answers import (
        answer_schema as answer_schema,
        fault_of as fault_of,
        review_schema as review_schema,
        signed as signed,
    )
    from toolkit.webhooks.reviewer import WebhookReviewer as WebhookReviewer
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "answers": "answer_schema fault_of review_schema signed",
            "reviewer": "WebhookReviewer",
        },
    )
