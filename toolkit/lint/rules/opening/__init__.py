"""What opening finds: targets, modules and settings. Documented here, found where files are opened."""
