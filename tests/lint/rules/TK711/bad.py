from langchain_core.tools import StructuredTool, Tool


async def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city."""
    return f"sun in {city}"


weather = StructuredTool.from_function(forecast)
again = Tool(name="again", func=forecast, description="Forecast tomorrow's weather in a city.")
