"""Models: what answers in a conversation. One protocol of one method, and the ready models."""
