import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { run } from "../run.ts";
import { findCache } from "./npm.test-support.ts";

/** The first command of the README, typed in an empty folder beside the one with the tarball. */
export const firstCommand = "npx --package ../svc/svc-automation-0.1.0.tgz svc create project demo";

/** npm writes where a package is from relative to the directory that has it. */
const fileSource = /file:(?:\.\.\/)+svc\//g;

/**
 * Types the first command of the README in `folder`, where nothing was installed before. Returns the directory of the packages that npx has
 * installed for it, in its cache `cache`.
 */
export async function installFirst(folder: string, cache: string, env: NodeJS.ProcessEnv): Promise<string> {
	// A cache of its own, with the packages that npm has fetched, but nothing that npx has installed.
	const fetched = join(await findCache(), "_cacache");
	for (const directory of [fetched, cache]) await mkdir(directory, { recursive: true });
	await symlink(fetched, join(cache, "_cacache"));
	// No package needs its install script; some of them would look for a compiler.
	const settings = { npm_config_cache: cache, npm_config_ignore_scripts: "true" };
	const { code, output } = await run("bash", ["-c", firstCommand], { cwd: folder, env: { ...env, ...settings } });
	if (code !== 0) throw new Error(`${firstCommand}: ${output}`);
	const [installed = ""] = await readdir(join(cache, "_npx"));
	return join(cache, "_npx", installed, "node_modules");
}

/**
 * Copies installed packages into a project that finds the packed file at `tarball`: hard links where the file system has them, which npm
 * replaces by files of their own before it changes them.
 */
export async function copyModules(installed: string, project: string, tarball: string): Promise<void> {
	const modules = join(project, "node_modules");
	const { code, output } = await run("cp", ["-a", "-l", installed, modules]);
	if (code !== 0) throw new Error(`cp: ${output}`);
	// npm changes this file in place.
	const list = join(modules, ".package-lock.json");
	const text = (await readFile(list, "utf8")).replace(fileSource, `file:${relative(project, dirname(tarball))}/`);
	await rm(list);
	await writeFile(list, text);
}
