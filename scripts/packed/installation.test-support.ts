import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installFirst } from "./first-installation.test-support.ts";
import { install, isOffline, packOnce } from "./npm.test-support.ts";
import { sharedDirectory } from "./shared-directory.test-support.ts";

/** The packed package, installed into an empty TypeScript project with a plugin of somebody else. */
export interface Installation {
	/** Of the project. */
	readonly directory: string;
	/** Environments in which `node`, `npm` and `npx` are of a release line. */
	readonly nodes: readonly { readonly name: string; readonly env: NodeJS.ProcessEnv }[];
	/** The package of the oldest TypeScript that is supported, and the command of the current one. */
	readonly compilers: { readonly old: string; readonly current: string };
	remove(): Promise<void>;
}

/** The current LTS of Node comes as a package, too. */
export const currentNode = { name: "Node 24", package: `node-${process.platform}-${process.arch}`, version: "24.21.0" };
const oldTypeScript = "5.9.3";
const root = fileURLToPath(new URL("../../", import.meta.url));
const here = fileURLToPath(new URL(".", import.meta.url));

/** Pack and install; a text that says why when there is no registry. Needs a build. */
export async function installPackage(): Promise<Installation | string> {
	const parent = await mkdtemp(join(tmpdir(), "svc-packed-"));
	const remove = () => rm(parent, { recursive: true, force: true });
	try {
		const directory = join(parent, "project");
		await cp(join(here, "project"), directory, { recursive: true });
		const [tarball, tools, first] = [await packOnce(parent), await installTools(), await installFirst()];
		await first.copyModules(directory, tarball);
		const plugin = join(parent, "plugin");
		await cp(join(here, "plugin"), plugin, { recursive: true });
		await install(directory, ["--install-links", tarball, plugin, `@types/node@${await findTypesVersion()}`]);
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
			remove,
		};
	} catch (error) {
		await remove();
		if (isOffline(error)) return "the npm registry cannot be reached";
		throw error;
	}
}

/** A folder with the oldest TypeScript that is supported and the current Node. */
async function installTools(): Promise<string> {
	const { package: name, version } = currentNode;
	return sharedDirectory("tools", `${oldTypeScript}-${version}`, (directory) =>
		install(directory, [`typescript@${oldTypeScript}`, `${name}@${version}`]),
	);
}

async function findTypesVersion(): Promise<string | undefined> {
	const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { devDependencies: Record<string, string> };
	return manifest.devDependencies["@types/node"];
}
