"""JUnit XML: its exact text, its grammar, and how its consumers read it."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from lxml import etree

from irrun.diagnostics import Anchor, Diagnostic
from irrun.diagnostics.formats import render
from irrun.diagnostics.results import Results
from tests.diagnostics.support import findings


def test_junit(results: Results) -> None:
    said = "Pad 7 {0}pad, 100%{0}: output port 0 is declared [4], inferred [3]"
    assert render("junit", results) == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<testsuites name="irrun" tests="4" failures="3" errors="0">\n'
        '  <testsuite name="models/a b.xml" tests="3" failures="3" errors="0" skipped="0" package="irrun">\n'
        '    <testcase name="IR105" classname="models/a b.xml">\n'
        '      <failure type="warning" message="name: unknown">line 1, column 29: name: unknown</failure>\n'
        "    </testcase>\n"
        '    <testcase name="IR401" classname="models/a b.xml">\n'
        f'      <failure type="error" message="{said.format("&quot;")}">'
        f"line 2, column 10: {said.format(chr(34))}\n"
        "the input repeats it</failure>\n"
        "    </testcase>\n"
        '    <testcase name="IR600" classname="models/a b.xml">\n'
        '      <failure type="info" message="said in passing">line 1, column 1: said in passing</failure>\n'
        "    </testcase>\n"
        "  </testsuite>\n"
        '  <testsuite name="ok.xml" tests="1" failures="0" errors="0" skipped="0" package="irrun">\n'
        '    <testcase name="irrun lint" classname="ok.xml" />\n'
        "  </testsuite>\n"
        "</testsuites>"
    )


def test_junit_is_read_by_its_consumers(results: Results) -> None:
    junitparser = pytest.importorskip("junitparser", reason="junitparser is not installed")
    report = junitparser.JUnitXml.fromstring(render("junit", results).encode())
    assert [(suite.name, suite.tests, suite.failures, suite.errors) for suite in report] == [
        ("models/a b.xml", 3, 3, 0),
        ("ok.xml", 1, 0, 0),
    ]
    cases = [case for suite in report for case in suite]
    assert [(case.name, case.classname, case.is_passed) for case in cases] == [
        ("IR105", "models/a b.xml", False),
        ("IR401", "models/a b.xml", False),
        ("IR600", "models/a b.xml", False),
        ("irrun lint", "ok.xml", True),
    ]
    assert [(failure.type, failure.message) for case in cases[:1] for failure in case.result] == [
        ("warning", "name: unknown")
    ]


SCHEMA = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:element name="testsuites">
    <xs:complexType>
      <xs:sequence><xs:element name="testsuite" type="suite" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
      <xs:attribute name="name" type="xs:string"/>
      <xs:attribute name="tests" type="xs:unsignedInt"/>
      <xs:attribute name="failures" type="xs:unsignedInt"/>
      <xs:attribute name="errors" type="xs:unsignedInt"/>
      <xs:attribute name="time" type="xs:decimal"/>
    </xs:complexType>
    <xs:unique name="one-suite-for-a-file"><xs:selector xpath="testsuite"/><xs:field xpath="@name"/></xs:unique>
  </xs:element>
  <xs:complexType name="suite">
    <xs:choice minOccurs="1" maxOccurs="unbounded">
      <xs:element name="testcase" type="case"/>
      <xs:element name="system-out" type="xs:string"/>
    </xs:choice>
    <xs:attribute name="name" type="xs:string" use="required"/>
    <xs:attribute name="tests" type="xs:positiveInteger" use="required"/>
    <xs:attribute name="failures" type="xs:unsignedInt" use="required"/>
    <xs:attribute name="errors" type="xs:unsignedInt" use="required"/>
    <xs:attribute name="skipped" type="xs:unsignedInt"/>
    <xs:attribute name="time" type="xs:decimal"/>
    <xs:attribute name="timestamp" type="xs:dateTime"/>
    <xs:attribute name="hostname" type="xs:string"/>
    <xs:attribute name="id" type="xs:string"/>
    <xs:attribute name="package" type="xs:string"/>
  </xs:complexType>
  <xs:complexType name="case">
    <xs:choice minOccurs="0" maxOccurs="1">
      <xs:element name="failure" type="failure"/>
      <xs:element name="error" type="failure"/>
      <xs:element name="skipped" type="failure"/>
    </xs:choice>
    <xs:attribute name="name" type="xs:string" use="required"/>
    <xs:attribute name="classname" type="xs:string" use="required"/>
    <xs:attribute name="time" type="xs:decimal"/>
    <xs:attribute name="group" type="xs:string"/>
  </xs:complexType>
  <xs:complexType name="failure" mixed="true">
    <xs:attribute name="type" type="xs:string"/>
    <xs:attribute name="message" type="xs:string"/>
  </xs:complexType>
</xs:schema>
"""
"""The grammar of Jenkins' xUnit plugin, for the elements and attributes that irrun writes."""


