"""What is said of other people's servers: in tables and in files of editors; and with whose leave they are reached."""
