import os
from os import environ

KEY = os.environ["WEATHER_KEY"]
REGION = environ.get("WEATHER_REGION")
UNITS = os.getenv("WEATHER_UNITS")
LANGUAGE = os.getenv("WEATHER_LANGUAGE", "en")
HOME = os.environ["HOME"]
