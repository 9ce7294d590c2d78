"""XSD of the envelope of an IR: elements, ports and edges, with keys for layer ids; attributes stay open."""

from __future__ import annotations

from irrun.tensor.element_type import BY_PRECISION

_MAP_INTEGERS = ("external_port_id", "internal_layer_id", "axis", "start", "end", "stride", "part_size")


def xsd() -> str:
    """The schema as text. Every edge of the net must join layers that exist, every id must be its own.

    Bodies have no keys: an identity constraint of a body that stands inside another would see the ids of both.
    """
    precisions = "\n".join(f'      <xs:enumeration value="{name}"/>' for name in sorted(BY_PRECISION))
    entries = "\n".join(
        f'    <xs:attribute name="{name}" type="xs:integer"{_required(name)}/>' for name in _MAP_INTEGERS
    )
    bodies = "\n".join(
        f'      <xs:element name="{tag}" type="Graph" minOccurs="0"/>' for tag in ("body", "then_body", "else_body")
    )
    maps = "\n".join(
        f'      <xs:element name="{tag}" type="PortMap" minOccurs="0"/>'
        for tag in ("port_map", "then_port_map", "else_port_map")
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
                <xs:enumeration value="10"/>
                <xs:enumeration value="11"/>
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
      <xs:element name="meta_data" type="Anything"/>
      <xs:element name="statistics" type="Anything"/>
      <xs:element name="pre-process" type="Anything"/>
    </xs:choice>
  </xs:complexType>

  <xs:complexType name="Layers">
    <xs:sequence>
      <xs:element name="layer" type="Layer" minOccurs="0" maxOccurs="unbounded"/>
    </xs:sequence>
  </xs:complexType>

  <xs:complexType name="Layer">
    <xs:all>
      <xs:element name="data" type="Data" minOccurs="0"/>
      <xs:element name="input" type="Ports" minOccurs="0"/>
      <xs:element name="output" type="Ports" minOccurs="0"/>
      <xs:element name="rt_info" type="Anything" minOccurs="0"/>
{maps}
      <xs:element name="back_edges" type="BackEdges" minOccurs="0"/>
{bodies}
    </xs:all>
    <xs:attribute name="id" type="xs:nonNegativeInteger" use="required"/>
    <xs:attribute name="name" type="xs:string" use="required"/>
    <xs:attribute name="type" type="xs:string" use="required"/>
    <xs:attribute name="version" type="xs:string" use="required"/>
    <xs:attribute name="output_names" type="xs:string"/>
  </xs:complexType>

  <xs:complexType name="Data">
    <xs:anyAttribute processContents="skip"/>
  </xs:complexType>

  <xs:complexType name="Ports">
    <xs:sequence>
      <xs:element name="port" type="Port" minOccurs="0" maxOccurs="unbounded"/>
    </xs:sequence>
  </xs:complexType>

  <xs:complexType name="Port">
    <xs:choice minOccurs="0" maxOccurs="unbounded">
      <xs:element name="dim" type="Size"/>
      <xs:element name="rt_info" type="Anything"/>
    </xs:choice>
    <xs:attribute name="id" type="xs:nonNegativeInteger" use="required"/>
    <xs:attribute name="precision" type="Precision" use="required"/>
    <xs:attribute name="names" type="xs:string"/>
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
  </xs:complexType>

  <xs:complexType name="Anything" mixed="true">
    <xs:sequence>
      <xs:any minOccurs="0" maxOccurs="unbounded" processContents="skip"/>
    </xs:sequence>
    <xs:anyAttribute processContents="skip"/>
  </xs:complexType>
</xs:schema>
"""


def _required(name: str) -> str:
    return ' use="required"' if name in ("external_port_id", "internal_layer_id") else ""


def _keys(indent: str) -> str:
    """A key for the layer ids of the net, and what refers to it."""
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
