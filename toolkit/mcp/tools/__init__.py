"""The tools of other people's servers, as Tools of ours: what they are, how they are called, what they answer."""
