/** Of the project: a test holds it against package.json, which a bundle does not have at hand. */
export const agentVersion = '0.1.0';
