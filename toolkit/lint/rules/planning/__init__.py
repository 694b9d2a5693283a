"""What planning finds: everything that is wrong with a pipeline. Documented here, found where pipelines are planned."""
