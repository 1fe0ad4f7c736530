"""The essentials of the EC2 contract, asked by boto3. Prints a JSON line for each case: {"case", "error"}.

usage: ec2_essentials.py ENDPOINT
"""

import json
import sys
import traceback
from urllib.request import Request, urlopen

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from wire_judge import judge_answers

IMAGE = {"ImageId": "ami-00000000000000001", "InstanceType": "m6g.large", "MinCount": 1, "MaxCount": 1}
CASES = []


def case(run):
    CASES.append(run)
    return run


class Network:
    """A VPC 10.0.0.0/16 with a subnet and a route table beside the main one."""

    def __init__(self, ec2):
        self.ec2 = ec2
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16", AmazonProvidedIpv6CidrBlock=True)["Vpc"]
        self.vpc = vpc["VpcId"]
        self.subnet = ec2.create_subnet(VpcId=self.vpc, CidrBlock="10.0.1.0/24")["Subnet"]["SubnetId"]
        self.table = self.new_table()

    def new_table(self):
        return self.ec2.create_route_table(VpcId=self.vpc)["RouteTable"]["RouteTableId"]

    def node(self):
        """Id of a running instance and of its interface."""
        instance = self.ec2.run_instances(SubnetId=self.subnet, **IMAGE)["Instances"][0]
        waits(self.ec2, "instance_running", instance["InstanceId"])
        return instance["InstanceId"], instance["NetworkInterfaces"][0]["NetworkInterfaceId"]

    def create(self, destination, eni, **more):
        return self.ec2.create_route(
            RouteTableId=self.table, DestinationCidrBlock=destination, NetworkInterfaceId=eni, **more
        )

    def routes(self):
        """Rows made by CreateRoute, as `10.244.1.0/24 eni-1 active`."""
        table = self.ec2.describe_route_tables(RouteTableIds=[self.table])["RouteTables"][0]
        return [
            f"{route.get('DestinationCidrBlock', route.get('DestinationIpv6CidrBlock'))}"
            f" {route['NetworkInterfaceId']} {route['State']}"
            for route in table["Routes"]
            if route["Origin"] == "CreateRoute"
        ]


def waits(ec2, state, instance):
    ec2.get_waiter(state).wait(InstanceIds=[instance], WaiterConfig={"Delay": 1, "MaxAttempts": 60})


def described(ec2, ids):
    """Those of the instances that EC2 lists, asked for as the keeper does."""
    answer = ec2.describe_instances(Filters=[{"Name": "instance-id", "Values": ids}], MaxResults=1000)
    return [instance for reservation in answer["Reservations"] for instance in reservation["Instances"]]


def interfaces(ec2, ids):
    """Those of the interfaces that EC2 lists, asked for as the keeper does."""
    filters = [{"Name": "network-interface-id", "Values": ids}]
    return ec2.describe_network_interfaces(Filters=filters, MaxResults=1000)["NetworkInterfaces"]


def advance_clock(seconds):
    body = json.dumps({"advanceSeconds": seconds}).encode()
    with urlopen(Request(f"{sys.argv[1]}/_sandbox/clock", body, {"content-type": "application/json"})) as answer:
        answer.read()


def equal(actual, expected):
    assert actual == expected, f"{actual!r} in place of {expected!r}"


def refused(status, code, call, **arguments):
    try:
        call(**arguments)
    except ClientError as error:
        answer = error.response
        equal((answer["ResponseMetadata"]["HTTPStatusCode"], answer["Error"]["Code"]), (status, code))
        assert answer["Error"]["Message"], "a refusal says why"
        assert answer["ResponseMetadata"]["RequestId"], "a refusal has a request id"
        return
    raise AssertionError(f"{code} was expected")


@case
def a_route_is_created_once_and_again_without_harm(network):
    _, eni = network.node()
    equal(network.create("10.244.1.0/24", eni)["Return"], True)
    equal(network.create("10.244.1.0/24", eni)["Return"], True)
    equal(network.routes(), [f"10.244.1.0/24 {eni} active"])


@case
def a_destination_is_stored_in_canonical_form(network):
    _, eni = network.node()
    network.create("10.244.1.7/24", eni)
    equal(network.routes(), [f"10.244.1.0/24 {eni} active"])


@case
def another_target_is_route_already_exists(network):
    (_, eni), (_, other) = network.node(), network.node()
    network.create("10.244.1.0/24", eni)
    refused(400, "RouteAlreadyExists", network.create, destination="10.244.1.0/24", eni=other)


@case
def a_route_is_replaced_in_place(network):
    (_, eni), (_, other) = network.node(), network.node()
    network.create("10.244.1.0/24", eni)
    network.ec2.replace_route(
        RouteTableId=network.table, DestinationCidrBlock="10.244.1.0/24", NetworkInterfaceId=other
    )
    equal(network.routes(), [f"10.244.1.0/24 {other} active"])


