"""What a call receives and returns, as plain data: JSON, results, attachments, metrics and limits."""
