"""XSD of the IR: elements, ports and edges, with keys for layer ids; attributes of operations stay open."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from irrun.document.grammar import LEGACY_ATTRIBUTES, LEGACY_CHILDREN, MAPS, VERSIONS
from irrun.tensor.element_type import BY_NAME, BY_PRECISION

_MAP_INTEGERS: Final = ("external_port_id", "internal_layer_id", "axis", "start", "end", "stride", "part_size")


def xsd() -> str:
    """Return the schema as text. Edges of the net must join existing layers; ids of layers and ports must be unique.

    Edges of bodies may join any layers: a reference in a nested body would also match the ids of the enclosing body.
    """
    versions = _lines(14, (f'<xs:enumeration value="{version}"/>' for version in VERSIONS))
    precisions = _lines(6, (f'<xs:enumeration value="{name}"/>' for name in sorted({*BY_PRECISION, *BY_NAME})))
    entries = _lines(4, (f'<xs:attribute name="{n}" type="xs:integer"{_required(n)}/>' for n in _MAP_INTEGERS))
    bodies = _lines(6, (line for tag in MAPS for line in _body(tag)))
    maps = _lines(6, (f'<xs:element name="{tag}" type="PortMap" minOccurs="0"/>' for tag in MAPS.values()))
    of_net = _lines(6, (f'<xs:element name="{tag}" type="Anything"/>' for tag in LEGACY_CHILDREN["net"]))
    of_layer = _lines(
        6, (f'<xs:element name="{tag}" type="Anything" minOccurs="0"/>' for tag in LEGACY_CHILDREN["layer"])
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified">
  <xs:element name="net">
    <xs:complexType>
      <xs:complexContent>
        <xs:extension base="Graph">
          <xs:attribute name="name" type="xs:string"/>
          <xs:attribute name="version" use="required">
            <xs:simpleType>
              <xs:restriction base="xs:string">
{versions}
              </xs:restriction>
            </xs:simpleType>
          </xs:attribute>
          <xs:anyAttribute namespace="##other" processContents="lax"/>
        </xs:extension>
      </xs:complexContent>
    </xs:complexType>
{_keys("    ")}
  </xs:element>

  <xs:complexType name="Graph">
    <xs:choice maxOccurs="unbounded">
      <xs:element name="layers" type="Layers"/>
      <xs:element name="edges" type="Edges"/>
      <xs:element name="rt_info" type="Anything"/>
      <xs:element name="pre-process" type="Anything"/>
{of_net}
    </xs:choice>
  </xs:complexType>

  <xs:complexType name="Layers">
    <xs:sequence>
      <xs:element name="layer" type="Layer" minOccurs="0" maxOccurs="unbounded">
        <xs:unique name="port">
          <xs:selector xpath="input/port|output/port"/>
          <xs:field xpath="@id"/>
        </xs:unique>
      </xs:element>
    </xs:sequence>
  </xs:complexType>

  <xs:complexType name="Layer">
    <xs:all>
      <xs:element name="data" type="Data" minOccurs="0"/>
      <xs:element name="input" type="Inputs" minOccurs="0"/>
      <xs:element name="output" type="Outputs" minOccurs="0"/>
      <xs:element name="rt_info" type="Anything" minOccurs="0"/>
{maps}
      <xs:element name="back_edges" type="BackEdges" minOccurs="0"/>
{bodies}
{of_layer}
    </xs:all>
    <xs:attribute name="id" type="xs:nonNegativeInteger" use="required"/>
    <xs:attribute name="name" type="xs:string" use="required"/>
    <xs:attribute name="type" type="xs:string" use="required"/>
    <xs:attribute name="version" type="xs:string" use="required"/>
    <xs:attribute name="output_names" type="xs:string"/>
{_legacy("layer")}
  </xs:complexType>

  <xs:complexType name="Data">
    <xs:anyAttribute processContents="skip"/>
  </xs:complexType>

  <xs:complexType name="Inputs">
    <xs:sequence>
      <xs:element name="port" type="Port" minOccurs="0" maxOccurs="unbounded"/>
    </xs:sequence>
  </xs:complexType>

  <xs:complexType name="Outputs">
    <xs:sequence>
      <xs:element name="port" type="Output" minOccurs="0" maxOccurs="unbounded"/>
    </xs:sequence>
  </xs:complexType>

  <xs:complexType name="Port">
    <xs:choice minOccurs="0" maxOccurs="unbounded">
      <xs:element name="dim" type="Size"/>
      <xs:element name="rt_info" type="Anything"/>
    </xs:choice>
    <xs:attribute name="id" type="xs:nonNegativeInteger" use="required"/>
    <xs:attribute name="precision" type="Precision"/>
    <xs:attribute name="names" type="xs:string"/>
  </xs:complexType>

  <xs:complexType name="Output">
    <xs:complexContent>
      <xs:restriction base="Port">
        <xs:choice minOccurs="0" maxOccurs="unbounded">
          <xs:element name="dim" type="Size"/>
          <xs:element name="rt_info" type="Anything"/>
        </xs:choice>
        <xs:attribute name="precision" type="Precision" use="required"/>
      </xs:restriction>
    </xs:complexContent>
  </xs:complexType>

  <xs:simpleType name="Size">
    <xs:restriction base="xs:long">
      <xs:minInclusive value="-1"/>
    </xs:restriction>
  </xs:simpleType>

  <xs:simpleType name="Precision">
    <xs:restriction base="xs:string">
{precisions}
    </xs:restriction>
  </xs:simpleType>

  <xs:complexType name="Edges">
    <xs:sequence>
      <xs:element name="edge" minOccurs="0" maxOccurs="unbounded">
        <xs:complexType>
          <xs:attribute name="from-layer" type="xs:nonNegativeInteger" use="required"/>
          <xs:attribute name="from-port" type="xs:nonNegativeInteger" use="required"/>
          <xs:attribute name="to-layer" type="xs:nonNegativeInteger" use="required"/>
          <xs:attribute name="to-port" type="xs:nonNegativeInteger" use="required"/>
        </xs:complexType>
      </xs:element>
    </xs:sequence>
  </xs:complexType>

  <xs:complexType name="BackEdges">
    <xs:sequence>
      <xs:element name="edge" minOccurs="0" maxOccurs="unbounded">
        <xs:complexType>
          <xs:attribute name="from-layer" type="xs:nonNegativeInteger" use="required"/>
          <xs:attribute name="to-layer" type="xs:nonNegativeInteger" use="required"/>
{_legacy("back", 10)}
        </xs:complexType>
      </xs:element>
    </xs:sequence>
  </xs:complexType>

  <xs:complexType name="PortMap">
    <xs:choice minOccurs="0" maxOccurs="unbounded">
      <xs:element name="input" type="PortMapEntry"/>
      <xs:element name="output" type="PortMapEntry"/>
    </xs:choice>
  </xs:complexType>

  <xs:complexType name="PortMapEntry">
{entries}
    <xs:attribute name="purpose" type="xs:string"/>
{_legacy("map")}
  </xs:complexType>

  <xs:complexType name="Anything" mixed="true">
    <xs:sequence>
      <xs:any minOccurs="0" maxOccurs="unbounded" processContents="skip"/>
    </xs:sequence>
    <xs:anyAttribute processContents="skip"/>
  </xs:complexType>
</xs:schema>
"""


