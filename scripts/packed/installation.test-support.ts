import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rename } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { copyModules } from "./first-installation.test-support.ts";
import type { Machine } from "./machine.test-support.ts";
import { install } from "./npm.test-support.ts";

/** The packed package, installed into an empty TypeScript project with a plugin of somebody else. */
export interface Installation {
	/** Of the project. */
	readonly directory: string;
	/** Environments in which `node`, `npm` and `npx` are of a release line. */
	readonly nodes: readonly { readonly name: string; readonly env: NodeJS.ProcessEnv }[];
	/** The package of the oldest TypeScript that is supported, and the command of the current one. */
	readonly compilers: { readonly old: string; readonly current: string };
}

/** The current LTS of Node comes as a package, too. */
export const currentNode = { name: "Node 24", package: `node-${process.platform}-${process.arch}`, version: "24.21.0" };
const oldTypeScript = "5.9.3";
const root = fileURLToPath(new URL("../../", import.meta.url));
const here = fileURLToPath(new URL(".", import.meta.url));

/** Installs the packed package and a plugin, beside the packages that npm has already installed on the machine. */
export async function installPackage({ tarball, modules }: Machine): Promise<Installation> {
	const parent = dirname(dirname(tarball));
	const directory = join(parent, "project");
	await cp(join(here, "project"), directory, { recursive: true });
	await copyModules(modules, directory, tarball);
	const plugin = join(parent, "plugin");
	await cp(join(here, "plugin"), plugin, { recursive: true });
	await install(directory, ["--install-links", tarball, plugin, `@types/node@${await findTypesVersion()}`]);
	const tools = await installTools();
	// npm warns of settings of the machine, in the middle of what is printed.
	const quiet = { ...process.env, npm_config_loglevel: "error" };
	const path = `${join(tools, "node_modules", currentNode.package, "bin")}${delimiter}${process.env["PATH"]}`;
	return {
		directory,
		nodes: [
			{ name: `Node ${process.versions.node.split(".")[0]}`, env: quiet },
			{ name: currentNode.name, env: { ...quiet, PATH: path } },
		],
		compilers: { old: join(tools, "node_modules/typescript"), current: join(root, "node_modules/typescript/bin/tsc") },
	};
}

/** A folder with the oldest TypeScript that is supported and the current Node. It is kept for later runs. */
async function installTools(): Promise<string> {
	const { package: name, version } = currentNode;
	const kept = join(root, "build/packed");
	const directory = join(kept, `tools-${oldTypeScript}-${version}`);
	if (existsSync(directory)) return directory;
	await mkdir(kept, { recursive: true });
	const unfinished = await mkdtemp(join(kept, "unfinished-"));
	await install(unfinished, [`typescript@${oldTypeScript}`, `${name}@${version}`]);
	await rename(unfinished, directory);
	return directory;
}

async function findTypesVersion(): Promise<string | undefined> {
	const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { devDependencies: Record<string, string> };
	return manifest.devDependencies["@types/node"];
}
