import { sandboxAccount, sandboxRegion } from '../service.ts';

/** How a resource of one type is named once it exists. */
export interface ResourceType {
  /** The property that names it; without one CloudFormation makes a name from stack and logical id. */
  readonly nameProperty?: string;
  readonly arn: (name: string) => string;
  /** What `Ref` gives; the name unless said. */
  readonly ref?: (name: string, endpoint: string) => string;
  readonly attributes?: (name: string, endpoint: string) => Readonly<Record<string, string>>;
}

const of = (service: string, path: string) => (name: string) =>
  `arn:aws:${service}:${sandboxRegion}:${sandboxAccount}:${path}${name}`;
const ofIam = (path: string) => (name: string) => `arn:aws:iam::${sandboxAccount}:${path}/${name}`;

export function queueUrl(endpoint: string, name: string): string {
  return `${endpoint}/${sandboxAccount}/${name}`;
}

/** Types that do something in the sandbox. */
export const liveTypes: Readonly<Record<string, ResourceType>> = {
  'AWS::DynamoDB::Table': {
    nameProperty: 'TableName',
    arn: of('dynamodb', 'table/'),
    attributes: (name) => ({ StreamArn: `${of('dynamodb', 'table/')(name)}/stream/sandbox` }),
  },
  'AWS::SQS::Queue': {
    nameProperty: 'QueueName',
    arn: of('sqs', ''),
    ref: (name, endpoint) => queueUrl(endpoint, name),
    attributes: (name, endpoint) => ({ QueueName: name, QueueUrl: queueUrl(endpoint, name) }),
  },
  'AWS::Serverless::Function': { nameProperty: 'FunctionName', arn: of('lambda', 'function:') },
  'AWS::Lambda::EventSourceMapping': { arn: of('lambda', 'event-source-mapping:') },
  'AWS::Lambda::EventInvokeConfig': { arn: of('lambda', 'event-invoke-config:') },
  'AWS::SQS::QueuePolicy': { arn: of('sqs', 'policy:') },
  'AWS::Lambda::Permission': { arn: of('lambda', 'permission:') },
  'AWS::Events::Rule': { nameProperty: 'Name', arn: of('events', 'rule/') },
  'AWS::Scheduler::Schedule': { nameProperty: 'Name', arn: of('scheduler', 'schedule/default/') },
  'AWS::IAM::Role': { nameProperty: 'RoleName', arn: ofIam('role') },
  'AWS::IAM::ManagedPolicy': { nameProperty: 'ManagedPolicyName', arn: ofIam('policy'), ref: ofIam('policy') },
  'AWS::IAM::Policy': { nameProperty: 'PolicyName', arn: ofIam('policy') },
};

/** Types that change nothing about a run here; their intrinsics are read, their properties are not. */
export const inertTypes: Readonly<Record<string, ResourceType>> = {
  'AWS::CloudWatch::Alarm': { nameProperty: 'AlarmName', arn: of('cloudwatch', 'alarm:') },
  'AWS::CloudWatch::CompositeAlarm': { nameProperty: 'AlarmName', arn: of('cloudwatch', 'alarm:') },
  'AWS::CloudWatch::Dashboard': { nameProperty: 'DashboardName', arn: of('cloudwatch', 'dashboard/') },
  'AWS::Logs::LogGroup': { nameProperty: 'LogGroupName', arn: of('logs', 'log-group:') },
  'AWS::Logs::MetricFilter': { arn: of('logs', 'metric-filter:') },
  'AWS::IAM::InstanceProfile': { nameProperty: 'InstanceProfileName', arn: ofIam('instance-profile') },
  'AWS::EC2::VPCEndpoint': { arn: of('ec2', 'vpc-endpoint/') },
  'AWS::EC2::SecurityGroupIngress': { arn: of('ec2', 'security-group-rule/') },
  'AWS::SNS::Topic': { nameProperty: 'TopicName', arn: of('sns', ''), ref: of('sns', '') },
  'AWS::SNS::TopicPolicy': { arn: of('sns', 'policy:') },
  'AWS::SNS::Subscription': { arn: of('sns', 'subscription:') },
};
