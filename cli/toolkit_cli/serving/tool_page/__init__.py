"""The page of `toolkit ui`: tools to look at and to call, with their findings, pipelines and approval questions."""
