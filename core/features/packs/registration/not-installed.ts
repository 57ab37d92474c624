/** Of a pack whose files lie in a directory of the configuration, or that has none. */
export const notInstalled = { content: null, source: null, installation: null, earlier: null, files: null, registration: null } as const;
