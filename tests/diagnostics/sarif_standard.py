"""Section 3 of the standard SARIF 2.1.0 as a JSON schema, for the objects that irrun writes.

The schema of each object lists all its properties, the required ones, and the values of those that irrun writes. With
the names that irrun does not write, the schema tells a misspelt property from a new one.
"""

from __future__ import annotations

from typing import Any, Final

_TEXT: Final = {"type": "string", "minLength": 1}
_COUNT: Final = {"type": "integer", "minimum": 1}
_LEVEL: Final = {"enum": ["none", "note", "warning", "error"]}


def _object(allowed: str, *required: str, **known: Any) -> dict[str, Any]:
    names = {*allowed.split(), "properties"}
    unknown = {*required, *known} - names
    if unknown:
        raise ValueError(f"{unknown} are not among the properties")
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(required),
        "properties": {name: known.get(name, True) for name in names},
    }


def _of(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


def _list(name: str, least: int = 0, *, unique: bool = False) -> dict[str, Any]:
    return {"type": "array", "items": _of(name), "minItems": least, "uniqueItems": unique}


_OBJECTS: Final = {
    "run": _object(
        "addresses artifacts automationDetails baselineGuid columnKind conversion defaultEncoding "
        "defaultSourceLanguage externalPropertyFileReferences graphs invocations language logicalLocations "
        "newlineSequences originalUriBaseIds policies redactionTokens results runAggregates specialLocations "
        "taxonomies threadFlowLocations tool translations versionControlProvenance webRequests webResponses",
        "tool",
        tool=_of("tool"),
        columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
        invocations=_list("invocation", unique=True),
        originalUriBaseIds={"type": "object", "additionalProperties": _of("artifactLocation")},
        results=_list("result"),
    ),
    "invocation": _object(
        "account arguments commandLine endTimeUtc environmentVariables executableLocation executionSuccessful exitCode "
        "exitCodeDescription exitSignalName exitSignalNumber machine notificationConfigurationOverrides processId "
        "processStartFailureMessage responseFiles ruleConfigurationOverrides startTimeUtc stderr stdin stdout "
        "stdoutStderr toolConfigurationNotifications toolExecutionNotifications workingDirectory",
        "executionSuccessful",
        executionSuccessful={"type": "boolean"},
        toolExecutionNotifications=_list("notification"),
    ),
    "notification": _object(
        "associatedRule descriptor exception level locations message relatedLocations threadId timeUtc",
        "message",
        level=_LEVEL,
        locations=_list("location", unique=True),
        message=_of("message"),
    ),
    "tool": _object("driver extensions", "driver", driver=_of("toolComponent")),
    "toolComponent": _object(
        "associatedComponent contents dottedQuadFileVersion downloadUri fullDescription fullName "
        "globalMessageStrings guid informationUri isComprehensive language localizedDataSemanticVersion locations "
        "minimumRequiredLocalizedDataSemanticVersion name notifications organization product productSuite "
        "releaseDateUtc rules semanticVersion shortDescription supportedTaxonomies taxa translationMetadata version",
        "name",
        name=_TEXT,
        version=_TEXT,
        informationUri={"type": "string", "pattern": "^https://[^ ]+$"},
        rules=_list("reportingDescriptor", unique=True),
    ),
    "reportingDescriptor": _object(
        "defaultConfiguration deprecatedGuids deprecatedIds deprecatedNames fullDescription guid help helpUri id "
        "messageStrings name relationships shortDescription",
        "id",
        id=_TEXT,
        name={"type": "string", "pattern": "^([A-Z][a-z0-9]*)+$"},
        shortDescription=_of("multiformatMessageString"),
        fullDescription=_of("multiformatMessageString"),
        help=_of("multiformatMessageString"),
        helpUri={"type": "string", "pattern": "^https://[^ ]+$"},
        defaultConfiguration=_of("reportingConfiguration"),
    ),
    "multiformatMessageString": _object("markdown text", "text", text=_TEXT, markdown=_TEXT),
    "reportingConfiguration": _object("enabled level parameters rank", level=_LEVEL),
    "result": _object(
        "analysisTarget attachments baselineState codeFlows correlationGuid fingerprints fixes graphTraversals graphs "
        "guid hostedViewerUri kind level locations message occurrenceCount partialFingerprints provenance rank "
        "relatedLocations rule ruleId ruleIndex stacks suppressions taxa webRequest webResponse workItemUris",
        "message",
        ruleId=_TEXT,
        ruleIndex={"type": "integer", "minimum": 0},
        level=_LEVEL,
        message=_of("message"),
        locations=_list("location", 1),
        partialFingerprints={"type": "object", "additionalProperties": _TEXT},
        fixes=_list("fix", 1, unique=True),
    ),
    "message": _object("arguments id markdown text", "text", text=_TEXT),
    "location": _object(
        "annotations id logicalLocations message physicalLocation relationships",
        physicalLocation=_of("physicalLocation"),
        logicalLocations=_list("logicalLocation", 1, unique=True),
    ),
    "physicalLocation": _object(
        "address artifactLocation contextRegion region",
        "artifactLocation",
        artifactLocation=_of("artifactLocation"),
        region=_of("region"),
    ),
    "artifactLocation": _object(
        "description index uri uriBaseId",
        uri={"type": "string", "pattern": "^([A-Za-z0-9._~!$&'()*+,;=:@/?#-]|%[0-9A-Fa-f]{2})+$"},
        uriBaseId=_TEXT,
        description=_of("message"),
    ),
    "region": _object(
        "byteLength byteOffset charLength charOffset endColumn endLine message snippet sourceLanguage startColumn "
        "startLine",
        "startLine",
        startLine=_COUNT,
        startColumn=_COUNT,
        endLine=_COUNT,
        endColumn=_COUNT,
    ),
    "logicalLocation": _object(
        "decoratedName fullyQualifiedName index kind name parentIndex", name=_TEXT, fullyQualifiedName=_TEXT
    ),
    "fix": _object(
        "artifactChanges description",
        "artifactChanges",
        description=_of("message"),
        artifactChanges=_list("artifactChange", 1, unique=True),
    ),
    "artifactChange": _object(
        "artifactLocation replacements",
        "artifactLocation",
        "replacements",
        artifactLocation=_of("artifactLocation"),
        replacements=_list("replacement", 1),
    ),
    "replacement": _object(
        "deletedRegion insertedContent",
        "deletedRegion",
        deletedRegion=_of("region"),
        insertedContent=_of("artifactContent"),
    ),
    "artifactContent": _object("binary rendered text", text={"type": "string"}),
}

SCHEMA: Final = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$defs": _OBJECTS,
    **_object(
        "$schema inlineExternalProperties runs version",
        "version",
        "runs",
        **{"$schema": {"type": "string", "pattern": "sarif-schema-2\\.1\\.0\\.json$"}},
        version={"const": "2.1.0"},
        runs=_list("run", 1),
    ),
}
