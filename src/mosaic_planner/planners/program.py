"""SmartLLM's programs: parsed, checked, and run by an interpreter of our own; never executed.

The text comes from a language model and is untrusted. It is parsed into a syntax tree; only the
statements and expressions below exist, everything else (imports, attributes, comprehensions,
lambdas, unknown names) is a reason that goes back to the model. Nothing of Python's is reachable:
names mean skills, the functions listed here, or the program's own variables::

    with robot("Alice"):            who acts
    with parallel():                its statements run at the same time; it ends when all have
    NavigateTo("X")                 a skill: any verb of the vocabulary with texts as arguments
    for i in range(3): / for name in ["X", "Y"]:
    while not sees("X"):            every loop is bounded
    if holds("Alice", "Sand") > 0: / else: / break / continue / pass
    n = 2; names = ["X", "Y"]       variables: texts, numbers, lists of these
    def job(name): ...              functions without a value; no recursion beyond a depth

Questions about the last observation: `sees(name)`, `holds(agent, item)`, `value(name, key)`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from mosaic_planner.core.action import Action
from mosaic_planner.planners.program_syntax import (
    MAX_LIST,
    MAX_NUMBER,
    MAX_TEXT,
    ProgramError,
    parse_program,
    refusal,
)

__all__ = ["ProgramError", "ProgramRun", "Senses", "parse_program"]

MAX_ROUNDS = 100  # rounds of one loop
MAX_WORK = 20_000  # statements and expressions of one run
MAX_TASKS = 64  # parallel branches alive
MAX_CALLS = 8  # depth of the program's own functions

Scalar = str | int | float | bool | None
Value = Scalar | list[Any]  # a list of scalars; never of lists


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
            raise refusal(node, "the program goes on for too long")

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
                    raise refusal(node, "a for loop goes over range(n) or a list")
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
                raise refusal(node, "this statement does nothing here")

    def _loop(
        self, node: ast.stmt, body: Sequence[ast.stmt], scope: _Scope, rounds: Any
    ) -> Generator[Any, None, None]:
        for number, (name, item) in enumerate(rounds):
            self._spend(node)
            if number >= MAX_ROUNDS:
                raise refusal(node, f"a loop has more than {MAX_ROUNDS} rounds")
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
                    raise refusal(node, f"{name!r} is none of {', '.join(self.agents)}")
                yield from self._block(body, scope.acting(name))
                return
        raise refusal(node, 'write "with robot(name):" or "with parallel():"')

    def _call_statement(self, node: ast.Call, scope: _Scope) -> Generator[Any, None, None]:
        assert isinstance(node.func, ast.Name)  # checked by _check_form
        name = node.func.id
        args = [self._value(a, scope) for a in node.args]
        if name in self.verbs:
            if not scope.robot:
                raise refusal(node, f'{name} stands outside of "with robot(name):"')
            if not all(isinstance(a, str) for a in args):
                raise refusal(node, f"{name} takes texts as arguments")
            yield scope.robot, Action(name, tuple(str(a) for a in args))
            return
        function = self._functions.get(name)
        if function is None:
            skills = ", ".join(self.verbs)
            raise refusal(node, f"there is no skill or function {name!r}; skills are {skills}")
        wanted = [a.arg for a in function.args.args]
        if len(wanted) != len(args):
            raise refusal(node, f"{name} takes {len(wanted)} arguments")
        if scope.calls >= MAX_CALLS:
            raise refusal(node, "functions call each other too deeply")
        inner = _Scope(dict(zip(wanted, args, strict=True)), scope.robot, scope.calls + 1)
        try:
            yield from self._block(function.body, inner)
        except _Return:
            return
        except (_Break, _Continue):
            raise refusal(node, "break or continue outside of a loop") from None

    def _name(self, node: ast.AST, name: str, scope: _Scope) -> Value:
        if name in scope.names:
            return scope.names[name]
        raise refusal(node, f"nothing is called {name!r}")

    def _value(self, node: ast.expr, scope: _Scope) -> Value:
        self._spend(node)
        match node:
            case ast.Constant(value=value):
                assert value is None or isinstance(value, str | int | float | bool)
                return value
            case ast.Name(id=name):
                return self._name(node, name, scope)
            case ast.List(elts=items) | ast.Tuple(elts=items):
                values = [self._value(item, scope) for item in items]
                if any(isinstance(value, list) for value in values):
                    # Lists of lists grow and compare exponentially, and nothing needs them.
                    raise refusal(node, "a list holds texts and numbers, no lists")
                return values
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return not self._value(operand, scope)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                number = self._value(operand, scope)
                if not isinstance(number, int | float):
                    raise refusal(node, "only numbers have a sign")
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
        raise refusal(node, "this has no value here")

    def _sum(self, node: ast.AST, left: Value, op: ast.operator, right: Value) -> Value:
        if isinstance(left, int | float) and isinstance(right, int | float):
            result = left + right if isinstance(op, ast.Add) else left - right
            if abs(result) <= MAX_NUMBER:
                return result
            raise refusal(node, "a number is too large")
        if isinstance(op, ast.Add):
            if isinstance(left, str) and isinstance(right, str | int):
                text = left + str(right)
                if len(text) <= MAX_TEXT:
                    return text
                raise refusal(node, f"a text is longer than {MAX_TEXT} characters")
            if isinstance(left, list) and isinstance(right, list):
                if len(left) + len(right) <= MAX_LIST:
                    return left + right
                raise refusal(node, f"a list is longer than {MAX_LIST}")
        raise refusal(node, "these two cannot be added or subtracted")

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
                    raise refusal(node, '"in" asks about a list')
                holds = (left in right) is isinstance(op, ast.In)
            elif isinstance(left, int | float) and isinstance(right, int | float):
                holds = _ORDER[type(op)](left, right)
            else:
                raise refusal(node, "only numbers can be larger or smaller")
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
                raise refusal(node, f"a loop has more than {MAX_ROUNDS} rounds")
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
        raise refusal(
            node, f"{name!r} is no question with these arguments; use sees, holds, value, range"
        )


_ORDER: dict[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
}
