"""Routes made from operations, with their path, parameters, body, role and answer."""

from __future__ import annotations

from inspect import Parameter, Signature
from types import ModuleType
from typing import Annotated, Any, get_args, get_type_hints

import msgspec
from litestar import delete, get, post, put
from litestar.enums import RequestEncodingType
from litestar.handlers import HTTPRouteHandler
from litestar.params import BodyKwarg, PathParameter, QueryParameter

from rota.api.identity.authorization import REPEATED, needs
from rota.api.server.edge import named
from rota.api.server.etags import IfMatch, IfNoneMatch
from rota.api.server.request import ApiRequest
from rota.model.view import Body
from rota.operations.operation import Operation, parameters
from rota.operations.wire import Place, places, plain, query_name

_DECORATORS = {"GET": get, "POST": post, "PUT": put, "DELETE": delete}
_HEADERS: dict[str, Any] = {"if_match": IfMatch, "if_none_match": IfNoneMatch}
_PATH_KINDS = {int: "int"}


def routes_in(*modules: ModuleType) -> tuple[HTTPRouteHandler, ...]:
    """Return one route for each operation of the modules, in their order."""
    return tuple(
        _route(each)
        for module in modules
        for each in vars(module).values()
        if isinstance(each, Operation) and each.function.__module__ == module.__name__
    )


def _route(operation: Operation[..., Any]) -> HTTPRouteHandler:
    hints = get_type_hints(operation.function, include_extras=True)
    where = places(operation)
    body = _body(operation, where, hints)

    async def handler(request: ApiRequest, **values: Any) -> Any:
        data = values.pop("data", None)
        arguments = {
            name: named(value) if where[name] is Place.PATH and isinstance(value, str) else value
            for name, value in values.items()
        }
        if data is not None:
            whole = [name for name, place in where.items() if place is Place.WHOLE_BODY]
            arguments |= {whole[0]: data} if whole else _fields(data)
        return await request.perform(operation, arguments, answers=hints["return"])

    handler.__name__ = handler.__qualname__ = operation.name
    handler.__doc__ = operation.function.__doc__
    handler.__module__ = operation.function.__module__
    signature = _signature(operation, where, hints, body)
    handler.__signature__ = signature  # type: ignore[attr-defined]  # litestar reads it
    handler.__annotations__ = {
        **{name: each.annotation for name, each in signature.parameters.items()},
        "return": hints["return"],
    }
    rights = needs(
        operation.role,
        changes=operation.method != "GET",
        also=operation.also,
        whole=operation.all_namespaces,
    )
    rights["opt"][REPEATED] = frozenset(
        query_name(operation.function, name)
        for name, place in where.items()
        if place is Place.QUERY and list[str] in (hints[name], *get_args(hints[name]))
    )
    path = operation.path
    for name, place in where.items():
        if place is Place.PATH:
            path = path.replace(f"{{{name}}}", f"{{{name}:{_PATH_KINDS.get(hints[name], 'str')}}}")
    route: HTTPRouteHandler = _DECORATORS[operation.method](
        path, **rights, status_code=operation.status
    )(handler)
    return route


def _signature(
    operation: Operation[..., Any], where: dict[str, Place], hints: dict[str, Any], body: Any
) -> Signature:
    """Return the parameters of the route, with the places where Litestar finds them."""
    kind = Parameter.KEYWORD_ONLY
    signature = [Parameter("request", Parameter.POSITIONAL_OR_KEYWORD, annotation=ApiRequest)]
    for name, parameter in parameters(operation.function).items():
        annotation = _annotation(operation, where[name], name, hints[name])
        if annotation is not None:
            signature.append(
                Parameter(name, kind, default=parameter.default, annotation=annotation)
            )
    if body is not None:
        is_needed = operation.method != "POST" or not _may_be_left_out(body, where)
        default = Parameter.empty if is_needed else None
        annotation = _json(body | None if default is None else body)
        signature.append(Parameter("data", kind, default=default, annotation=annotation))
    return Signature(signature)


def _annotation(operation: Operation[..., Any], place: Place, name: str, hint: Any) -> Any:
    if place is Place.PATH:
        return Annotated[hint, PathParameter()]
    if place is Place.HEADER:
        return _HEADERS[name]
    if place is Place.QUERY:
        called = query_name(operation.function, name)
        return Annotated[plain(hint), QueryParameter(name=called, **_bounds(hint))]
    return None


def _bounds(hint: Any) -> dict[str, Any]:
    """Return the bounds of a query parameter: of its number, or of its length."""
    metas = [each for each in getattr(hint, "__metadata__", ()) if isinstance(each, msgspec.Meta)]
    bounds = ("ge", "le", "min_length", "max_length")
    limits = {name: getattr(metas[0], name) for name in bounds} if metas else {}
    return {name: bound for name, bound in limits.items() if bound is not None}


def _body(operation: Operation[..., Any], where: dict[str, Place], hints: dict[str, Any]) -> Any:
    """Return the struct of the body: of the operation or of one parameter; None without a body."""
    for name, place in where.items():
        if place is Place.WHOLE_BODY:
            return plain(hints[name])
    fields: list[tuple[str, Any, Any]] = []
    for name, parameter in parameters(operation.function).items():
        if where[name] is Place.BODY:
            is_needed = parameter.default is Parameter.empty
            default = msgspec.NODEFAULT if is_needed else parameter.default
            fields.append((name, hints[name], default))
    if not fields:
        return None
    title = "".join(word.capitalize() for word in operation.name.split("_")) + "Body"
    return msgspec.defstruct(title, fields, bases=(Body,), kw_only=True, module=__name__)


def _json(kind: Any) -> Any:
    return Annotated[kind, BodyKwarg(media_type=RequestEncodingType.JSON)]


def _may_be_left_out(body: Any, where: dict[str, Place]) -> bool:
    """Whether the body may be left out, because none of its fields is required.

    A definition must be sent even if it is empty.
    """
    is_needed = any(field.required for field in msgspec.structs.fields(body))
    return not is_needed and Place.WHOLE_BODY not in where.values()


def _fields(data: msgspec.Struct) -> dict[str, Any]:
    return {name: getattr(data, name) for name in data.__struct_fields__}
