"""Models: the protocols of models and of streaming models, and the models that are included."""
