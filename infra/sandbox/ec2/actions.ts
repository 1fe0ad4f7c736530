/** The actions this EC2 knows, by name. */
import { associateRouteTable, disassociateRouteTable, replaceRouteTableAssociation } from './associations.ts';
import { attachNetworkInterface, detachNetworkInterface } from './attachments.ts';
import {
  attachInternetGateway,
  createInternetGateway,
  createNatGateway,
  createVpcEndpoint,
  createVpcPeeringConnection,
  describeNatGateways,
} from './gateways.ts';
import { startInstances, stopInstances, terminateInstances } from './instance-power.ts';
import { describeInstances } from './instances.ts';
import {
  describeNetworkInterfaceAttribute,
  modifyInstanceAttribute,
  modifyNetworkInterfaceAttribute,
} from './interface-attributes.ts';
import { createNetworkInterface, deleteNetworkInterface, describeNetworkInterfaces } from './interfaces.ts';
import type { Params } from './params.ts';
import { createManagedPrefixList, describeManagedPrefixLists } from './prefix-lists.ts';
import { createRouteTable, deleteRouteTable, describeRouteTables } from './route-tables.ts';
import { createRoute, deleteRoute, replaceRoute } from './routes.ts';
import { runInstances } from './run-instances.ts';
import { createSubnet, deleteSubnet, describeSubnets } from './subnets.ts';
import { createTags, describeTags } from './tags.ts';
import { associateVpcCidrBlock, createVpc, describeVpcs } from './vpcs.ts';
import type { World } from './world.ts';

export type Action = (world: World, params: Params) => Readonly<Record<string, unknown>>;

export const actions: Readonly<Record<string, Action>> = {
  AssociateRouteTable: associateRouteTable,
  AssociateVpcCidrBlock: associateVpcCidrBlock,
  AttachInternetGateway: attachInternetGateway,
  AttachNetworkInterface: attachNetworkInterface,
  CreateInternetGateway: createInternetGateway,
  CreateManagedPrefixList: createManagedPrefixList,
  CreateNatGateway: createNatGateway,
  CreateNetworkInterface: createNetworkInterface,
  CreateRoute: createRoute,
  CreateRouteTable: createRouteTable,
  CreateSubnet: createSubnet,
  CreateTags: createTags,
  CreateVpc: createVpc,
  CreateVpcEndpoint: createVpcEndpoint,
  CreateVpcPeeringConnection: createVpcPeeringConnection,
  DeleteNetworkInterface: deleteNetworkInterface,
  DeleteRoute: deleteRoute,
  DeleteRouteTable: deleteRouteTable,
  DeleteSubnet: deleteSubnet,
  DescribeInstances: describeInstances,
  DescribeManagedPrefixLists: describeManagedPrefixLists,
  DescribeNatGateways: describeNatGateways,
  DescribeNetworkInterfaceAttribute: describeNetworkInterfaceAttribute,
  DescribeNetworkInterfaces: describeNetworkInterfaces,
  DescribeRouteTables: describeRouteTables,
  DescribeSubnets: describeSubnets,
  DescribeTags: describeTags,
  DescribeVpcs: describeVpcs,
  DetachNetworkInterface: detachNetworkInterface,
  DisassociateRouteTable: disassociateRouteTable,
  ModifyInstanceAttribute: modifyInstanceAttribute,
  ModifyNetworkInterfaceAttribute: modifyNetworkInterfaceAttribute,
  ReplaceRoute: replaceRoute,
  ReplaceRouteTableAssociation: replaceRouteTableAssociation,
  RunInstances: runInstances,
  StartInstances: startInstances,
  StopInstances: stopInstances,
  TerminateInstances: terminateInstances,
};
