"""What reading an agent's file finds in its states and locks. Documented here, found where agents are read."""
