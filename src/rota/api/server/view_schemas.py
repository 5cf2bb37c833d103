"""The schemas of views in the description of the API: every field is in every answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from litestar.openapi.spec import OpenAPIFormat, OpenAPIType, Schema
from litestar.plugins import OpenAPISchemaPlugin
from litestar.typing import FieldDefinition

from rota.clock import Moment
from rota.model.view import JsonText, Share, View

if TYPE_CHECKING:
    from litestar._openapi.schema_generation import SchemaCreator


class ViewSchemas(OpenAPISchemaPlugin):
    """A plugin that describes views to Litestar, with the types that only views have."""

    def is_plugin_supported_field(self, field_definition: FieldDefinition) -> bool:
        """Whether the field is a view, an instant or JSON of the store."""
        return not field_definition.is_union and field_definition.is_subclass_of(
            (View, Moment, JsonText, Share)
        )

    def to_openapi_schema(
        self, field_definition: FieldDefinition, schema_creator: SchemaCreator
    ) -> Schema:
        """Return the schema with all fields required: in an answer, defaults are filled in."""
        if field_definition.is_subclass_of(Moment):
            return Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.DATE_TIME)
        if field_definition.is_subclass_of(JsonText):
            return Schema()
        if field_definition.is_subclass_of(Share):
            return Schema(type=OpenAPIType.NUMBER)
        hints = field_definition.get_type_hints(include_extras=True, resolve_generics=True)
        fields = msgspec.structs.fields(field_definition.type_)
        return schema_creator.create_component_schema(
            field_definition,
            required=sorted(
                field.encode_name for field in fields if field.default is not msgspec.UNSET
            ),
            property_fields={
                field.encode_name: FieldDefinition.from_annotation(
                    annotation=hints[field.name], name=field.encode_name
                )
                for field in fields
            },
        )
