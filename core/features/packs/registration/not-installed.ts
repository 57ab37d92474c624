/** Fields of a pack that is in a directory of the configuration, or that has no files. */
export const notInstalled = { content: null, source: null, installation: null, earlier: null, files: null, registration: null } as const;
