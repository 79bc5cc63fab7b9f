"""APA: numbers as the Publication Manual of the American Psychological Association (7th edition) writes them.

A number that cannot exceed 1 has no zero before its point; p has three digits and is never 0 or 1.
"""

from __future__ import annotations

from strut.plumbing.number_text import format_count


def p_words(p_value: float) -> str:
    """Return 'p = .012', 'p < .001' or 'p > .999'."""
    if p_value < 0.001:
        return "p < .001"
    return "p > .999" if p_value > 0.999 else f"p = {share(p_value, 3)}"


def share(value: float, digits: int = 2) -> str:
    """Return a number that cannot exceed 1 without its leading zero: '.05', '-.30'."""
    text = f"{value:.{digits}f}"
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def t_words(t: float, dof: float) -> str:
    """Return 't(19) = 2.35'; degrees of freedom have two digits unless they are whole numbers."""
    return f"t({degrees(dof)}) = {t:.2f}"


def f_words(statistic: float, dof: tuple[float, ...]) -> str:
    """Return 'F(4, 75.20) = 3.11', or 'χ²(4) = 9.20' for one number of degrees of freedom."""
    inside = ", ".join(map(degrees, dof))
    return f"F({inside}) = {statistic:.2f}" if len(dof) > 1 else f"χ²({inside}) = {statistic:.2f}"


def degrees(dof: float) -> str:
    """Return degrees of freedom: whole numbers without digits, others with two."""
    return f"{dof:.0f}" if abs(dof - round(dof)) < 5e-3 else f"{dof:.2f}"


def interval(low: float, high: float, digits: int = 2) -> str:
    """Return '95% CI [0.10, 0.52]'."""
    return f"95% CI [{low:.{digits}f}, {high:.{digits}f}]"


def counted(count: int, noun: str) -> str:
    """Return '1 answer' or '3 answers'."""
    return format_count(count, f"[{noun}|{noun}s]")


def and_list(names: list[str]) -> str:
    """Return 'a', 'a and b' or 'a, b, and c'."""
    if len(names) < 3:
        return " and ".join(names)
    return f"{', '.join(names[:-1])}, and {names[-1]}"
