"""Writes a small FrameNet in the files and the format of release 1.7."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

Marks = list[tuple[str, int, int]]  # name, start and end
Sentence = tuple[str, Marks, Marks]  # its text, its targets (named Target), and the elements that are expressed
Unit = tuple[int, str, str]  # number, name and frame of a lexical unit


def write_framenet(
    folder: Path,
    core_types: Mapping[str, Mapping[str, str]],
    core_sets: Mapping[str, Iterable[str]],
    units: Mapping[Unit, Iterable[Sentence]],
    unexpressed: Mapping[str, str],
) -> None:
    """Write frames with their elements (by frame: types such as ``Core``, and the core set), and lexical units.

    ``unexpressed`` names an element that is annotated as not expressed, by the text of the sentence.
    """
    frames = {name: number for number, name in enumerate(core_types, start=1)}
    _write_xml(folder / "frRelation.xml", "frameRelations", "")
    _write_xml(folder / "semTypes.xml", "semTypes", '<semType name="Any" abbrev="Any" ID="5"/>')
    index = "".join(f'<frame name="{name}" ID="{number}"/>' for name, number in frames.items())
    _write_xml(folder / "frameIndex.xml", "frameIndex", index)
    for name, number in frames.items():
        content = _frame_xml(core_types[name], core_sets[name], [unit for unit in units if unit[2] == name])
        _write_xml(folder / "frame" / f"{name}.xml", "frame", content, f'name="{name}" ID="{number}"')
    listed = ""
    for (number, name, frame), sentences in units.items():
        attributes = f'{_unit_attributes(number, name)} frameID="{frames[frame]}"'
        listed += f'<lu {attributes} frameName="{frame}" hasAnnotation="true"/>'
        content = "".join(_exemplar_xml(*sentence, unexpressed.get(sentence[0])) for sentence in sentences)
        content = f'<subCorpus name="V">{content}</subCorpus>'
        _write_xml(folder / "lu" / f"lu{number}.xml", "lexUnit", content, f'{attributes} frame="{frame}"')
    listed += f'<lu status="Problem" name="tinker.v" ID="13" frameName="{next(iter(frames))}" frameID="1"/>'
    _write_xml(folder / "luIndex.xml", "luIndex", listed)


def _write_xml(path: Path, root: str, content: str, attributes: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    start = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<?xml-stylesheet type="text/xsl" href="x.xsl"?>\n'
    text = f'{start}<{root} {attributes} xmlns="http://framenet.icsi.berkeley.edu">\n{content}\n</{root}>\n'
    path.write_text(text, encoding="utf-8")


def _exemplar_xml(text: str, targets: Marks, elements: Marks, unexpressed: str | None) -> str:
    layers = _layer("Target", targets) + _layer("FE", elements, unexpressed)
    parts_of_speech = f'<annotationSet status="UNANN" ID="1">{_layer("BNC", [("PUN", 0, 1)])}</annotationSet>'
    manual = f'<annotationSet status="MANUAL" ID="2">{layers}</annotationSet>' if targets else ""
    return f'<sentence sentNo="0" ID="9"><text>{escape(text)}</text>{parts_of_speech}{manual}</sentence>'


def _layer(name: str, marks: Marks, unexpressed: str | None = None) -> str:
    labels = "".join(f'<label start="{start}" end="{end - 1}" name="{label}"/>' for label, start, end in marks)
    labels += f'<label itype="CNI" name="{unexpressed}"/>' if unexpressed else ""
    return f'<layer rank="1" name="{name}">{labels}</layer>'


def _unit_attributes(number: int, name: str) -> str:
    return f'status="Finished_Initial" POS="V" name={quoteattr(name)} ID="{number}"'


def _frame_xml(core_types: Mapping[str, str], core_set: Iterable[str], units: Iterable[Unit]) -> str:
    elements = list(core_types)
    content = '<definition>A frame.</definition><semType name="Any" ID="5"/>'
    for index, element in enumerate(elements):
        content += f'<FE coreType="{core_types[element]}" name="{element}" abbrev="{element}" ID="{index}"/>'
    members = "".join(f'<memberFE name="{element}" ID="{elements.index(element)}"/>' for element in core_set)
    content += f"<FEcoreSet>{members}</FEcoreSet>" if members else ""
    lexeme = '<lexeme order="1" headword="false" breakBefore="false" POS="V" name="x"/>'
    for number, name, _ in units:
        content += f"<lexUnit {_unit_attributes(number, name)}>{lexeme}</lexUnit>"
    return content
