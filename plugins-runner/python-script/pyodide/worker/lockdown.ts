/** Node.js globals that Python could reach through its module `js`. Web globals such as `fetch` remain available. */
const names = ["process", "global", "require", "module", "__filename", "__dirname"];

/**
 * Removes the Node.js globals, so that Python cannot reach them through JavaScript. Code of the worker already holds its own references.
 */
export function lockDown(): void {
	for (const name of names) Reflect.deleteProperty(globalThis, name);
	// The interpreter stores its exit code in `process.exitCode` when it ends by `os._exit`.
	Object.assign(globalThis, { process: Object.seal({ exitCode: 0 }) });
}
