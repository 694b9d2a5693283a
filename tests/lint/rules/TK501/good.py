"""Characters that writing needs."""

from toolkit import tool


@tool
def family(name: str) -> str:
    """Greet a family 👨‍👩‍👧 with a heart ❤️, ℹ️, ‼️, ⁉️, 〰️ and 〽️; نمی‌خواهم and क्‍ष are words, « été » and 東京 too.

    Args:
        name: The name, such as `Müller` or `Иванов`.
    """
    return name


@tool
def numbers(names: list[str]) -> str:
    """Number some names, up to 9️⃣.

    Args:
        names: The names.
    """
    return "".join(f"{number}️⃣ {name}" for number, name in enumerate(names))
