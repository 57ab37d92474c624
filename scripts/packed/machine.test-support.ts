import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { copyModules, installFirst } from "./first-installation.test-support.ts";
import { currentNode } from "./installation.test-support.ts";
import { findCache, install, isOffline, pack } from "./npm.test-support.ts";

/** Nothing but Node, npm and the packed file: the file is in `svc`, and each line of releases has an empty folder beside that. */
export interface Machine {
	readonly lines: readonly Line[];
	readonly tarball: string;
	/** The directory with the packed package and its dependencies, as npm has installed them. */
	readonly modules: string;
	remove(): Promise<void>;
}

/** Releases of Node and npm that came together. */
export interface Line {
	readonly name: string;
	/** Where somebody begins. */
	readonly directory: string;
	readonly env: NodeJS.ProcessEnv;
	/** True if the first line of the README was already typed in `directory`, and the packages that it has installed are in the project. */
	readonly hasProject: boolean;
}

const oldNode = { name: "Node 20", package: currentNode.package, version: "20.20.2" };

/** Releases that came together, the newest first. */
const releases = [
	{ node: currentNode, npm: { name: "npm11", source: "npm:npm@11.21.2" } },
	{ node: oldNode, npm: { name: "npm10", source: "npm:npm@10.9.9" } },
] as const;

/**
 * With so many lines of releases, the newest first; with 0 the Node and npm that run this. A text that says why when there is no registry.
 * Needs a build.
 */
export async function createMachine(count: number): Promise<Machine | string> {
	const parent = await mkdtemp(join(tmpdir(), "svc-machine-"));
	const remove = () => rm(parent, { recursive: true, force: true });
	try {
		const [tools, packed] = [join(parent, "tools"), join(parent, "svc")];
		for (const directory of [tools, packed]) await mkdir(directory);
		const chosen = releases.slice(0, count);
		const names = chosen.flatMap(({ node, npm }) => [`${toFolder(node)}@npm:${node.package}@${node.version}`, `${npm.name}@${npm.source}`]);
		const [tarball] = await Promise.all([pack(packed), names.length > 0 ? install(tools, names) : undefined]);
		const cache = await findCache();
		const toLine = async (name: string, folder: string, path: readonly string[]): Promise<Line> => {
			const [directory, home] = ["folder", "home"].map((each) => join(parent, folder, each)) as [string, string];
			for (const each of [directory, home]) await mkdir(each, { recursive: true });
			await symlink(packed, join(parent, folder, "svc"));
			const env = { ...toEnvironment(home, cache), PATH: [...path, process.env["PATH"]].join(delimiter) };
			return { name, directory, env, hasProject: false };
		};
		const toRelease = async ({ node, npm }: (typeof releases)[number]): Promise<Line> => {
			const commands = join(parent, npm.name, "bin");
			await mkdir(commands, { recursive: true });
			for (const command of ["npm", "npx"])
				await symlink(join(tools, "node_modules", npm.name, "bin", `${command}-cli.js`), join(commands, command));
			const path = [commands, join(tools, "node_modules", toFolder(node), "bin")];
			return toLine(`${node.name} with ${npm.name}`, npm.name, path);
		};
		const own = await toLine(`Node ${process.versions.node.split(".")[0]} of this machine`, "own", []);
		const modules = await installFirst(own.directory, join(parent, "npm"), own.env);
		await copyModules(modules, join(own.directory, "demo"), join(parent, "own/svc/svc-automation.tgz"));
		const lines = count === 0 ? [{ ...own, hasProject: true }] : await Promise.all(chosen.map(toRelease));
		return { lines, tarball, modules, remove };
	} catch (error) {
		await remove();
		if (isOffline(error)) return "the npm registry cannot be reached";
		throw error;
	}
}

function toFolder({ name }: { readonly name: string }): string {
	return name.replace(" ", "").toLowerCase();
}

/** What npm has put into this process is not there on another machine. The cache is shared: what is in it is what a registry has. */
function toEnvironment(home: string, cache: string): NodeJS.ProcessEnv {
	const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|SVC_)/i.test(name));
	const npmrc = process.env["npm_config_userconfig"] ?? join(process.env["HOME"] ?? "", ".npmrc");
	const settings = { npm_config_cache: cache, npm_config_userconfig: npmrc, npm_config_yes: "true", npm_config_prefer_offline: "true" };
	// What npm asks a registry besides takes its time at each install and changes nothing of it.
	const asked = { npm_config_audit: "false", npm_config_fund: "false", npm_config_update_notifier: "false" };
	return { ...Object.fromEntries(kept), ...settings, ...asked, npm_config_loglevel: "error", HOME: home, NO_COLOR: "1" };
}
