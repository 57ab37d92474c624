import { cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../run.ts";

/** The packed package, installed into an empty TypeScript project with a plugin of somebody else. */
export interface Installation {
	/** Of the project. */
	readonly directory: string;
	/** Environments in which `node`, `npm` and `npx` are of a release line. */
	readonly nodes: readonly { readonly name: string; readonly env: NodeJS.ProcessEnv }[];
	/** Compilers: the entry of each. */
	readonly compilers: readonly { readonly name: string; readonly file: string }[];
	remove(): Promise<void>;
}

/** The current LTS of Node comes as a package, too. */
export const currentNode = { name: "Node 24", package: `node-${process.platform}-${process.arch}`, version: "24.21.0" };
const oldTypeScript = "5.9.3";
const root = fileURLToPath(new URL("../../", import.meta.url));
const here = fileURLToPath(new URL(".", import.meta.url));
/** What npm says when it reaches no registry. */
const offline = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ENOTCACHED/;

/** Pack and install; a text that says why when there is no registry. Needs a build. */
export async function installPackage(): Promise<Installation | string> {
	const parent = await mkdtemp(join(tmpdir(), "svc-packed-"));
	const remove = () => rm(parent, { recursive: true, force: true });
	try {
		const [directory, tools] = [join(parent, "project"), join(parent, "tools")];
		await mkdir(tools);
		await cp(join(here, "project"), directory, { recursive: true });
		const tarball = await pack(parent);
		const plugin = join(parent, "plugin");
		await cp(join(here, "plugin"), plugin, { recursive: true });
		const node = `${currentNode.package}@${currentNode.version}`;
		await Promise.all([
			install(directory, ["--install-links", tarball, plugin, `@types/node@${await findTypesVersion()}`]),
			install(tools, [`typescript@${oldTypeScript}`, node]),
		]);
		// npm warns of settings of the machine, in the middle of what is printed.
		const quiet = { ...process.env, npm_config_loglevel: "error" };
		const path = `${join(tools, "node_modules", currentNode.package, "bin")}${delimiter}${process.env["PATH"]}`;
		return {
			directory,
			nodes: [
				{ name: `Node ${process.versions.node.split(".")[0]}`, env: quiet },
				{ name: currentNode.name, env: { ...quiet, PATH: path } },
			],
			compilers: [
				{ name: "TypeScript 5.9", file: join(tools, "node_modules/typescript/bin/tsc") },
				{ name: "the current TypeScript", file: join(root, "node_modules/typescript/bin/tsc") },
			],
			remove,
		};
	} catch (error) {
		await remove();
		if (isOffline(error)) return "the npm registry cannot be reached";
		throw error;
	}
}

/** Whether it has failed as no registry can be reached. */
export function isOffline(error: unknown): boolean {
	return error instanceof Error && offline.test(error.message);
}

/** The tarball that `npm pack` makes of what is built. */
export async function pack(directory: string): Promise<string> {
	const { code, output } = await run("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", directory], { cwd: root });
	const name = /^\S+\.tgz$/m.exec(output)?.[0];
	if (code !== 0 || name === undefined) throw new Error(`npm pack: ${output}`);
	return join(directory, name);
}

/** No package of this project needs its install script. */
export async function install(directory: string, args: readonly string[]): Promise<void> {
	const quiet = ["--prefix", directory, "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
	const { code, output } = await run("npm", ["install", ...quiet, ...args], { cwd: directory });
	if (code !== 0) throw new Error(`npm install: ${output}`);
}

async function findTypesVersion(): Promise<string | undefined> {
	const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { devDependencies: Record<string, string> };
	return manifest.devDependencies["@types/node"];
}
