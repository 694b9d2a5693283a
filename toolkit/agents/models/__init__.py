"""Models: what answers in a conversation. One protocol of one method, a second one to stream, and the ready models."""
