import os

from pydantic_settings import BaseSettings


class Settings(BaseSettings):
    api_key: str

    model_config = {"env_prefix": "WEATHER_"}


REGION = os.environ.get("WEATHER_REGION")
LANGUAGE = os.getenv("WEATHER_LANGUAGE", "en")
os.environ["WEATHER_STARTED"] = "1"
HOME = os.environ["HOME"]
