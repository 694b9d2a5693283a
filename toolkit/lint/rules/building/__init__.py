"""What building finds: annotations of tools. Documented here, found where tools are built."""
