"""What building finds: signatures, annotations and options of tools. Documented here, found where tools are built."""
