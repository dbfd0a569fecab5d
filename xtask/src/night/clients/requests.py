"""Checks request bodies with the types of the vendors' own clients.

Reads {"format": body} as JSON from the first argument and prints {"format": [error, ...]}.
"""

import json
import sys
from typing import Any

import jsonschema
from google.genai import types as gemini
from pydantic import TypeAdapter, ValidationError


def closed(schema: Any) -> Any:
    """Returns a schema whose objects have no other properties than those that it names."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: closed(value) for key, value in schema.items()}
    if schema.get("type") == "object" and isinstance(schema.get("properties"), dict):
        schema["additionalProperties"] = False
    return schema


def typed_dict_errors(kind: Any, body: Any) -> list[str]:
    schema = closed(TypeAdapter(kind).json_schema())
    validator = jsonschema.Draft202012Validator(schema)
    return [f"{error.json_path}: {error.message[:300]}" for error in validator.iter_errors(body)]


def gemini_errors(body: Any) -> list[str]:
    kinds = {
        "systemInstruction": gemini.Content,
        "contents": list[gemini.Content],
        "tools": list[gemini.Tool],
        "generationConfig": gemini.GenerationConfig,
    }
    errors = [f"unknown field {field}" for field in body if field not in kinds]
    for field, kind in kinds.items():
        if field in body:
            try:
                TypeAdapter(kind).validate_json(json.dumps(body[field]))
            except ValidationError as error:
                errors += [f"{field}{item['loc']}: {item['msg']}" for item in error.errors()]
    return errors


def errors(format: str, body: Any) -> list[str]:
    if format == "anthropic":
        from anthropic.types.message_create_params import MessageCreateParamsNonStreaming as kind
    elif format == "openai-chat":
        from openai.types.chat.completion_create_params import (
            CompletionCreateParamsNonStreaming as kind,
        )
    elif format == "openai-responses":
        from openai.types.responses.response_create_params import (
            ResponseCreateParamsNonStreaming as kind,
        )
    else:
        return gemini_errors(body)
    return typed_dict_errors(kind, body)


bodies = json.loads(sys.argv[1])
print(json.dumps({format: errors(format, body) for format, body in bodies.items()}))
