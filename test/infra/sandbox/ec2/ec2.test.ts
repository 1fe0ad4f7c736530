import { runEc2Contract } from '../../../contract/ec2-contract.ts';
import { startEc2 } from './ec2-server.ts';

runEc2Contract('the embedded EC2', startEc2);
