import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../run.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** What npm says when it reaches no registry. */
const offline = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ENOTCACHED/;

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

/** Where npm keeps what it has fetched. */
export async function findCache(): Promise<string> {
	const { output } = await run("npm", ["config", "get", "cache", "--loglevel=error"]);
	return output.trim();
}

/** No package of this project needs its install script. */
export async function install(directory: string, args: readonly string[]): Promise<void> {
	const quiet = ["--prefix", directory, "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
	const { code, output } = await run("npm", ["install", ...quiet, ...args], { cwd: directory });
	if (code !== 0) throw new Error(`npm install: ${output}`);
}
