"""SmartLLM's programs: parsed, checked, and run by an interpreter of our own; never executed.

The text comes from a language model and is untrusted. It is parsed into a syntax tree; only the
statements and expressions below exist, everything else (imports, attributes, comprehensions,
lambdas, unknown names) is a reason that goes back to the model. Nothing of Python's is reachable:
names mean skills, the functions listed here, or the program's own variables.

    with robot("Alice"):            who acts
    with parallel():                its statements run at the same time; it ends when all have
    NavigateTo("X")                 a skill: any verb of the vocabulary with texts as arguments
    for i in range(3): / for name in ["X", "Y"]:
    while not sees("X"):            every loop is bounded
    if holds("Alice", "Sand") > 0: / else: / break / continue / pass
    n = 2; names = ["X", "Y"]       variables: texts, numbers, lists
    def job(name): ...              functions without a value; no recursion beyond a depth

Questions about the last observation: `sees(name)`, `holds(agent, item)`, `value(name, key)`.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from mosaic_planner.core.action import Action

__all__ = ["ProgramError", "ProgramRun", "Senses", "parse_program"]

MAX_SOURCE = 12_000  # characters
MAX_DEPTH = 60  # nesting of brackets, and of the syntax tree
MAX_ROUNDS = 100  # rounds of one loop
MAX_WORK = 20_000  # statements and expressions of one run
MAX_TASKS = 64  # parallel branches alive
MAX_CALLS = 8  # depth of the program's own functions
MAX_TEXT = 400  # characters of one text
MAX_LIST = 200
MAX_NUMBER = 1_000_000

Scalar = str | int | float | bool | None
Value = Scalar | list[Any]


class ProgramError(Exception):
    """Why a program was not accepted or had to stop; the text is for the model."""


class Senses(Protocol):
    """What a program may ask about the last observations."""

    def sees(self, name: str) -> bool:
        """Whether anybody sees it now."""
        ...

    def holds(self, agent: str, item: str) -> int:
        """How much of an item an agent holds."""
        ...

    def value(self, name: str, key: str) -> Scalar:
        """An attribute of something seen, None if it is not known."""
        ...


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


def _refuse(node: ast.AST, what: str) -> ProgramError:
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
            raise _refuse(node, f"{type(node).__name__} is not allowed")
        if depth > MAX_DEPTH:
            raise _refuse(node, "nested too deeply")
        _check_form(node)
        todo += [(child, depth + 1) for child in ast.iter_child_nodes(node)]


def _check_form(node: ast.AST) -> None:
    match node:
        case ast.Constant(value=value):
            if not isinstance(value, str | int | float | bool | None):
                raise _refuse(node, f"a {type(value).__name__} is not allowed")
            if isinstance(value, str) and len(value) > MAX_TEXT:
                raise _refuse(node, f"a text is longer than {MAX_TEXT} characters")
            if isinstance(value, int | float) and not abs(value) <= MAX_NUMBER:
                raise _refuse(node, "a number is too large")
        case ast.Call():
            if not isinstance(node.func, ast.Name):
                raise _refuse(node, "only plain names can be called")
            if node.keywords:
                raise _refuse(node, "arguments are given without names")
        case ast.Assign(targets=targets):
            if len(targets) != 1 or not isinstance(targets[0], ast.Name):
                raise _refuse(node, "only single plain names can be assigned to")
        case ast.AugAssign(target=target) | ast.For(target=target):
            if not isinstance(target, ast.Name):
                raise _refuse(node, "only plain names can be assigned to")
            if isinstance(node, ast.For) and node.orelse:
                raise _refuse(node, "a loop has no else")
        case ast.While(orelse=orelse) if orelse:
            raise _refuse(node, "a loop has no else")
        case ast.With(items=items):
            if len(items) != 1 or items[0].optional_vars is not None:
                raise _refuse(node, 'write "with robot(name):" or "with parallel():"')
        case ast.FunctionDef():
            plain = ast.arguments([], node.args.args, None, [], [], None, [])
            if node.decorator_list or ast.dump(node.args) != ast.dump(plain):
                raise _refuse(node, "a function has only plain arguments")
        case ast.Return(value=value) if value is not None:
            raise _refuse(node, "a function gives nothing back")


@dataclass(slots=True)
class _Task:
    """One branch: its generator, who waits for it, and the action it wants done."""

    steps: Generator[Any, None, None]
    parent: _Task | None = None
    children: int = 0
    wants: tuple[str, Action] | None = None
    finished: bool = False


class _Break(Exception):
    """Control flow of the interpreted program; not an error."""


class _Continue(Exception):
    """The same for `continue`."""


class _Return(Exception):
    """The same for `return`."""


@dataclass(slots=True)
class _Scope:
    """Variables of one function call, and the robot that acts."""

    names: dict[str, Value]
    robot: str = ""
    calls: int = 0

    def acting(self, robot: str) -> _Scope:
        return _Scope(self.names, robot, self.calls)


@dataclass(slots=True)
class ProgramRun:
    """A program under way. `problem` says why it stopped, "" while it runs or when it is over."""

    tree: ast.Module
    agents: Sequence[str]
    verbs: Sequence[str]
    senses: Senses
    problem: str = ""
    _tasks: list[_Task] = field(default_factory=list)
    _functions: dict[str, ast.FunctionDef] = field(default_factory=dict)
    _work: int = 0

    def __post_init__(self) -> None:
        self._tasks.append(_Task(self._block(self.tree.body, _Scope({}))))

    @property
    def finished(self) -> bool:
        """Nothing is left to do, or the program had to stop."""
        return bool(self.problem) or not self._tasks

    def wanted(self) -> Mapping[str, Action]:
        """The next action of every robot that has one; runs the program up to that point."""
        if not self.problem:
            try:
                self._advance()
            except ProgramError as error:
                self.stop(str(error))
        wanted: dict[str, Action] = {}
        for task in self._tasks:
            if task.wants is not None:
                wanted.setdefault(*task.wants)
        return wanted

    def done(self, agent: str, action: Action, success: bool) -> None:
        """Tell what a robot did; another action than the wanted one changes nothing."""
        for task in self._tasks:
            if task.wants == (agent, action):
                if success:
                    task.wants = None
                else:
                    self.stop(f"{agent}: {action} failed")
                return

    def stop(self, problem: str) -> None:
        """End the program with a reason; the first one counts."""
        self.problem = self.problem or problem
        self._tasks.clear()

    def _advance(self) -> None:
        moved = True
        while moved:
            moved = False
            for task in list(self._tasks):
                if task.wants is None and not task.children and not task.finished:
                    self._step(task)
                    moved = True
            self._tasks = [t for t in self._tasks if not t.finished]

    def _step(self, task: _Task) -> None:
        try:
            request = next(task.steps)
        except StopIteration:
            task.finished = True
            if task.parent is not None:
                task.parent.children -= 1
            return
        except RecursionError:
            raise ProgramError("the program is nested too deeply") from None
        except (_Break, _Continue, _Return):
            raise ProgramError(
                "break, continue or return where there is nothing to leave"
            ) from None
        if isinstance(request, list):
            if len(self._tasks) + len(request) > MAX_TASKS:
                raise ProgramError(f"more than {MAX_TASKS} branches run at the same time")
            task.children = len(request)
            self._tasks += [_Task(steps, task) for steps in request]
        else:
            task.wants = request

    def _spend(self, node: ast.AST) -> None:
        self._work += 1
        if self._work > MAX_WORK:
            raise _refuse(node, "the program goes on for too long")

    def _block(self, body: Sequence[ast.stmt], scope: _Scope) -> Generator[Any, None, None]:
        for statement in body:
            self._spend(statement)
            yield from self._statement(statement, scope)

    def _statement(self, node: ast.stmt, scope: _Scope) -> Generator[Any, None, None]:
        match node:
            case ast.Expr(value=ast.Call() as call):
                yield from self._call_statement(call, scope)
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                scope.names[name] = self._value(value, scope)
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                left = self._name(node, name, scope)
                scope.names[name] = self._sum(node, left, op, self._value(value, scope))
            case ast.If(test=test, body=body, orelse=orelse):
                yield from self._block(body if self._value(test, scope) else orelse, scope)
            case ast.For(target=ast.Name(id=name), iter=source, body=body):
                items = self._value(source, scope)
                if not isinstance(items, list):
                    raise _refuse(node, "a for loop goes over range(n) or a list")
                yield from self._loop(node, body, scope, ((name, item) for item in items))
            case ast.While(test=test, body=body):
                rounds = (("", None) for _ in iter(lambda: bool(self._value(test, scope)), False))
                yield from self._loop(node, body, scope, rounds)
            case ast.With(items=[item], body=body):
                yield from self._with(node, item.context_expr, body, scope)
            case ast.FunctionDef(name=name):
                self._functions[name] = node
            case ast.Break():
                raise _Break
            case ast.Continue():
                raise _Continue
            case ast.Return():
                raise _Return
            case _:
                raise _refuse(node, "this statement does nothing here")

    def _loop(
        self, node: ast.stmt, body: Sequence[ast.stmt], scope: _Scope, rounds: Any
    ) -> Generator[Any, None, None]:
        for number, (name, item) in enumerate(rounds):
            self._spend(node)
            if number >= MAX_ROUNDS:
                raise _refuse(node, f"a loop has more than {MAX_ROUNDS} rounds")
            if name:
                scope.names[name] = item
            try:
                yield from self._block(body, scope)
            except _Break:
                return
            except _Continue:
                continue

    def _with(
        self, node: ast.stmt, head: ast.expr, body: Sequence[ast.stmt], scope: _Scope
    ) -> Generator[Any, None, None]:
        if isinstance(head, ast.Call) and isinstance(head.func, ast.Name):
            args = [self._value(a, scope) for a in head.args]
            if head.func.id == "parallel" and not args:
                yield [self._block([statement], scope) for statement in body]
                return
            if head.func.id == "robot" and len(args) == 1:
                name = args[0]
                if not isinstance(name, str) or name not in self.agents:
                    raise _refuse(node, f"{name!r} is none of {', '.join(self.agents)}")
                yield from self._block(body, scope.acting(name))
                return
        raise _refuse(node, 'write "with robot(name):" or "with parallel():"')

    def _call_statement(self, node: ast.Call, scope: _Scope) -> Generator[Any, None, None]:
        assert isinstance(node.func, ast.Name)  # checked by _check_form
        name = node.func.id
        args = [self._value(a, scope) for a in node.args]
        if name in self.verbs:
            if not scope.robot:
                raise _refuse(node, f'{name} stands outside of "with robot(name):"')
            if not all(isinstance(a, str) for a in args):
                raise _refuse(node, f"{name} takes texts as arguments")
            yield scope.robot, Action(name, tuple(str(a) for a in args))
            return
        function = self._functions.get(name)
        if function is None:
            skills = ", ".join(self.verbs)
            raise _refuse(node, f"there is no skill or function {name!r}; skills are {skills}")
        wanted = [a.arg for a in function.args.args]
        if len(wanted) != len(args):
            raise _refuse(node, f"{name} takes {len(wanted)} arguments")
        if scope.calls >= MAX_CALLS:
            raise _refuse(node, "functions call each other too deeply")
        inner = _Scope(dict(zip(wanted, args, strict=True)), scope.robot, scope.calls + 1)
        try:
            yield from self._block(function.body, inner)
        except _Return:
            return
        except (_Break, _Continue):
            raise _refuse(node, "break or continue outside of a loop") from None

    def _name(self, node: ast.AST, name: str, scope: _Scope) -> Value:
        if name in scope.names:
            return scope.names[name]
        raise _refuse(node, f"nothing is called {name!r}")

    def _value(self, node: ast.expr, scope: _Scope) -> Value:
        self._spend(node)
        match node:
            case ast.Constant(value=value):
                assert value is None or isinstance(value, str | int | float | bool)
                return value
            case ast.Name(id=name):
                return self._name(node, name, scope)
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return [self._value(item, scope) for item in items]
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return not self._value(operand, scope)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                number = self._value(operand, scope)
                if not isinstance(number, int | float):
                    raise _refuse(node, "only numbers have a sign")
                return -number
            case ast.BoolOp(op=op, values=values):
                stop = isinstance(op, ast.Or)
                result: Value = not stop
                for part in values:
                    result = self._value(part, scope)
                    if bool(result) is stop:
                        break
                return result
            case ast.BinOp(left=left, op=op, right=right):
                return self._sum(node, self._value(left, scope), op, self._value(right, scope))
            case ast.Compare(left=left, ops=ops, comparators=others):
                return self._compare(node, self._value(left, scope), ops, others, scope)
            case ast.Call(func=ast.Name(id=name), args=args):
                return self._question(node, name, [self._value(a, scope) for a in args])
        raise _refuse(node, "this has no value here")

    def _sum(self, node: ast.AST, left: Value, op: ast.operator, right: Value) -> Value:
        if isinstance(left, int | float) and isinstance(right, int | float):
            result = left + right if isinstance(op, ast.Add) else left - right
            if abs(result) <= MAX_NUMBER:
                return result
            raise _refuse(node, "a number is too large")
        if isinstance(op, ast.Add):
            if isinstance(left, str) and isinstance(right, str | int):
                text = left + str(right)
                if len(text) <= MAX_TEXT:
                    return text
                raise _refuse(node, f"a text is longer than {MAX_TEXT} characters")
            if isinstance(left, list) and isinstance(right, list):
                if len(left) + len(right) <= MAX_LIST:
                    return left + right
                raise _refuse(node, f"a list is longer than {MAX_LIST}")
        raise _refuse(node, "these two cannot be added or subtracted")

    def _compare(
        self,
        node: ast.AST,
        left: Value,
        ops: Sequence[ast.cmpop],
        others: Sequence[ast.expr],
        scope: _Scope,
    ) -> bool:
        for op, other in zip(ops, others, strict=True):
            right = self._value(other, scope)
            if isinstance(op, ast.Eq | ast.Is | ast.NotEq | ast.IsNot):
                holds = (left == right) is isinstance(op, ast.Eq | ast.Is)
            elif isinstance(op, ast.In | ast.NotIn):
                if not isinstance(right, list):
                    raise _refuse(node, '"in" asks about a list')
                holds = (left in right) is isinstance(op, ast.In)
            elif isinstance(left, int | float) and isinstance(right, int | float):
                holds = _ORDER[type(op)](left, right)
            else:
                raise _refuse(node, "only numbers can be larger or smaller")
            if not holds:
                return False
            left = right
        return True

    def _question(self, node: ast.AST, name: str, args: Sequence[Value]) -> Value:
        texts = [a for a in args if isinstance(a, str)]
        if name == "range" and 1 <= len(args) <= 2 and all(type(a) is int for a in args):
            first, last = (0, *args) if len(args) == 1 else args
            assert isinstance(first, int)
            assert isinstance(last, int)
            if last - first > MAX_ROUNDS:
                raise _refuse(node, f"a loop has more than {MAX_ROUNDS} rounds")
            return list(range(first, last))
        if name == "len" and len(args) == 1 and isinstance(args[0], str | list):
            return len(args[0])
        if len(texts) == len(args):
            if name == "sees" and len(texts) == 1:
                return self.senses.sees(texts[0])
            if name == "holds" and len(texts) == 2:
                return self.senses.holds(texts[0], texts[1])
            if name == "value" and len(texts) == 2:
                return self.senses.value(texts[0], texts[1])
        raise _refuse(
            node, f"{name!r} is no question with these arguments; use sees, holds, value, range"
        )


_ORDER: dict[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
}
