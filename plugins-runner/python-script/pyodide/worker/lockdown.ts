/** What of Node stands open to Python through its module `js`. The web's own names, such as `fetch`, stay. */
const names = ["process", "global", "require", "module", "__filename", "__dirname"];

/** Take Node away from whoever comes by way of JavaScript; those who need it have it already. */
export function lockDown(): void {
	for (const name of names) Reflect.deleteProperty(globalThis, name);
	// The interpreter notes its exit code there when it ends by `os._exit`.
	Object.assign(globalThis, { process: Object.seal({ exitCode: 0 }) });
}