def _lines(indent: int, lines: Iterable[str]) -> str:
    return "\n".join(" " * indent + line for line in lines)


def _legacy(kind: str, indent: int = 4) -> str:
    """Return the attributes that have no meaning but are allowed."""
    return _lines(indent, (f'<xs:attribute name="{name}" type="xs:string"/>' for name in LEGACY_ATTRIBUTES[kind]))


def _body(tag: str) -> list[str]:
    """Return the element of a body, whose layers have ids of their own."""
    return [
        f'<xs:element name="{tag}" type="Graph" minOccurs="0">',
        f'  <xs:unique name="layer-of-{tag}">',
        '    <xs:selector xpath="layers/layer"/>',
        '    <xs:field xpath="@id"/>',
        "  </xs:unique>",
        "</xs:element>",
    ]


def _required(name: str) -> str:
    return ' use="required"' if name in ("external_port_id", "internal_layer_id") else ""


def _keys(indent: str) -> str:
    """Return a key for the layer ids of the net, and the references to it."""
    lines = [
        '<xs:key name="layer">',
        '  <xs:selector xpath="layers/layer"/>',
        '  <xs:field xpath="@id"/>',
        "</xs:key>",
    ]
    for end in ("from-layer", "to-layer"):
        lines += [
            f'<xs:keyref name="{end}" refer="layer">',
            '  <xs:selector xpath="edges/edge"/>',
            f'  <xs:field xpath="@{end}"/>',
            "</xs:keyref>",
        ]
    return "\n".join(indent + line for line in lines)
