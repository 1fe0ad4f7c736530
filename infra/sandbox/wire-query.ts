import { decodeEc2Request, encodeEc2Answer, encodeEc2Error } from './ec2/wire.ts';
import { AwsError } from './service.ts';
import type { Decoded, Encoding, HttpReply, HttpRequest } from './wire.ts';

const stsNamespace = 'https://sts.amazonaws.com/doc/2011-06-15/';

/** Decodes a call of the query protocol: form fields with `Action` and `Version`. Throws for a version it does not know. */
export function decodeQuery(request: HttpRequest): Decoded {
  const form = request.method === 'GET' ? request.query.toString() : request.body;
  const version = new URLSearchParams(form).get('Version');
  const { action, params } = decodeEc2Request(form);
  if (version === '2016-11-15') return { service: 'ec2', action, params, encoding: ec2Encoding(action) };
  if (version === '2011-06-15') return { service: 'sts', action, params, encoding: stsEncoding(action) };
  throw new AwsError('InvalidAction', `The sandbox has no service with version ${version} for the action ${action}.`);
}

export function ec2Encoding(action: string): Encoding {
  return {
    contentType: 'text/xml;charset=UTF-8',
    answer: (answer, requestId) => xml(200, encodeEc2Answer(action, answer, requestId), requestId),
    error: (error, requestId) => xml(error.status, encodeEc2Error(error, requestId), requestId),
  };
}

function stsEncoding(action: string): Encoding {
  return {
    contentType: 'text/xml',
    answer(answer, requestId) {
      const members = Object.entries(answer).map(([key, value]) => element(key, String(value)));
      const result = `<${action}Result>${members.join('')}</${action}Result>`;
      const metadata = `<ResponseMetadata>${element('RequestId', requestId)}</ResponseMetadata>`;
      return xml(200, `<${action}Response xmlns="${stsNamespace}">${result}${metadata}</${action}Response>`, requestId);
    },
    error(error, requestId) {
      const type = element('Type', error.status < 500 ? 'Sender' : 'Receiver');
      const inner = `${type}${element('Code', error.code)}${element('Message', error.message)}`;
      const body = `<Error>${inner}</Error>${element('RequestId', requestId)}`;
      return xml(error.status, `<ErrorResponse xmlns="${stsNamespace}">${body}</ErrorResponse>`, requestId);
    },
  };
}

function element(name: string, text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<${name}>${escaped}</${name}>`;
}

function xml(status: number, body: string, requestId: string): HttpReply {
  return { status, headers: { 'content-type': 'text/xml;charset=UTF-8', 'x-amzn-requestid': requestId }, body };
}