def test_junit_is_valid(results: Results, nothing: Results, failed: Results) -> None:
    schema = etree.XMLSchema(etree.fromstring(SCHEMA))
    for item in (results, nothing, failed):
        schema.assertValid(etree.fromstring(render("junit", item).encode()))
    odd = etree.fromstring(render("junit", results).encode())
    odd[0].set("file", "a.xml")
    assert not schema.validate(odd)


def test_junit_of_text_that_xml_cannot_hold() -> None:
    odd = Diagnostic("IR600", "a\x1b[31m\x00b\ud800c\ufffe", Anchor(0))
    text = render("junit", Results(findings(odd, filename="a\x07.xml")))
    (failure,) = ElementTree.fromstring(text.encode("utf-8")).iter("failure")
    assert failure.get("message") == "a\ufffd[31m\ufffdb\ufffdc\ufffd"


def test_junit_of_a_run_that_failed(failed: Results) -> None:
    assert render("junit", failed) == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<testsuites name="irrun" tests="4" failures="0" errors="2">\n'
        '  <testsuite name="a|b.xml" tests="1" failures="0" errors="1" skipped="0" package="irrun">\n'
        '    <testcase name="irrun lint" classname="a|b.xml">\n'
        '      <error type="error" message="a|b.xml: Permission denied" />\n'
        "    </testcase>\n"
        "  </testsuite>\n"
        '  <testsuite name="irrun" tests="1" failures="0" errors="1" skipped="0" package="irrun">\n'
        '    <testcase name="irrun lint" classname="irrun">\n'
        '      <error type="error" message="q*: no IR file was found" />\n'
        "    </testcase>\n"
        "  </testsuite>\n"
        '  <testsuite name="ok.xml" tests="1" failures="0" errors="0" skipped="0" package="irrun">\n'
        '    <testcase name="irrun lint" classname="ok.xml" />\n'
        '    <system-out>3 not verified (Tile "t": repeats is unknown; Pad: pads_end is unknown)</system-out>\n'
        "  </testsuite>\n"
        '  <testsuite name="other.xml" tests="1" failures="0" errors="0" skipped="1" package="irrun">\n'
        '    <testcase name="irrun lint" classname="other.xml">\n'
        '      <skipped message="not an IR" />\n'
        "    </testcase>\n"
        "  </testsuite>\n"
        "</testsuites>"
    )


def test_junit_of_a_run_that_failed_is_read_by_its_consumers(failed: Results) -> None:
    junitparser = pytest.importorskip("junitparser", reason="junitparser is not installed")
    report = junitparser.JUnitXml.fromstring(render("junit", failed).encode())
    assert [(suite.name, suite.errors, suite.skipped) for suite in report] == [
        ("a|b.xml", 1, 0),
        ("irrun", 1, 0),
        ("ok.xml", 0, 0),
        ("other.xml", 0, 1),
    ]
