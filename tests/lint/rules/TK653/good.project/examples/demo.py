import os

CITY = os.environ["DEMO_CITY"]
