import * as assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { until } from "../../core/testing/guarantees/until.test-support.ts";
import { run } from "../run.ts";
import { follow, type PackedService, type StartOptions, startPacked } from "./service.test-support.ts";

/** Run a program that must succeed; what it prints. */
export async function succeed(
	file: string,
	args: readonly string[],
	options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): Promise<string> {
	const { code, output } = await run(file, args, options);
	assert.equal(code, 0, `${file} ${args.join(" ")}: ${output}`);
	return output;
}

/** A service of the project, until `use` is done. TERM must end it in order. */
export async function withPacked(options: StartOptions, use: (service: PackedService) => Promise<void>): Promise<void> {
	const service = await startPacked(options);
	let code: number | null | undefined;
	try {
		await use(service);
	} finally {
		code = await service.stop();
	}
	assert.equal(code, 0, `TERM stops it in order: ${service.printed()}`);
}

/** Every module that `exports` of the package names, as programs import it; JSON is imported otherwise. */
export async function readExports(directory: string): Promise<readonly string[]> {
	const manifest = await readFile(join(directory, "node_modules/svc-automation/package.json"), "utf8");
	const { exports } = JSON.parse(manifest) as { readonly exports: Readonly<Record<string, unknown>> };
	return Object.keys(exports)
		.filter((path) => !path.endsWith(".json"))
		.map((path) => path.replace(".", "svc-automation"));
}

/** The token that the command prints, behind the warning that others can see a password among its arguments. */
export async function askForToken(
	args: readonly string[],
	options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<string> {
	const output = await succeed("npx", ["svc", "auth", ...args, "-t"], options);
	return output.trim().split("\n").at(-1) ?? "";
}

/** Environment of somebody who has signed in with the project's own backend. */
export async function signIn({ env }: PackedService, directory: string): Promise<NodeJS.ProcessEnv> {
	const token = await askForToken(["ann", "-p", "a word of ann's"], { cwd: directory, env });
	return { ...env, SVC_AUTH_TOKEN: token };
}

/** What the project's runner told when it last ran. */
export async function readLastResult(env: NodeJS.ProcessEnv, directory: string): Promise<unknown> {
	return JSON.parse(await succeed("npx", ["svc", "execution", "get", "last", "-j"], { cwd: directory, env })).result;
}

/** The runner says its second word when a file is there, which is made when the first has been seen. */
export async function watchLive(env: NodeJS.ProcessEnv, directory: string): Promise<void> {
	const file = join(env["SVC_DATA_DIR"] ?? directory, "seen");
	const child = spawn("npx", ["svc", "run", "office.greet", "text=good morning", `file=${file}`], {
		cwd: directory,
		env,
		stdio: ["ignore", "pipe", "pipe"],
	});
	const output = follow(child);
	await until("the first word", 120, () => output.text().includes("GOOD?") || undefined);
	assert.doesNotMatch(output.text(), /MORNING/);
	await writeFile(file, "");
	assert.equal(await until("the end of the run", 120, output.code), 0, output.text());
	assert.match(output.text(), /MORNING\?/);
}