@case
def ipv6_routes_are_like_any_other(network):
    _, eni = network.node()
    where = {"RouteTableId": network.table, "DestinationIpv6CidrBlock": "fd00:244:0:1::/64"}
    network.ec2.create_route(NetworkInterfaceId=eni, **where)
    equal(network.routes(), [f"fd00:244:0:1::/64 {eni} active"])
    network.ec2.delete_route(**where)
    equal(network.routes(), [])


@case
def what_is_not_there_is_refused_by_its_own_code(network):
    _, eni = network.node()
    ec2, table = network.ec2, network.table
    refused(400, "InvalidRoute.NotFound", ec2.delete_route, RouteTableId=table, DestinationCidrBlock="10.244.9.0/24")
    where = {"DestinationCidrBlock": "10.244.9.0/24", "NetworkInterfaceId": eni}
    refused(400, "InvalidParameterValue", ec2.replace_route, RouteTableId=table, **where)
    refused(400, "InvalidRouteTableID.NotFound", ec2.create_route, RouteTableId="rtb-00000000000000bad", **where)
    refused(400, "InvalidRouteTableID.NotFound", ec2.describe_route_tables, RouteTableIds=["rtb-00000000000000bad"])
    refused(400, "InvalidRouteTableId.Malformed", ec2.create_route, RouteTableId="vpc-1", **where)
    refused(400, "InvalidNetworkInterfaceID.NotFound", network.create, destination="10.244.9.0/24", eni="eni-00000000000000bad")
    refused(400, "InvalidParameterValue", network.create, destination="10.244.0.0/33", eni=eni)
    refused(400, "InvalidParameterValue", ec2.delete_route, RouteTableId=table, DestinationCidrBlock="10.0.0.0/16")


@case
def a_dry_run_writes_nothing(network):
    _, eni = network.node()
    refused(412, "DryRunOperation", network.create, destination="10.244.1.0/24", eni=eni, DryRun=True)
    equal(network.routes(), [])


@case
def a_route_is_a_blackhole_while_its_instance_is_stopped(network):
    instance, eni = network.node()
    network.create("10.244.1.0/24", eni)
    network.ec2.stop_instances(InstanceIds=[instance])
    waits(network.ec2, "instance_stopped", instance)
    equal(network.routes(), [f"10.244.1.0/24 {eni} blackhole"])
    network.ec2.start_instances(InstanceIds=[instance])
    waits(network.ec2, "instance_running", instance)
    equal(network.routes(), [f"10.244.1.0/24 {eni} active"])


@case
def a_route_outlives_its_terminated_instance_as_a_blackhole(network):
    instance, eni = network.node()
    network.create("10.244.1.0/24", eni)
    network.ec2.terminate_instances(InstanceIds=[instance])
    waits(network.ec2, "instance_terminated", instance)
    equal(network.routes(), [f"10.244.1.0/24 {eni} blackhole"])


@case
def tables_are_paged_and_filtered(network):
    tables = {network.table, *(network.new_table() for _ in range(6))}
    pages = network.ec2.get_paginator("describe_route_tables").paginate(
        Filters=[{"Name": "vpc-id", "Values": [network.vpc]}], PaginationConfig={"PageSize": 5}
    )
    sizes, seen = [], set()
    for page in pages:
        sizes.append(len(page["RouteTables"]))
        seen |= {table["RouteTableId"] for table in page["RouteTables"]}
    equal(sizes, [5, 3])
    assert tables <= seen, f"{tables - seen} are missing"
    nothing = network.ec2.describe_route_tables(Filters=[{"Name": "route-table-id", "Values": ["rtb-none"]}])
    equal(nothing["RouteTables"], [])
    refused(400, "InvalidParameterValue", network.ec2.describe_route_tables, Filters=[{"Name": "x", "Values": ["y"]}])


@case
def instances_and_interfaces_are_described_as_the_keeper_reads_them(network):
    instance, eni = network.node()
    pages = network.ec2.get_paginator("describe_instances").paginate(
        Filters=[{"Name": "vpc-id", "Values": [network.vpc]}], PaginationConfig={"PageSize": 5}
    )
    found = [i for page in pages for r in page["Reservations"] for i in r["Instances"]]
    equal([(i["InstanceId"], i["State"]["Name"]) for i in found], [(instance, "running")])
    equal(found[0]["NetworkInterfaces"][0]["SourceDestCheck"], True)
    network.ec2.modify_network_interface_attribute(NetworkInterfaceId=eni, SourceDestCheck={"Value": False})
    interface = network.ec2.describe_network_interfaces(NetworkInterfaceIds=[eni])["NetworkInterfaces"][0]
    equal(interface["SourceDestCheck"], False)
    equal(interface["Attachment"]["InstanceId"], instance)


