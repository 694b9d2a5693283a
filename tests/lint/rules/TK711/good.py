from langchain_core.tools import StructuredTool


async def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city."""
    return f"sun in {city}"


weather = StructuredTool.from_function(coroutine=forecast)
both = StructuredTool.from_function(func=forecast, coroutine=forecast)
