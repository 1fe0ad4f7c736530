"""Holds each answer's XML against botocore's model of EC2: an element that the model does not know is a fault of ours.

botocore itself leaves unknown elements out, so a misspelt name would only show as something missing.
"""

import xml.etree.ElementTree as ElementTree


def judge_answers(client, faults):
    """From now on every answer is judged; what is wrong is appended to `faults`, such as `DescribeVpcs: vpcSet.item.x`."""

    def judge(response_dict, event_name, **_):
        if response_dict["status_code"] >= 300:
            return
        operation = event_name.rsplit(".", 1)[1]
        shape = client.meta.service_model.operation_model(operation).output_shape
        root = ElementTree.fromstring(response_dict["body"])
        if local_name(root) != f"{operation}Response":
            faults.append(f"{operation}: the root is {local_name(root)}")
        for element in root:
            if local_name(element) != "requestId":
                judge_member(element, shape, operation, faults)

    client.meta.events.register("response-received.ec2", judge)


def local_name(element):
    return element.tag.rsplit("}", 1)[-1]


def judge_member(element, shape, path, faults):
    """`element` is to be a member of the structure `shape`."""
    name = local_name(element)
    members = {} if shape is None else {m.serialization.get("name", key): m for key, m in shape.members.items()}
    if name not in members:
        # EC2 answers `return` for what the model has as `Return`, and for writes without any output at all.
        if name != "return":
            faults.append(f"{path}: {name}")
        return
    judge_value(element, members[name], f"{path}.{name}", faults)


def judge_value(element, shape, path, faults):
    if shape.type_name == "structure":
        for child in element:
            judge_member(child, shape, path, faults)
    elif shape.type_name == "list":
        item = shape.member.serialization.get("name", "item")
        for child in element:
            if local_name(child) != item:
                faults.append(f"{path}: {local_name(child)} in place of {item}")
            judge_value(child, shape.member, f"{path}.{item}", faults)
    elif len(element) > 0:
        faults.append(f"{path}: elements in a {shape.type_name}")
    elif shape.type_name == "boolean" and element.text not in ("true", "false"):
        faults.append(f"{path}: {element.text!r} is no boolean")
