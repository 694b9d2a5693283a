"""What building finds: annotations and options of tools. Documented here, found where tools are built."""
