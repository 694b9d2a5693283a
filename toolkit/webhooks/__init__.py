"""Send approval questions to a webhook over HTTP, to be answered somewhere else, such as in a chat."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.webhooks.answers import answer_schema as answer_schema
    from toolkit.webhooks.payloads import review_schema as review_schema
    from toolkit.webhooks.reviewer import WebhookReviewer as WebhookReviewer
    from toolkit.webhooks.signatures import fault_of as fault_of, signed as signed
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "answers": "answer_schema",
            "payloads": "review_schema",
            "reviewer": "WebhookReviewer",
            "signatures": "fault_of signed",
        },
    )
