import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";

interface Installed {
	/** Where npm has it from: an address, or `file:` and a path from the project. npm may leave the address of a registry out. */
	readonly resolved?: string;
}

/**
 * What a new package in `directory` names in its `package.json` to get this service, which lies in `root`: the release of a registry if this
 * copy is from there, else this copy where the project around has it, else the packed file that it was made of. npx keeps its copies
 * where they may go away.
 */
export function toServiceDependency(root: string, directory: string, version: string): string {
	const modules = dirname(root);
	const project = dirname(modules);
	const installed = basename(modules) === "node_modules" ? readInstalled(modules, basename(root)) : undefined;
	const here = `file:${relative(directory, root)}`;
	if (installed === undefined) return here;
	const { resolved } = installed;
	if (resolved === undefined || /\/-\/[^/]+\.tgz$/.test(resolved)) return `^${version}`;
	if (!resolved.startsWith("file:")) return resolved;
	const file = resolve(project, resolved.slice("file:".length));
	const isAround = !relative(project, directory).startsWith("..");
	return isAround || !existsSync(file) ? here : `file:${relative(directory, file)}`;
}

/** What npm says of it; undefined when it was not npm that has put it there. */
function readInstalled(modules: string, name: string): Installed | undefined {
	try {
		const { packages } = JSON.parse(readFileSync(join(modules, ".package-lock.json"), "utf8")) as {
			readonly packages: Readonly<Record<string, Installed>>;
		};
		return packages[`node_modules/${name}`];
	} catch {
		return undefined;
	}
}
