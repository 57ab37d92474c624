import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { run } from "../run.ts";
import { findCache, packOnce } from "./npm.test-support.ts";
import { hashPackedFiles, sharedDirectory } from "./shared-directory.test-support.ts";

/** The first command of the README, typed in an empty folder beside the one with the tarball. */
export const firstCommand = "npx --package ../svc/svc-automation-0.1.0.tgz svc create project demo";

/** npm writes where a package is from relative to the directory that has it. */
const fileSource = /file:(?:\.\.\/)+svc\//g;

/** What `firstCommand` creates where nothing was installed before: the project, and the package with its dependencies. */
export interface FirstInstallation {
	/** The new project, with nothing installed. */
	copyProject(directory: string): Promise<void>;
	/** The installed packages, for a project that finds the packed file at `tarball`. */
	copyModules(project: string, tarball: string): Promise<void>;
}

/** Typed once for all test files: to install everything takes most of their time. */
export async function installFirst(): Promise<FirstInstallation> {
	const made = await sharedDirectory("first", hashPackedFiles(), async (target) => {
		const parent = await mkdtemp(join(tmpdir(), "svc-first-"));
		try {
			const [folder, svc, cache] = ["folder", "svc", "npm"].map((name) => join(parent, name)) as [string, string, string];
			for (const directory of [folder, svc, cache]) await mkdir(directory);
			await packOnce(svc);
			// npx installs into the cache: one of its own, with what npm has fetched.
			const fetched = join(await findCache(), "_cacache");
			await mkdir(fetched, { recursive: true });
			await symlink(fetched, join(cache, "_cacache"));
			const settings = { npm_config_cache: cache, npm_config_yes: "true", npm_config_prefer_offline: "true" };
			// No package needs its install script; some of them would look for a compiler.
			const quick = { npm_config_ignore_scripts: "true", npm_config_audit: "false", npm_config_update_notifier: "false" };
			const { code, output } = await run("bash", ["-c", firstCommand], { cwd: folder, env: { ...process.env, ...settings, ...quick } });
			if (code !== 0) throw new Error(`${firstCommand}: ${output}`);
			const [installed = ""] = await readdir(join(cache, "_npx"));
			await copy(join(folder, "demo"), join(target, "demo"));
			await copy(join(cache, "_npx", installed, "node_modules"), join(target, "node_modules"));
		} finally {
			await rm(parent, { recursive: true, force: true });
		}
	});
	return {
		copyProject: (directory) => copy(join(made, "demo"), directory),
		async copyModules(project, tarball) {
			const modules = join(project, "node_modules");
			await copy(join(made, "node_modules"), modules);
			// A copy has the files themselves, which npm replaces, except for this one.
			const list = join(modules, ".package-lock.json");
			const text = (await readFile(list, "utf8")).replace(fileSource, `file:${relative(project, dirname(tarball))}/`);
			await rm(list);
			await writeFile(list, text);
		},
	};
}

/** With links to the files rather than copies of them where the file system can do that. */
async function copy(from: string, to: string): Promise<void> {
	const linked = await run("cp", ["-a", "-l", from, to]);
	if (linked.code === 0) return;
	await rm(to, { recursive: true, force: true });
	const { code, output } = await run("cp", ["-a", from, to]);
	if (code !== 0) throw new Error(`cp: ${output}`);
}
