// The Serverless Framework calls functions of CommonJS files only; this one leads it to the TypeScript beside it.
const load = () => import('./serverless-resources.ts');

module.exports.resources = async () => (await load()).serverlessResources();

module.exports.stackParameters = async ({ resolveVariable }) =>
  (await load()).stackParameters((name) => resolveVariable(`param:${name}, null`));
