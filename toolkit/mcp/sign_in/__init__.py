"""Signs in to servers over HTTP with the SDK's OAuth client, and keeps what was granted."""
