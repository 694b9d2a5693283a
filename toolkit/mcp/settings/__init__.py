"""The settings of other people's servers: in tables and in files of editors; and the consent needed to reach them."""