@case
def instances_and_interfaces_are_found_by_their_ids_and_unknown_ids_are_left_out(network):
    (instance, eni), _ = network.node(), network.node()
    found = described(network.ec2, [instance, "i-00000000000000bad"])
    equal([(i["InstanceId"], i["VpcId"]) for i in found], [(instance, network.vpc)])
    (held,) = found[0]["NetworkInterfaces"]
    (interface,) = interfaces(network.ec2, [eni, "eni-00000000000000bad"])
    for key in ("NetworkInterfaceId", "SubnetId", "VpcId", "PrivateIpAddress", "SourceDestCheck", "MacAddress", "Status"):
        equal(held[key], interface[key])
    equal((held["NetworkInterfaceId"], held["Attachment"]["DeviceIndex"]), (eni, 0))
    equal((interface["Attachment"]["InstanceId"], interface["Attachment"]["Status"]), (instance, "attached"))
    equal(described(network.ec2, ["i-00000000000000bad"]), [])


@case
def pages_of_instances_and_interfaces_hold_no_more_than_asked_for(network):
    nodes = [network.node() for _ in range(6)]
    for call, key, ids, prefix in (
        ("describe_instances", "Reservations", {instance for instance, _ in nodes}, "instance-id"),
        ("describe_network_interfaces", "NetworkInterfaces", {eni for _, eni in nodes}, "network-interface-id"),
    ):
        sizes, seen = [], set()
        for page in network.ec2.get_paginator(call).paginate(
            Filters=[{"Name": prefix, "Values": sorted(ids)}], PaginationConfig={"PageSize": 5}
        ):
            items = [i for r in page[key] for i in r["Instances"]] if key == "Reservations" else page[key]
            sizes.append(len(items))
            seen |= {item.get("InstanceId", item.get("NetworkInterfaceId")) for item in items}
        equal((sizes, seen), ([5, 1], ids))


@case
def a_stopped_instance_keeps_its_interface(network):
    instance, eni = network.node()
    network.ec2.stop_instances(InstanceIds=[instance])
    waits(network.ec2, "instance_stopped", instance)
    (stopped,) = described(network.ec2, [instance])
    equal((stopped["State"]["Name"], stopped["VpcId"]), ("stopped", network.vpc))
    equal([held["NetworkInterfaceId"] for held in stopped["NetworkInterfaces"]], [eni])
    equal([interface["Status"] for interface in interfaces(network.ec2, [eni])], ["in-use"])


@case
def a_terminated_instance_loses_its_interface_and_is_absent_an_hour_later(network):
    (instance, eni), (other, _) = network.node(), network.node()
    network.ec2.terminate_instances(InstanceIds=[instance])
    waits(network.ec2, "instance_terminated", instance)
    (terminated,) = described(network.ec2, [instance])
    equal((terminated["State"]["Name"], terminated.get("VpcId")), ("terminated", None))
    equal(terminated.get("NetworkInterfaces", []), [])
    equal(interfaces(network.ec2, [eni]), [])
    advance_clock(3600)
    equal([i["InstanceId"] for i in described(network.ec2, [instance, other])], [other])


@case
def no_check_is_switched_off_on_an_interface_that_there_is_not(network):
    refused(
        400,
        "InvalidNetworkInterfaceID.NotFound",
        network.ec2.modify_network_interface_attribute,
        NetworkInterfaceId="eni-00000000000000bad",
        SourceDestCheck={"Value": False},
    )


@case
def a_subnet_has_a_table_of_its_own_once_it_is_associated(network):
    network.ec2.associate_route_table(RouteTableId=network.table, SubnetId=network.subnet)
    table = network.ec2.describe_route_tables(RouteTableIds=[network.table])["RouteTables"][0]
    (association,) = table["Associations"]
    equal((association["SubnetId"], association["Main"]), (network.subnet, False))
    equal(association["AssociationState"]["State"], "associated")


@case
def a_burst_of_writes_is_throttled_as_ec2_does(network):
    _, eni = network.node()
    impatient = client(attempts=1)
    codes = set()
    for number in range(120):
        try:
            impatient.create_route(
                RouteTableId=network.table, DestinationCidrBlock=f"10.244.{number}.0/24", NetworkInterfaceId=eni
            )
        except ClientError as error:
            codes.add((error.response["ResponseMetadata"]["HTTPStatusCode"], error.response["Error"]["Code"]))
    equal(codes, {(503, "RequestLimitExceeded")})


def client(attempts):
    return boto3.client(
        "ec2",
        endpoint_url=sys.argv[1],
        region_name="eu-central-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
        config=Config(retries={"mode": "standard", "total_max_attempts": attempts}),
    )


def main():
    # RunInstances has a small budget here as at EC2, so a client must be patient.
    ec2 = client(attempts=8)
    faults = []
    judge_answers(ec2, faults)
    for run in CASES:
        error = None
        try:
            run(Network(ec2))
        except Exception:
            error = traceback.format_exc()
        print(json.dumps({"case": run.__name__.replace("_", " "), "error": error}), flush=True)
    wire = "every element of every answer is in the service model"
    print(json.dumps({"case": wire, "error": "\n".join(sorted(set(faults))) or None}), flush=True)


main()
