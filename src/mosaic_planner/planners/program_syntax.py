"""What SmartLLM's programs may be made of; `program` runs what passes here.

The text comes from a language model and is untrusted. It is parsed into a syntax tree, and every
node must be on the list below: no imports, attributes, subscripts, comprehensions, lambdas,
keyword arguments, decorators, and nothing too long, too deep or too large.
"""

from __future__ import annotations

import ast
import warnings

__all__ = ["MAX_LIST", "MAX_NUMBER", "MAX_TEXT", "ProgramError", "parse_program", "refusal"]

MAX_SOURCE = 12_000  # characters
MAX_DEPTH = 60  # nesting of brackets, and of the syntax tree
MAX_TEXT = 400  # characters of one text
MAX_LIST = 200
MAX_NUMBER = 1_000_000


class ProgramError(Exception):
    """Why a program was not accepted or had to stop; the text is for the model."""


_STATEMENTS = (
    ast.Expr, ast.Assign, ast.AugAssign, ast.For, ast.While, ast.If, ast.With, ast.FunctionDef,
    ast.Pass, ast.Break, ast.Continue, ast.Return,
)  # fmt: skip
_EXPRESSIONS = (
    ast.Call, ast.Name, ast.Constant, ast.List, ast.Tuple, ast.Compare, ast.BoolOp, ast.UnaryOp,
    ast.BinOp,
)  # fmt: skip
_REST = (
    ast.Module, ast.Load, ast.Store, ast.And, ast.Or, ast.Not, ast.USub, ast.Add, ast.Sub, ast.Eq,
    ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn, ast.Is, ast.IsNot,
    ast.arguments, ast.arg, ast.withitem,
)  # fmt: skip
_ALLOWED = _STATEMENTS + _EXPRESSIONS + _REST


def refusal(node: ast.AST, what: str) -> ProgramError:
    """The reason with the line it concerns."""
    line = getattr(node, "lineno", 0)
    return ProgramError(f"line {line}: {what}" if line else what)


def _bracket_depth(source: str) -> int:
    depth = deepest = 0
    for character in source:
        if character in "([{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in ")]}":
            depth -= 1
    return deepest


def parse_program(source: str) -> ast.Module:
    """The checked syntax tree; raises `ProgramError` with what is not allowed and where."""
    source = _unfenced(source)
    if len(source) > MAX_SOURCE:
        raise ProgramError(f"the program is longer than {MAX_SOURCE} characters")
    if not source.strip():
        raise ProgramError("the program is empty")
    if _bracket_depth(source) > MAX_DEPTH or "not " * MAX_DEPTH in source:
        raise ProgramError("the program is nested too deeply")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        where = f"line {line}: " if line else ""
        message = getattr(error, "msg", None) or "it is too large or too deep"
        raise ProgramError(f"{where}this is not a program: {message}") from None
    _check(tree)
    return tree


def _unfenced(source: str) -> str:
    text = source.strip()
    if text.startswith("```"):
        text = text.partition("\n")[2]
        text = text.rpartition("```")[0] or text
    return text


def _check(tree: ast.Module) -> None:
    todo: list[tuple[ast.AST, int]] = [(tree, 0)]
    while todo:
        node, depth = todo.pop()
        if not isinstance(node, _ALLOWED):
            raise refusal(node, f"{type(node).__name__} is not allowed")
        if depth > MAX_DEPTH:
            raise refusal(node, "nested too deeply")
        _check_form(node)
        todo += [(child, depth + 1) for child in ast.iter_child_nodes(node)]


def _check_form(node: ast.AST) -> None:
    match node:
        case ast.Constant(value=value):
            if not isinstance(value, str | int | float | bool | None):
                raise refusal(node, f"a {type(value).__name__} is not allowed")
            if isinstance(value, str) and len(value) > MAX_TEXT:
                raise refusal(node, f"a text is longer than {MAX_TEXT} characters")
            if isinstance(value, int | float) and not abs(value) <= MAX_NUMBER:
                raise refusal(node, "a number is too large")
        case ast.Call():
            if not isinstance(node.func, ast.Name):
                raise refusal(node, "only plain names can be called")
            if node.keywords:
                raise refusal(node, "arguments are given without names")
        case ast.Assign(targets=targets):
            if len(targets) != 1 or not isinstance(targets[0], ast.Name):
                raise refusal(node, "only single plain names can be assigned to")
        case ast.AugAssign(target=target) | ast.For(target=target):
            if not isinstance(target, ast.Name):
                raise refusal(node, "only plain names can be assigned to")
            if isinstance(node, ast.For) and node.orelse:
                raise refusal(node, "a loop has no else")
        case ast.While(orelse=orelse) if orelse:
            raise refusal(node, "a loop has no else")
        case ast.With(items=items):
            if len(items) != 1 or items[0].optional_vars is not None:
                raise refusal(node, 'write "with robot(name):" or "with parallel():"')
        case ast.FunctionDef():
            plain = ast.arguments([], node.args.args, None, [], [], None, [])
            if node.decorator_list or ast.dump(node.args) != ast.dump(plain):
                raise refusal(node, "a function has only plain arguments")
        case ast.Return(value=value) if value is not None:
            raise refusal(node, "a function gives nothing back")
